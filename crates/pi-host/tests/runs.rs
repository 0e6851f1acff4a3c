//! Commands over a link: state, results, text, updates, credit, one-shots.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::{Kind, World, kept, lines};

#[test]
fn the_hello_says_what_is_there() {
    let world = World::new();
    let host = world.host();

    let hello = &host.hello;
    assert_eq!(hello["protocol"], 1);
    assert_eq!(hello["os"], "linux");
    assert_eq!(hello["cwd"], world.work().to_str().unwrap());
    assert_eq!(hello["pid"], host.child.id());
    assert_eq!(hello["env"]["PI_HOST_CACHE"], world.folder.path().to_str().unwrap());
    assert_eq!(hello["capabilities"]["platform"], "linux");
    assert!(hello["bash"]["path"].as_str().unwrap().ends_with("bash"));
    assert!(hello["bash"]["version"].as_str().unwrap().contains('.'));
    assert!(hello.get("bashError").is_none());
    assert!(hello.get("token").is_none());
    assert_eq!(hello["build"]["digest"].as_str().unwrap().len(), 64);
    assert_eq!(hello["instance"].as_str().unwrap().len(), 32);
    assert!(hello["folder"].as_str().unwrap().starts_with(world.folder.path().to_str().unwrap()));
}

#[test]
fn a_marker_comes_first_where_a_nonce_asks_for_it() {
    let world = World::new();
    let mut command = world.command(&["stdio", "--nonce", "abc123"]);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();

    assert!(output.stdout.starts_with(b"\nPI-HOST abc123 ready\n"));
}

#[test]
fn a_session_keeps_its_state_and_says_how_commands_end() {
    let world = World::new();
    let mut host = world.host();
    for options in [json!({}), kept()] {
        let session = host.open(&options);

        let first = host.run(
            session,
            "cd /; x=7; export y=8; f() { echo f$1; }; echo out; echo err >&2; false",
            &json!({}),
        );
        let second = host.run(session, "echo $x $y $PWD; f 3; exit 5", &json!({}));
        let third = host.run(session, "kill -9 $$", &json!({}));

        assert_eq!(first.text, "out\nerr\n");
        assert_eq!(first.exit_code(), 1);
        assert!(first.is_started);
        assert_eq!(first.end["ok"]["workingDir"], "/");
        assert_eq!(second.text, "7 8 /\nf3\n");
        assert_eq!(second.exit_code(), 5);
        assert_eq!(third.end["ok"]["signalNumber"], 9);
        assert!(third.end["ok"].get("exitCode").is_none());
    }
}

#[test]
fn the_driver_keeps_one_bash_where_it_was_put() {
    let world = World::new();
    let mut host = world.host();
    let path =
        support::put(&mut host, &std::fs::read(support::driver::object()).unwrap(), "pi-driver.so");
    let session = host.open(&json!({ "driver": path }));

    let first = host.run(session, "echo $$", &json!({})).text;
    let second = host.run(session, "echo $$", &json!({})).text;
    let described = host.ask(&json!({ "op": "describe", "session": session }));

    assert_eq!(first, second);
    assert_eq!(described, json!({ "ok": { "driver": { "state": "fits" } } }));
}

#[test]
fn a_one_shot_has_a_bash_of_its_own() {
    let world = World::new();
    let mut host = world.host();
    let channel = host.channel();
    let run = json!({ "id": "a", "oneShot": { "options": { "sessionEnv": { "who": "me" } } },
        "request": { "command": "echo $who", "wantsChunks": true } });
    host.send(Kind::Run, channel, run.to_string().as_bytes());

    assert_eq!(host.finish(channel).text, "me\n");
}

