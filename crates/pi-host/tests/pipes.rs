//! Pipes between near and commands: input that is held back by what commands take, and what they write beside their output.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};
use support::{Host, Kind, World, sha256};

/// Bytes that near may send before the pipe took them.
const WINDOW: usize = 256 * 1024;

/// A pipe, and its path.
fn pipe(host: &mut Host, request: &Value) -> (u32, String) {
    let channel = host.channel();
    host.send(Kind::Request, channel, request.to_string().as_bytes());
    let started = host.wait(Kind::Started, channel).json();
    (channel, started["path"].as_str().unwrap().to_owned())
}

fn send(host: &mut Host, channel: u32, offset: usize, bytes: &[u8]) {
    let mut payload = u64::try_from(offset).unwrap().to_le_bytes().to_vec();
    payload.extend_from_slice(bytes);
    host.send(Kind::Data, channel, &payload);
}

/// Offset up to which near may send.
fn credit(host: &mut Host, channel: u32) -> usize {
    let payload = host.wait(Kind::Credit, channel).payload;
    let offset = u64::from_le_bytes(payload[..8].try_into().unwrap());
    let window = u32::from_le_bytes(payload[8..12].try_into().unwrap());
    usize::try_from(offset + u64::from(window)).unwrap()
}

fn reading(path: &str, command: &str) -> String {
    format!("exec <>'{path}' <'{path}'; {command}")
}

#[test]
fn an_input_is_read_whole_to_its_end() {
    let world = World::new();
    let mut host = world.host();
    let (channel, path) = pipe(&mut host, &json!({ "op": "pipe", "way": "in" }));
    let session = host.open(&json!({}));
    let run = host.begin(session, &reading(&path, "sha256sum; wc -c"), &json!({}));
    let bytes: Vec<u8> =
        (0..3_000_000_u32).map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let mut sent = 0;
    let mut allowed = credit(&mut host, channel);
    while sent < bytes.len() {
        if allowed == sent {
            allowed = credit(&mut host, channel);
        }
        let end = allowed.min(sent + 60_000).min(bytes.len());
        send(&mut host, channel, sent, &bytes[sent..end]);
        sent = end;
    }
    send(&mut host, channel, sent, &[]);
    let ended = host.finish(run);

    let digest = sha256(&bytes);
    assert_eq!(ended.text, format!("{digest}  -\n0\n"));
}

#[test]
fn an_input_that_is_not_read_gets_no_credit_and_holds_nothing_else_up() {
    let world = World::new();
    let mut host = world.host();
    let (channel, path) = pipe(&mut host, &json!({ "op": "pipe", "way": "in" }));
    let session = host.open(&json!({}));
    let run = host.begin(session, &reading(&path, "echo ready; sleep 1000"), &json!({}));
    let allowed = credit(&mut host, channel);
    assert_eq!(allowed, WINDOW);
    for at in (0..WINDOW).step_by(65_536) {
        send(&mut host, channel, at, &vec![b'x'; 65_536]);
    }
    // A pipe of the system takes 64 KiB, which is credited once.
    assert!(credit(&mut host, channel) < 2 * WINDOW);
    assert_eq!(host.ask(&json!({ "op": "list" }))["ok"]["sessions"], json!([session]));

    host.send(Kind::Cancel, channel, b"");
    assert_eq!(host.wait(Kind::Answer, channel).json(), json!({ "ok": {} }));
    assert!(!Path::new(&path).exists());
    host.send(Kind::Cancel, run, b"");
    assert_eq!(host.finish(run).end["ok"]["cancelled"], true);
}

#[test]
fn an_input_past_its_credit_ends_the_pipe() {
    let world = World::new();
    let mut host = world.host();
    for (offset, length) in [(0, WINDOW), (1, 5)] {
        let (channel, _) = pipe(&mut host, &json!({ "op": "pipe", "way": "in" }));
        credit(&mut host, channel);
        send(&mut host, channel, offset, &vec![0; length]);
        send(&mut host, channel, length, &vec![0; WINDOW]);
        let answer = host.wait(Kind::Answer, channel).json();
        assert_eq!(answer["error"]["code"], "PI_HOST_INVALID_REQUEST", "{answer}");
    }
}

#[test]
fn an_output_arrives_with_every_byte_and_says_how_much_there_was() {
    let world = World::new();
    let mut host = world.host();
    let (channel, path) = pipe(&mut host, &json!({ "op": "pipe", "way": "out", "window": 65_536 }));
    let found = std::fs::metadata(&path).unwrap();
    assert!(found.file_type().is_fifo());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let command = format!(r"exec 2>'{path}'; printf '\0\377\n\200end' >&2; echo text");
    let session = host.open(&json!({}));
    assert_eq!(host.run(session, &command, &json!({})).text, "text\n");

    let drained = host.ask(&json!({ "op": "drained", "pipe": channel }));
    assert_eq!(drained, json!({ "ok": { "offset": 7 } }));
    // The shell writes a line by itself: what it wrote comes in one frame or in two.
    let mut came = Vec::new();
    while came.len() < 7 {
        let frame = host.wait(Kind::Data, channel);
        let (offset, bytes) = frame.data();
        assert_eq!(usize::try_from(offset).unwrap(), came.len());
        came.extend_from_slice(bytes);
    }
    assert_eq!(came, b"\0\xff\n\x80end");
    host.send(Kind::Cancel, channel, b"");
    assert_eq!(host.wait(Kind::Answer, channel).json(), json!({ "ok": {} }));
    let late = host.ask(&json!({ "op": "drained", "pipe": channel }));
    assert_eq!(late["error"]["code"], "PI_HOST_INVALID_REQUEST");
}

#[test]
fn an_output_waits_for_a_near_side_that_does_not_take_it() {
    let world = World::new();
    let mut host = world.host();
    let (channel, path) = pipe(&mut host, &json!({ "op": "pipe", "way": "out", "window": 65_536 }));
    let command = format!("echo begun; exec 2>'{path}'; head -c 1000000 /dev/zero >&2; echo done");
    let session = host.open(&json!({}));

    let ended = host.run(session, &command, &json!({ "timeoutMs": 1_000 }));
    assert_eq!(ended.text, "begun\n");
    assert_eq!(ended.end["ok"]["timedOut"], true);
    host.send(Kind::Cancel, channel, b"");
    host.wait(Kind::Answer, channel);
}

#[test]
fn pipes_go_with_their_link_and_are_bounded_in_number() {
    let world = World::new();
    let mut host = world.host();
    for _ in 0..64 {
        pipe(&mut host, &json!({ "op": "pipe", "way": "in" }));
    }
    assert_eq!(host.ask(&json!({ "op": "pipe", "way": "out" }))["error"]["code"], "PI_HOST_BUSY");
    assert_eq!(
        host.ask(&json!({ "op": "pipe", "way": "up" }))["error"]["code"],
        "PI_HOST_INVALID_REQUEST"
    );
    host.hang_up();
    assert_eq!(host.ended().code(), Some(0));
    assert!(world.instances().is_empty());
}
