//! Programs on a terminal: what they draw, what is typed, size, signals, ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use serde_json::{Value, json};
use support::{Frame, Host, Kind, World, mark, marked, until};

fn start(host: &mut Host, options: &Value, more: &Value) -> u32 {
    let channel = host.channel();
    let mut request = json!({ "op": "terminal", "options": options });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    host.send(Kind::Request, channel, request.to_string().as_bytes());
    channel
}

fn type_in(host: &mut Host, channel: u32, text: &str) {
    let mut payload = 0_u64.to_le_bytes().to_vec();
    payload.extend(text.as_bytes());
    host.send(Kind::Data, channel, &payload);
}

/// What is drawn until `text` is there.
fn drawn_until(host: &mut Host, channel: u32, text: &str) -> String {
    let mut drawn = String::new();
    while !drawn.contains(text) {
        drawn.push_str(&String::from_utf8_lossy(host.wait(Kind::Data, channel).data().1));
    }
    drawn
}

/// All that is still drawn, and the answer.
fn finish(host: &mut Host, channel: u32) -> (String, Value) {
    let mut drawn = Vec::new();
    loop {
        let frame: Frame = host.next_of(channel);
        match frame.kind {
            Kind::Data => drawn.extend_from_slice(frame.data().1),
            Kind::Answer => return (String::from_utf8_lossy(&drawn).into_owned(), frame.json()),
            Kind::Started => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_draws_and_is_typed_to() {
    let world = World::new();
    let mut host = world.host();
    let options = json!({ "command": "echo ready; read x; echo got $x; stty size; exit 3", "cols": 100, "rows": 30 });
    let channel = start(&mut host, &options, &json!({}));

    let started = host.wait(Kind::Started, channel).json();
    assert!(started["pid"].as_u64().unwrap() > 1);
    drawn_until(&mut host, channel, "ready");
    type_in(&mut host, channel, "words\n");
    let (drawn, answer) = finish(&mut host, channel);

    assert!(drawn.contains("got words\r\n"), "{drawn}");
    assert!(drawn.contains("30 100\r\n"), "{drawn}");
    assert_eq!(answer["ok"]["outcome"]["exitCode"], 3);
}

#[test]
fn size_and_signals_reach_the_program() {
    let world = World::new();
    let mut host = world.host();
    let script = "trap 'stty size' WINCH; trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.05; done";
    let channel =
        start(&mut host, &json!({ "application": "bash", "args": ["-c", script] }), &json!({}));
    drawn_until(&mut host, channel, "ready");

    let resized =
        host.ask(&json!({ "op": "resize", "terminal": channel, "columns": 90, "rows": 20 }));
    assert_eq!(resized, json!({ "ok": {} }));
    drawn_until(&mut host, channel, "20 90");
    let signalled = host.ask(&json!({ "op": "signal", "terminal": channel, "signal": 2 }));
    assert_eq!(signalled, json!({ "ok": {} }));
    let (drawn, answer) = finish(&mut host, channel);

    assert!(drawn.contains("interrupted"));
    assert_eq!(answer["ok"]["outcome"]["exitCode"], 7);
    let late = host.ask(&json!({ "op": "resize", "terminal": channel, "columns": 90, "rows": 20 }));
    assert_eq!(late["error"]["code"], "PI_PTY_NOT_RUNNING");
}

#[test]
fn a_cancel_ends_it_and_all_it_started() {
    let world = World::new();
    let mut host = world.host();
    let (mark, options) = mark(&json!({}));
    let options = json!({ "command": "sleep 1000 & setsid sleep 1001 & echo ready; sleep 1002", "env": options["sessionEnv"] });
    let channel = start(&mut host, &options, &json!({}));
    drawn_until(&mut host, channel, "ready");

    host.send(Kind::Cancel, channel, b"");

    assert_eq!(finish(&mut host, channel).1["ok"]["outcome"]["cancelled"], true);
    until("nothing is left", || marked(&mark).is_empty());
}

#[test]
fn a_window_holds_what_is_drawn_back_and_its_end_is_not_late() {
    let world = World::new();
    let mut host = world.host();
    let options = json!({ "command": "yes 'a long line of text'", "timeoutMs": 1_500 });
    let channel = start(&mut host, &options, &json!({ "window": 65_536, "id": "t" }));

    let (drawn, answer) = finish(&mut host, channel);

    assert_eq!(answer["ok"]["outcome"]["timedOut"], true, "{answer}");
    assert!(drawn.len() >= 65_536 && drawn.len() < 65_536 + 600_000, "{}", drawn.len());
}

#[test]
fn input_that_is_not_taken_is_counted_and_refused_in_the_end() {
    let world = World::new();
    let mut host = world.host();
    let channel = start(
        &mut host,
        &json!({ "command": "stty raw -echo; echo ready; sleep 1000" }),
        &json!({}),
    );
    drawn_until(&mut host, channel, "ready");
    let piece = "x".repeat(200_000);
    type_in(&mut host, channel, &piece);

    let waiting = host.ask(&json!({ "op": "pendingInput", "terminal": channel }));
    assert!(waiting["ok"]["bytes"].as_u64().unwrap() > 100_000, "{waiting}");

    for _ in 0..100 {
        type_in(&mut host, channel, &piece);
    }
    assert_eq!(finish(&mut host, channel).1["error"]["code"], "PI_PTY_INPUT_FULL");
}

#[test]
fn what_cannot_start_is_an_error() {
    let world = World::new();
    let mut host = world.host();
    for (options, code) in [
        (json!({}), "PI_INVALID_OPTION"),
        (json!({ "command": "a", "application": "b" }), "PI_INVALID_OPTION"),
        (json!({ "application": "/nonexistent/program" }), "PI_PTY_SPAWN"),
        (json!({ "command": "true", "cwd": "/nonexistent" }), "PI_MISSING_CWD"),
    ] {
        let channel = start(&mut host, &options, &json!({}));
        assert_eq!(finish(&mut host, channel).1["error"]["code"], code, "{options}");
    }
}