#[test]
fn text_and_updates_come_only_where_they_are_wanted() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let sink = json!({ "maxBytes": 1_000, "throttleMs": 1 });

    let silent = host.run(
        session,
        "echo a; sleep 0.1; echo b",
        &json!({ "wantsChunks": false, "sink": sink }),
    );
    let updated = host.run(
        session,
        "echo a; sleep 0.3; echo b",
        &json!({ "wantsChunks": false, "wantsUpdates": true, "sink": sink }),
    );

    assert_eq!(silent.text, "");
    assert!(silent.updates.is_empty());
    assert_eq!(silent.end["ok"]["output"]["text"], "a\nb\n");
    assert_eq!(updated.text, "");
    assert_eq!(updated.updates[0]["tail"], "a\n");
    assert_eq!(updated.updates[0]["totalLines"], 1);
}

#[test]
fn a_secret_is_masked_on_this_side() {
    let world = World::new();
    let mut host = world.host();
    let mask =
        json!({ "values": [{ "name": "KEY", "value": "s3cr3t-value-77" }], "shapes": false });
    let answer = host.ask(&json!({ "op": "open", "session": 1, "options": {}, "mask": mask }));
    assert_eq!(answer, json!({ "ok": {} }));

    let ended = host.run(1, "echo a s3cr3t-value-77 b", &json!({ "sink": {} }));

    assert!(!ended.text.contains("s3cr3t"), "{}", ended.text);
    assert_eq!(ended.end["ok"]["output"]["masked"]["names"], json!(["KEY"]));
}

#[test]
fn text_comes_whole_and_in_order_with_small_windows() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let channel = host.begin(
        session,
        "seq 1 200000; printf 'é€😀%.0s' {1..5000}",
        &json!({ "window": 4_096 }),
    );

    let ended = host.finish_with(channel, 5_000);

    let expected = lines(200_000) + &"é€😀".repeat(5_000);
    assert!(ended.text == expected, "{} bytes of {}", ended.text.len(), expected.len());
    assert!(ended.end.get("leftOutBytes").is_none());
}

