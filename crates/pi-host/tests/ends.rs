//! How everything ends: the end of the input, a lease, signals, a client or the program itself killed; and what is left.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Host, Kind, World, is_alive, kept, mark, marked, signal, until};

/// A session with a command, a job and a process of a session of its own. Returns the run's channel and the mark of all.
fn busy(host: &mut Host) -> (u32, String) {
    let (mark, options) = mark(&kept());
    let session = host.open(&options);
    host.run(session, "sleep 1000 & setsid sleep 1001 & disown -a", &json!({}));
    let channel = host.begin(session, "echo begun; sleep 1002", &json!({ "sink": {} }));
    host.wait(Kind::Text, channel);
    until("all of it runs", || marked(&mark).len() >= 3);
    (channel, mark)
}

fn nothing_is_left(world: &World, mark: &str) {
    until("nothing is left", || marked(mark).is_empty());
    until("the folder is gone", || world.instances().is_empty());
}

fn last(frames: &[support::Frame]) -> Value {
    let frame = frames.last().unwrap();
    assert_eq!(frame.kind, Kind::Bye);
    frame.json()
}

fn end_of(frames: &[support::Frame], channel: u32) -> Value {
    let end = frames.iter().find(|frame| frame.kind == Kind::End && frame.channel == channel);
    end.unwrap().json()
}

#[test]
fn the_end_of_the_input_ends_everything() {
    let world = World::new();
    let mut host = world.host();
    let (channel, mark) = busy(&mut host);

    host.hang_up();
    let frames = host.rest();

    assert_eq!(end_of(&frames, channel)["ok"]["cancelled"], true);
    assert_eq!(end_of(&frames, channel)["ok"]["output"]["text"], "begun\n");
    assert_eq!(last(&frames)["reason"], "closed");
    assert_eq!(host.ended().code(), Some(0));
    nothing_is_left(&world, &mark);
}

#[test]
fn a_goodbye_ends_everything() {
    let world = World::new();
    let mut host = world.host();
    let (channel, mark) = busy(&mut host);

    host.send(Kind::Bye, 0, br#"{"reason":"closed"}"#);
    let frames = host.rest();

    assert_eq!(end_of(&frames, channel)["ok"]["cancelled"], true);
    assert_eq!(host.ended().code(), Some(0));
    nothing_is_left(&world, &mark);
}

#[test]
fn signals_end_runs_with_a_reason() {
    for (name, status) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let world = World::new();
        let mut host = world.host();
        let (channel, mark) = busy(&mut host);

        signal(host.pid(), name);
        let frames = host.rest();

        let end = end_of(&frames, channel);
        assert_eq!(end["ok"]["cancelled"], true);
        assert_eq!(end["endedBy"], "terminated");
        assert_eq!(last(&frames)["reason"], "terminated");
        assert_eq!(host.ended().code(), Some(status));
        nothing_is_left(&world, &mark);
    }
}

#[test]
fn a_lease_that_runs_out_is_the_end_of_the_input() {
    let world = World::new();
    let mut host = world.host_with(&["stdio"], &json!({ "leaseMs": 4_000 }));
    let (channel, mark) = busy(&mut host);

    let frames = host.rest();

    assert_eq!(end_of(&frames, channel)["endedBy"], "lease");
    assert_eq!(last(&frames)["reason"], "lease");
    assert_eq!(host.ended().code(), Some(3));
    nothing_is_left(&world, &mark);
}

