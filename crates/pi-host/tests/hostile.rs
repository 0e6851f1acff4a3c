//! What is not the protocol: refused with a reason, within bounds, and nothing is left.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use serde_json::json;
use support::wire::raw;
use support::{Host, Kind, World, kept};

/// The reason of the last frame, after these bytes in the place of the first frame or behind it.
fn refused(is_greeted: bool, bytes: &[u8]) -> String {
    let world = World::new();
    let mut host = if is_greeted { world.host() } else { Host::start(world.command(&["stdio"])) };
    host.try_send_raw(bytes);
    let frames = host.rest();
    let bye = frames.last().unwrap();
    assert_eq!(bye.kind, Kind::Bye);
    let said = bye.json();
    assert_eq!(said["reason"], "protocol", "{said}");
    assert_eq!(host.ended().code(), Some(2));
    assert!(world.instances().is_empty());
    said["detail"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_not_a_first_frame_ends_it() {
    assert!(refused(false, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").contains("a frame of"));
    assert!(refused(false, &raw(7, 0, 0, &[0; 8])).contains("Ping"));
    assert!(refused(false, &raw(1, 0, 0, b"{}")).contains("cannot be read"));
    assert!(
        refused(false, &raw(1, 0, 0, br#"{"protocol":{"min":2,"max":9}}"#))
            .contains("protocol 1 to 1")
    );
    assert!(
        refused(false, &raw(1, 0, 0, br#"{"protocol":{"min":9,"max":0}}"#)).contains("protocol")
    );
}

#[test]
fn what_is_not_a_frame_ends_it() {
    assert!(refused(true, &[0xff; 16]).contains("4294967295"));
    assert!(refused(true, &1_048_577_u32.to_le_bytes()).contains("1048577"));
    assert!(refused(true, &[0, 0, 0, 0]).contains("a frame of 0 bytes"));
    assert!(refused(true, &raw(99, 1, 1, b"")).contains("kind 99"));
    assert!(refused(true, &raw(7, 4, 0, &[0; 8])).contains("flags"));
    let mut without_newline = raw(7, 0, 0, &[0; 8]);
    without_newline.pop();
    without_newline.push(b'x');
    assert!(refused(true, &without_newline).contains("newline"));
}

#[test]
fn frames_out_of_place_end_it() {
    assert!(refused(true, &raw(1, 0, 0, br#"{"protocol":{"min":1,"max":1}}"#)).contains("second"));
    assert!(refused(true, &raw(10, 0, 0, b"{}")).contains("Attach"));
    assert!(refused(true, &raw(16, 0, 3, b"{}")).contains("End"));
    assert!(refused(true, &raw(2, 0, 0, br#"{"op":"list"}"#)).contains("channel 0"));
    assert!(refused(true, &raw(7, 0, 5, &[0; 8])).contains("channel 5"));
    assert!(refused(true, &raw(4, 0, 5, &[0; 3])).contains("Credit"));
    let twice = [raw(3, 0, 4, br#"{"id":"a"}"#), raw(3, 0, 4, br#"{"id":"b"}"#)].concat();
    // The first has ended by its own error, so its channel is free again.
    let world = World::new();
    let mut host = world.host();
    host.send_raw(&twice);
    assert_eq!(host.wait(Kind::End, 4).json()["error"]["code"], "PI_HOST_INVALID_REQUEST");
    assert_eq!(host.wait(Kind::End, 4).json()["error"]["code"], "PI_HOST_INVALID_REQUEST");
}

#[test]
fn a_channel_that_is_in_use_is_not_used_twice() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let channel = host.begin(session, "sleep 100", &json!({}));

    host.send(Kind::Request, channel, br#"{"op":"list"}"#);
    let frames = host.rest();

    assert!(frames.last().unwrap().json()["detail"].as_str().unwrap().contains("in use"));
    assert_eq!(host.ended().code(), Some(2));
}

#[test]
fn unknown_kinds_and_members_are_passed_over() {
    let world = World::new();
    let mut host = world.host();
    host.send_raw(&raw(99, 0, 7, b"anything"));
    host.send_raw(&raw(0, 0, 7, b""));

    let answer = host.ask(&json!({ "op": "list", "later": { "a": [1, 2] } }));

    assert_eq!(answer, json!({ "ok": { "sessions": [], "runs": [] } }));
}

#[test]
fn requests_that_cannot_be_read_are_answered_and_nothing_else_is_harmed() {
    let world = World::new();
    let mut host = world.host();
    let deep = format!("{}{}", "[".repeat(300_000), "]".repeat(300_000));
    let cases = [
        String::new(),
        "nonsense".to_owned(),
        "{}".to_owned(),
        r#"{"op":"unknown"}"#.to_owned(),
        r#"{"op":"open","session":"x"}"#.to_owned(),
        format!(r#"{{"op":"open","session":1,"options":{deep}}}"#),
        deep,
        "\u{0}".repeat(1_000),
    ];
    for text in cases {
        let channel = host.channel();
        host.send(Kind::Request, channel, text.as_bytes());
        let answer = host.wait(Kind::Answer, channel).json();
        assert_eq!(answer["error"]["code"], "PI_HOST_INVALID_REQUEST", "{answer}");
    }
    let channel = host.channel();
    host.send(Kind::Request, channel, &[0xff, 0xfe]);
    assert_eq!(host.wait(Kind::Answer, channel).json()["error"]["code"], "PI_HOST_INVALID_REQUEST");

    let session = host.open(&kept());
    assert_eq!(host.run(session, "echo on", &json!({})).text, "on\n");
}

#[test]
fn credit_that_lies_changes_no_bound() {
    let world = World::new();
    let mut host = world.host();
    host.acknowledges = false;
    let session = host.open(&kept());
    let channel = host.begin(session, "yes", &json!({ "window": 4_096 }));
    for (offset, window) in [(u64::MAX, u32::MAX), (1 << 60, 0), (0, u32::MAX), (u64::MAX, 1)] {
        host.credit(channel, offset, window);
        host.credit(channel + 1_000, offset, window);
    }
    host.send(Kind::Cancel, channel, b"");
    host.send(Kind::Cancel, channel + 1_000, b"");

    assert_eq!(host.finish(channel).end["ok"]["cancelled"], true);
    assert!(support::resident_kib(host.pid()) < 60 * 1024);
}

#[test]
fn a_stream_that_ends_within_a_frame_ends_it() {
    let world = World::new();
    let mut host = world.host();
    let ping = raw(7, 0, 0, &[0; 8]);
    host.send_raw(&ping[..9]);
    host.hang_up();

    assert_eq!(host.rest().last().unwrap().json()["reason"], "closed");
    assert_eq!(host.ended().code(), Some(0));
}