#[test]
fn a_command_waits_for_a_near_side_that_gives_no_credit_and_its_deadline_does_not() {
    let world = World::new();
    let mut host = world.host();
    host.acknowledges = false;
    let session = host.open(&kept());
    let start = Instant::now();
    let channel = host.begin(
        session,
        "yes 'a line of some length' ",
        &json!({ "timeoutMs": 2_000, "sink": {} }),
    );

    let mut sent = 0;
    loop {
        let frame = host.next_of(channel);
        match frame.kind {
            Kind::Text => sent += frame.data().1.len(),
            Kind::End => {
                let took = start.elapsed();
                let end = frame.json();
                assert_eq!(end["ok"]["timedOut"], true);
                // The window, and what passed while it was being ended: nothing waits for credit then.
                assert!(sent >= 262_144, "{sent}");
                let total = end["ok"]["output"]["totalBytes"].as_u64().unwrap();
                assert_eq!(sent as u64 + end["leftOutBytes"].as_u64().unwrap_or(0), total);
                assert!(total < 4 * 1024 * 1024, "the command did not wait: {total} bytes");
                // 2 s, and the stop ladder; waiting for credit took 2 s more.
                assert!(took < Duration::from_millis(3_600), "{took:?}");
                assert!(support::resident_kib(host.pid()) < 40 * 1024);
                break;
            }
            Kind::Started => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_cancel_overtakes_a_flood() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let channel = host.begin(session, "yes", &json!({ "window": 4_194_304 }));
    host.wait(Kind::Text, channel);

    host.send(Kind::Cancel, channel, b"");
    let ended = host.finish_with(channel, 4_194_304);

    assert_eq!(ended.end["ok"]["cancelled"], true);
    assert_eq!(host.run(session, "echo on", &json!({})).text, "on\n");
}

#[test]
fn text_that_was_left_out_is_a_gap_in_the_offsets_and_counted() {
    let world = World::new();
    let mut host = world.host();
    host.acknowledges = false;
    let session = host.open(&kept());
    let channel = host.begin(session, "yes abc", &json!({ "window": 4_096, "sink": {} }));
    let first = host.wait(Kind::Text, channel);
    assert_eq!(first.data().0, 0);

    host.send(Kind::Cancel, channel, b"");
    let ended = host.finish(channel);

    let mut at = first.data().1.len() as u64;
    let mut gaps = 0;
    for (offset, length) in ended.pieces {
        assert!(offset >= at);
        gaps += offset - at;
        at = offset + length;
    }
    assert_eq!(gaps, ended.end["leftOutBytes"].as_u64().unwrap_or(0));
    assert_eq!(at, ended.end["ok"]["output"]["totalBytes"].as_u64().unwrap());
}

#[test]
fn runs_of_a_session_keep_their_order_and_those_of_others_do_not_wait() {
    let world = World::new();
    let mut host = world.host();
    let (one, other) = (host.open(&kept()), host.open(&kept()));
    let slow = host.begin(one, "sleep 100", &json!({}));
    let waiting: Vec<_> = (0..20)
        .map(|number| host.begin(one, &format!("echo {number} >> order"), &json!({})))
        .collect();

    assert_eq!(host.run(other, "echo now", &json!({})).text, "now\n");
    let copy = host.run(one, "echo beside", &json!({ "clone": true }));
    assert_eq!(copy.text, "beside\n");

    host.send(Kind::Cancel, slow, b"");
    assert_eq!(host.finish(slow).end["ok"]["cancelled"], true);
    for channel in waiting {
        assert_eq!(host.finish(channel).exit_code(), 0);
    }
    let order = std::fs::read_to_string(world.work().join("order")).unwrap();
    let expected: Vec<_> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(order.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_cannot_run_is_an_error_with_a_code() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let sink = json!({ "spillName": "../x" });
    let cases = [
        (json!({ "cwd": "/nonexistent" }), "PI_MISSING_CWD"),
        (json!({ "command": "a\u{0}b" }), "PI_NUL_IN_COMMAND"),
        (json!({ "timeoutMs": -1 }), "PI_INVALID_OPTION"),
        (json!({ "sink": sink }), "PI_INVALID_OPTION"),
        (json!({ "env": "x" }), "PI_HOST_INVALID_REQUEST"),
    ];
    for (more, code) in cases {
        assert_eq!(host.run(session, "true", &more).end["error"]["code"], code, "{more}");
    }
    assert_eq!(host.run(99, "true", &json!({})).end["error"]["code"], "PI_HOST_UNKNOWN_SESSION");

    assert_eq!(host.ask(&json!({ "op": "close", "session": session })), json!({ "ok": {} }));
    let closed = host.run(session, "true", &json!({}));
    assert_eq!(closed.end["error"]["code"], "PI_HOST_UNKNOWN_SESSION");
}

#[test]
fn what_is_larger_than_a_frame_crosses_both_ways() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let text = "0123456789abcde\n".repeat(200_000);
    let command = format!("cat <<'END'\n{text}END");
    let sink = json!({ "maxBytes": 4_000_000 });

    let ended = host.run(session, &command, &json!({ "wantsChunks": false, "sink": sink }));

    assert_eq!(ended.exit_code(), 0);
    assert!(ended.end["ok"]["output"]["text"] == text.as_str());
}

#[test]
fn two_hundred_sessions_share_one_link() {
    let world = World::new();
    let mut host = world.host();
    let sessions: Vec<_> = (0..200).map(|_| host.open(&json!({}))).collect();
    let runs: Vec<_> = sessions
        .iter()
        .map(|session| host.begin(*session, &format!("echo {session}"), &json!({})))
        .collect();

    for (session, run) in sessions.iter().zip(runs) {
        assert_eq!(host.finish(run).text, format!("{session}\n"));
    }
    let listed = host.ask(&json!({ "op": "list" }));
    assert_eq!(listed["ok"]["sessions"].as_array().unwrap().len(), 200);
}

#[test]
fn jobs_and_late_output_are_known_over_there() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());

    let ended = host.run(session, "(sleep 0.3; echo late; sleep 100) & echo now", &json!({}));

    assert_eq!(ended.text, "now\n");
    assert!(!ended.end["ok"]["survivors"].as_array().unwrap().is_empty());
    support::until("the job has written", || {
        host.ask(&json!({ "op": "lateOutput", "session": session }))["ok"]["text"] == "late\n"
    });
    let count = host.ask(&json!({ "op": "backgroundCount", "session": session }));
    assert!(count["ok"]["count"].as_u64().unwrap() >= 1);
    assert_eq!(host.ask(&json!({ "op": "abort", "session": session })), json!({ "ok": {} }));
}