#[test]
fn a_lease_lasts_as_long_as_something_is_heard() {
    let world = World::new();
    let mut host = world.host_with(&["stdio"], &json!({ "leaseMs": 1_500 }));
    let start = Instant::now();
    let mut number = 0_u64;
    while start.elapsed() < Duration::from_secs(4) {
        number += 1;
        host.send(Kind::Ping, 0, &number.to_le_bytes());
        assert_eq!(host.wait(Kind::Pong, 0).payload, number.to_le_bytes());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_client_that_stops_reading_is_bounded_and_ended_by_its_lease() {
    let world = World::new();
    let mut host = world.host_with(&["stdio"], &json!({ "leaseMs": 12_000 }));
    host.acknowledges = false;
    let (mark, options) = mark(&kept());
    let sessions: Vec<_> = (0..8).map(|_| host.open(&options)).collect();
    for session in sessions {
        host.begin(session, "yes 'some text that floods'", &json!({ "window": 4_194_304 }));
    }
    let _unread = host.stop_reading();

    let mut most = 0;
    until("it ends", || {
        most = most.max(support::resident_kib(host.pid()));
        host.child.try_wait().unwrap().is_some()
    });

    // Eight windows of 4 MiB, what is kept of each in the end, and the program.
    assert!(most < 120 * 1024, "{most} KiB");
    nothing_is_left(&world, &mark);
}

#[test]
fn a_client_that_only_asks_and_never_reads_is_bounded_too() {
    let world = World::new();
    let mut host = world.host_with(&["stdio"], &json!({ "leaseMs": 2_000 }));
    let _unread = host.stop_reading();
    let ping = support::wire::frame(Kind::Ping, 0, &[0; 8]).repeat(2_000);
    let pid = host.pid();
    let mut most = 0;
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| while host.try_send_raw(&ping) {});
        until("it ends", || {
            most = most.max(support::resident_kib(pid));
            !is_alive(pid)
        });
        asking.join().unwrap();
    });

    assert!(most < 60 * 1024, "{most} KiB");
}

#[test]
fn a_killed_client_leaves_nothing() {
    let world = World::new();
    let (mark, options) = mark(&kept());
    // A client of its own, whose pipes end with it: it starts a command and waits for ever.
    let script = r#"
import json, os, struct, subprocess, sys, time
host = subprocess.Popen([sys.argv[1], "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(kind, channel, value):
    payload = json.dumps(value).encode()
    host.stdin.write(struct.pack("<IBBI", len(payload) + 7, kind, 0, channel) + payload + b"\n")
    host.stdin.flush()
send(1, 0, {"protocol": {"min": 1, "max": 1}})
send(2, 1, {"op": "open", "session": 1, "options": json.loads(sys.argv[2])})
send(3, 2, {"id": "a", "session": 1, "request": {"command": "sleep 1000 & setsid sleep 1001 & sleep 1002"}})
time.sleep(1000)
"#;
    let mut command = std::process::Command::new("python3");
    command.args(["-c", script, support::program(), &options.to_string()]);
    command.env("PI_HOST_CACHE", world.folder.path()).env("HOME", world.work());
    let mut client = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    until("the command runs", || marked(&mark).len() >= 3);

    client.kill().unwrap();
    client.wait().unwrap();

    nothing_is_left(&world, &mark);
}

#[test]
fn a_killed_program_leaves_no_process_and_the_next_one_removes_its_folder() {
    let world = World::new();
    let mut host = world.host();
    let (_channel, mark) = busy(&mut host);

    signal(host.pid(), "KILL");
    host.ended();

    until("nothing is left", || marked(&mark).is_empty());
    assert_eq!(world.instances().len(), 1);
    assert_eq!(world.printed(&["gc"]).lines().count(), 1);
    assert!(world.instances().is_empty());
}

#[test]
fn a_folder_in_use_is_not_removed() {
    let world = World::new();
    let host = world.host();

    assert_eq!(world.printed(&["gc"]), "");
    assert_eq!(world.instances().len(), 1);
    let listed: Value = serde_json::from_str(world.printed(&["list"]).trim()).unwrap();
    assert_eq!(listed["instance"], host.hello["instance"]);
    assert_eq!(listed["pid"], host.hello["pid"]);
}

#[test]
fn a_command_that_ignores_everything_holds_no_end_up() {
    let world = World::new();
    let mut host = world.host();
    let (mark, options) = mark(&kept());
    let session = host.open(&options);
    let channel = host.begin(
        session,
        "trap '' TERM INT HUP; echo begun; while :; do sleep 1; done",
        &json!({}),
    );
    host.wait(Kind::Text, channel);
    let start = Instant::now();

    host.hang_up();
    host.ended();

    assert!(start.elapsed() < Duration::from_secs(20));
    nothing_is_left(&world, &mark);
}
