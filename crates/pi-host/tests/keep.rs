//! An engine that is kept: its link is cut, near comes back, and every byte arrives once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Frame, Host, Kind, World, is_alive, kept, lines, mark, marked, signal, until};

/// What near has to know to come back.
struct Ticket {
    instance: String,
    token: String,
}

impl Ticket {
    fn of(host: &Host) -> Self {
        let text = |name: &str| host.hello[name].as_str().unwrap().to_owned();
        Self { instance: text("instance"), token: text("token") }
    }
}

fn keeping(world: &World, ms: u64) -> Host {
    world.host_with(&["stdio", "--keep-ms", &ms.to_string()], &json!({}))
}

/// A link that has said `Hello` and `Attach`.
fn come_back(world: &World, ticket: &Ticket, token: &str, runs: &Value) -> Host {
    let mut host = Host::start(world.command(&["attach", &ticket.instance]));
    let hello = json!({ "protocol": { "min": 1, "max": 1 } });
    host.try_send_raw(&support::wire::frame(Kind::Hello, 0, hello.to_string().as_bytes()));
    let attach = json!({ "instance": ticket.instance, "token": token, "runs": runs });
    host.try_send_raw(&support::wire::frame(Kind::Attach, 0, attach.to_string().as_bytes()));
    host
}

fn attached(host: &mut Host) -> Value {
    host.hello = host.wait(Kind::Hello, 0).json();
    assert!(host.hello.get("token").is_none());
    host.wait(Kind::Attached, 0).json()["runs"].clone()
}

fn cut(host: &mut Host) {
    host.child.kill().unwrap();
    host.child.wait().unwrap();
}

/// Ends the engine of a test, whatever became of its links.
fn end(world: &World, ticket: &Ticket) {
    let status = world.command(&["end", &ticket.instance]).status().unwrap();
    assert!(status.success());
    assert!(world.instances().is_empty());
}

#[test]
fn a_cut_link_loses_no_byte_and_gives_none_twice() {
    let world = World::new();
    let mut host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let engine = host.pid();
    assert_ne!(engine, i32::try_from(host.child.id()).unwrap());
    let session = host.open(&kept());
    let channel = host.begin(
        session,
        "x=5; for i in {1..300}; do echo \"$i é€😀\"; sleep 0.01; done",
        &json!({ "sink": {} }),
    );
    let mut text = String::new();
    let mut cuts = 0;
    let end_frame = 'links: loop {
        let mut frames_until_cut = 3 + cuts * 7;
        loop {
            let frame = host.next_of(channel);
            match frame.kind {
                Kind::Text => {
                    let (offset, piece) = frame.text();
                    assert_eq!(offset, text.len() as u64, "a byte came twice, or not at all");
                    text.push_str(&piece);
                    // Acknowledged now and then only.
                    if frames_until_cut % 3 == 0 {
                        host.credit(channel, text.len() as u64, 262_144);
                    }
                }
                Kind::End => break 'links frame,
                Kind::Started => {}
                other => panic!("{other:?}"),
            }
            frames_until_cut -= 1;
            if frames_until_cut == 0 && cuts < 6 {
                break;
            }
        }
        cuts += 1;
        cut(&mut host);
        let runs =
            json!([{ "channel": channel, "id": format!("run-{channel}"), "offset": text.len() }]);
        host = come_back(&world, &ticket, &ticket.token, &runs);
        assert_eq!(attached(&mut host)[0]["state"], "running");
        assert_eq!(host.pid(), engine);
    };
    let expected = (1..=300).fold(String::new(), |mut all, number| {
        writeln!(all, "{number} é€😀").unwrap();
        all
    });
    assert_eq!(cuts, 6);
    assert!(text == expected);
    assert!(end_frame.json().get("leftOutBytes").is_none());
    host.credit(channel, text.len() as u64, 0);

    assert_eq!(host.run(session, "echo $x", &json!({})).text, "5\n");
    end(&world, &ticket);
}

#[test]
fn an_end_is_kept_until_it_is_acknowledged() {
    let world = World::new();
    let mut host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let session = host.open(&kept());
    let channel = host.begin(session, "seq 1 1000; sleep 0.5", &json!({}));
    host.wait(Kind::Started, channel);
    cut(&mut host);
    std::thread::sleep(Duration::from_millis(50));
    let runs = |offset: usize| {
        json!([
            { "channel": channel, "id": format!("run-{channel}"), "offset": offset },
            { "channel": channel + 1, "id": "never-begun", "offset": 0 },
        ])
    };

    let mut seen = Vec::new();
    for _ in 0..3 {
        let mut host = come_back(&world, &ticket, &ticket.token, &runs(0));
        let states = attached(&mut host);
        assert_eq!(
            states[1],
            json!({ "channel": channel + 1, "id": "never-begun", "state": "unknown" })
        );
        host.acknowledges = false;
        let ended = host.finish(channel);
        let code = ended.exit_code();
        seen.push((ended.text, code));
        cut(&mut host);
    }
    assert!(seen.iter().all(|one| *one == (lines(1_000), 0)), "{seen:?}");

    let mut host = come_back(&world, &ticket, &ticket.token, &runs(0));
    attached(&mut host);
    let length = host.finish(channel).text.len();
    host.credit(channel, length as u64, 0);
    host.ask(&json!({ "op": "list" }));
    cut(&mut host);
    let mut host = come_back(&world, &ticket, &ticket.token, &runs(length));
    assert_eq!(attached(&mut host)[0]["state"], "unknown");
    end(&world, &ticket);
}