#[test]
fn sandboxed_and_read_only_commands_are_held_on_this_side() {
    let world = World::new();
    let mut host = world.host();
    let offered: Vec<String> =
        serde_json::from_value(host.hello["capabilities"]["sandbox"].clone()).unwrap();
    for backend in &offered {
        let sandbox = json!({ "mode": "workspace-write", "network": false, "backend": backend,
            "writablePaths": [world.work()], "allowDegraded": true });
        let mut options = kept();
        options["sandbox"] = sandbox;
        let session = host.open(&options);

        let ended =
            host.run(session, "echo a > inside && cat inside; echo b > /etc/outside", &json!({}));

        assert!(ended.end["ok"]["sandbox"]["backend"] == backend.as_str(), "{}", ended.end);
        assert!(ended.text.starts_with("a\n"), "{backend}: {} {}", ended.text, ended.end);
        assert_ne!(ended.exit_code(), 0);
    }
    if host.hello["capabilities"]["readOnly"]["available"] == true {
        let session = host.open(&kept());
        let ended = host.run(
            session,
            "cat /etc/hostname >/dev/null && echo x > made",
            &json!({ "readOnly": true }),
        );
        assert!(ended.end["ok"]["readOnly"].is_object(), "{}", ended.end);
        assert_ne!(ended.exit_code(), 0);
        assert!(!world.work().join("made").exists());
    }
}

#[test]
fn ports_are_those_of_a_session_and_whoever_has_a_port_is_found() {
    let world = World::new();
    let mut host = world.host();
    let (idle, session) = (host.open(&json!({})), host.open(&json!({})));
    let script = "import socket, time; s = socket.create_server((\"127.0.0.1\", 0)); \
                  print(s.getsockname()[1], flush=True); time.sleep(60)";
    let channel = host.begin(session, &format!("exec python3 -c '{script}'"), &json!({}));
    host.wait(Kind::Started, channel);
    let (_, text) = host.wait(Kind::Text, channel).text();
    let port: u16 = text.trim().parse().unwrap();

    let answer = host.ask(&json!({ "op": "ports", "session": session }));
    let ports = answer["ok"]["ports"].as_array().unwrap();
    assert_eq!(ports.len(), 1, "{answer}");
    let found = &ports[0];
    assert_eq!((&found["port"], &found["address"]), (&json!(port), &json!("127.0.0.1")));
    assert_eq!((&found["program"], &found["isInside"]), (&json!("python3"), &json!(false)));
    let age = answer["ok"]["clockMs"].as_u64().unwrap() - found["startedAtMs"].as_u64().unwrap();
    assert!(age < 60_000, "{answer}");

    assert_eq!(
        host.ask(&json!({ "op": "ports", "session": idle }))["ok"]["ports"],
        json!([]),
        "another session's"
    );
    let holder = host.ask(&json!({ "op": "ports", "port": port }));
    assert_eq!(holder["ok"]["ports"][0]["pid"], found["pid"]);
    host.send(Kind::Cancel, channel, b"");
    host.finish(channel);
    assert_eq!(host.ask(&json!({ "op": "ports", "port": port }))["ok"]["ports"], json!([]));
    let unknown = host.ask(&json!({ "op": "ports", "session": 99 }));
    assert_eq!(unknown["error"]["code"], "PI_HOST_UNKNOWN_SESSION");
}