#[test]
fn a_command_goes_on_while_there_is_no_link() {
    let world = World::new();
    let mut host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let session = host.open(&kept());
    let sink = json!({ "maxBytes": 1_000, "spillName": "whole" });
    let channel = host.begin(
        session,
        "echo begun; sleep 0.3; seq 1 400000; touch done",
        &json!({ "sink": sink }),
    );
    host.wait(Kind::Text, channel);
    cut(&mut host);

    until("it has ended", || world.work().join("done").exists());
    let runs = json!([{ "channel": channel, "id": format!("run-{channel}"), "offset": 6 }]);
    let mut host = come_back(&world, &ticket, &ticket.token, &runs);
    attached(&mut host);
    let ended = host.finish(channel);

    let whole = 6 + lines(400_000).len() as u64;
    let left_out = ended.end["leftOutBytes"].as_u64().unwrap();
    assert_eq!(6 + ended.text.len() as u64 + left_out, whole);
    assert!(lines(400_000).ends_with(&ended.text), "the newest is kept");
    assert!(ended.text.len() >= 200_000);
    assert_eq!(ended.end["ok"]["output"]["totalBytes"], whole);
    assert_eq!(ended.end["ok"]["output"]["spilled"], true);
    end(&world, &ticket);
}

#[test]
fn a_wrong_token_is_refused_and_tells_nothing() {
    let world = World::new();
    let mut host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let session = host.open(&kept());
    for token in [
        "",
        "0",
        ticket.token.trim_end_matches(char::is_alphanumeric),
        &"0".repeat(32),
        &ticket.token.to_uppercase(),
    ] {
        if token == ticket.token {
            continue;
        }
        let mut stranger = come_back(&world, &ticket, token, &json!([]));
        let frames = stranger.rest();
        assert_eq!(frames.len(), 1, "{frames:?}");
        assert_eq!(frames[0].json()["reason"], "protocol");
    }
    // Requests without it are not served either.
    let mut stranger = Host::start(world.command(&["attach", &ticket.instance]));
    stranger.send(Kind::Hello, 0, br#"{"protocol":{"min":1,"max":1}}"#);
    stranger.send(Kind::Request, 5, br#"{"op":"list"}"#);
    assert_eq!(stranger.rest()[0].json()["reason"], "protocol");

    assert_eq!(host.run(session, "echo on", &json!({})).text, "on\n");
    end(&world, &ticket);
}

#[test]
fn a_newer_link_displaces_the_older_one() {
    let world = World::new();
    let mut older = keeping(&world, 60_000);
    let ticket = Ticket::of(&older);
    let session = older.open(&kept());
    let channel = older.begin(session, "echo begun; sleep 0.5; echo on", &json!({}));
    older.wait(Kind::Text, channel);

    let runs = json!([{ "channel": channel, "id": format!("run-{channel}"), "offset": 6 }]);
    let mut newer = come_back(&world, &ticket, &ticket.token, &runs);
    assert_eq!(attached(&mut newer)[0]["state"], "running");
    let frames: Vec<Frame> = older.rest();

    assert_eq!(frames.last().unwrap().json()["reason"], "displaced");
    assert_eq!(newer.finish(channel).text, "on\n");
    end(&world, &ticket);
}

#[test]
fn everything_ends_when_the_time_without_a_link_is_over() {
    let world = World::new();
    let mut host = keeping(&world, 1_500);
    let ticket = Ticket::of(&host);
    let engine = host.pid();
    let (mark, options) = mark(&kept());
    let session = host.open(&options);
    host.begin(session, "sleep 1000 & setsid sleep 1001 & sleep 1002", &json!({}));
    until("it runs", || marked(&mark).len() >= 3);
    let start = Instant::now();
    host.hang_up();
    host.rest();

    until("the engine ends", || !is_alive(engine));

    assert!(start.elapsed() >= Duration::from_millis(1_500));
    until("nothing is left", || marked(&mark).is_empty() && world.instances().is_empty());
    let mut late = come_back(&world, &ticket, &ticket.token, &json!([]));
    assert_eq!(late.rest()[0].json()["reason"], "gone");
    assert_eq!(late.ended().code(), Some(4));
}

#[test]
fn what_an_older_link_had_under_way_is_never_begun() {
    let world = World::new();
    let mut older = keeping(&world, 60_000);
    let ticket = Ticket::of(&older);
    let session = older.open(&kept());
    for round in 0..20_u32 {
        let channel = 1_000 + round;
        let run = json!({
            "id": format!("run-{channel}"),
            "session": session,
            "request": { "command": format!("echo {round} >> ran"), "wantsChunks": false, "wantsUpdates": false },
        });
        // Near writes the run, and comes back before it knows whether that arrived.
        older.send(Kind::Run, channel, run.to_string().as_bytes());
        let runs = json!([{ "channel": channel, "id": format!("run-{channel}"), "offset": 0 }]);
        let mut newer = come_back(&world, &ticket, &ticket.token, &runs);
        if attached(&mut newer)[0]["state"] == "unknown" {
            newer.send(Kind::Run, channel, run.to_string().as_bytes());
        }
        newer.finish(channel);
        older = newer;
    }

    let expected = (0..20).fold(String::new(), |mut all, round| {
        writeln!(all, "{round}").unwrap();
        all
    });
    assert_eq!(std::fs::read_to_string(world.work().join("ran")).unwrap(), expected);
    end(&world, &ticket);
}

#[test]
fn an_engine_whose_token_never_arrived_is_not_kept() {
    let world = World::new();
    let mut host = Host::start(world.command(&["stdio", "--keep-ms", "600000"]));
    until("its folder is there", || !world.instances().is_empty());
    cut(&mut host);
    until("it is gone", || world.instances().is_empty());

    let mut host = keeping(&world, 600_000);
    let engine = host.pid();
    cut(&mut host);
    until("the engine ends", || !is_alive(engine));
}

#[test]
fn a_hand_over_that_is_asked_for_again_gives_the_same_answer() {
    let world = World::new();
    let mut host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let session = host.open(&kept());
    let channel = host.begin(session, "sleep 1000", &json!({}));
    host.wait(Kind::Started, channel);
    let hand_over = json!({ "op": "handOver", "session": session, "id": "once" });

    assert_eq!(host.ask(&hand_over)["ok"]["done"], true);
    // The next command must not be handed over in the place of the first.
    let next = host.begin(session, "sleep 0.3; echo kept", &json!({}));
    host.wait(Kind::Started, next);
    assert_eq!(host.ask(&hand_over)["ok"]["done"], true);
    assert_eq!(host.finish(next).text, "kept\n");
    let again = json!({ "op": "handOver", "session": session, "id": "twice" });
    assert_eq!(host.ask(&again)["ok"]["done"], false);
    end(&world, &ticket);
}

#[test]
fn a_goodbye_ends_a_kept_engine_at_once() {
    let world = World::new();
    let mut host = keeping(&world, 600_000);
    let engine = host.pid();
    host.open(&kept());

    host.send(Kind::Bye, 0, br#"{"reason":"closed"}"#);

    assert_eq!(host.rest().last().unwrap().json()["reason"], "closed");
    until("the engine ends", || !is_alive(engine));
    until("its folder is gone", || world.instances().is_empty());
}

#[test]
fn a_kept_engine_is_listed_and_ended_by_its_user() {
    let world = World::new();
    let mut host = keeping(&world, 600_000);
    let (mark, options) = mark(&kept());
    let session = host.open(&options);
    host.run(session, "sleep 1000 & setsid sleep 1001 &", &json!({}));
    until("both run", || marked(&mark).len() >= 2);
    let ticket = Ticket::of(&host);
    let listed = || -> Value { serde_json::from_str(world.printed(&["list"]).trim()).unwrap() };

    let known = listed();
    assert_eq!(known["sessions"], 1);
    assert_eq!(known["attached"], true);
    assert_eq!(known["keepMs"], 600_000);
    assert!(!known.to_string().contains(&ticket.token));
    cut(&mut host);
    until("its link is gone", || listed()["attached"] == false);

    end(&world, &ticket);
    assert_eq!(world.printed(&["list"]), "");
    assert!(marked(&mark).is_empty());
    assert!(!world.command(&["end", &ticket.instance]).status().unwrap().success());
}

#[test]
fn the_socket_is_this_user_s_and_the_token_stands_nowhere_but_in_memory() {
    let world = World::new();
    let host = keeping(&world, 60_000);
    let ticket = Ticket::of(&host);
    let engine = host.pid();
    let folder = &world.instances()[0];
    let mode = |path: &std::path::Path| {
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions())
            & 0o777
    };

    assert_eq!(mode(folder), 0o700);
    assert_eq!(mode(&folder.join("socket")), 0o600);
    for name in ["cmdline", "environ"] {
        // Readable by root only, in a process that is not dumpable.
        let bytes = std::fs::read(format!("/proc/{engine}/{name}")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&ticket.token), "{name}");
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&ticket.token));
    }
    // It has a session of its own, and nothing of its starter's but what it was given.
    let stat = std::fs::read_to_string(format!("/proc/{engine}/stat")).unwrap();
    let session: i32 =
        stat.rsplit(')').next().unwrap().split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(session, engine);
    signal(engine, "TERM");
    until("the engine ends", || !is_alive(engine));
}
