//! Spills that are read by range, files that near puts, and what paths are.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a failed expectation is a failed test"
)]

mod support;

use serde_json::json;
use support::{Host, Kind, World, kept, lines, put, send_data, sha256};

/// A piece of a spill, and the answer.
fn read(host: &mut Host, name: &str, offset: u64, length: u64) -> (Vec<u8>, serde_json::Value) {
    let channel = host.channel();
    let request = json!({ "op": "read", "spillName": name, "offset": offset, "length": length });
    host.send(Kind::Request, channel, request.to_string().as_bytes());
    let mut bytes = Vec::new();
    loop {
        let frame = host.next_of(channel);
        if frame.kind == Kind::Answer {
            return (bytes, frame.json());
        }
        let (at, piece) = frame.data();
        assert_eq!(at, offset + bytes.len() as u64);
        assert!(piece.len() <= 256 * 1024);
        bytes.extend_from_slice(piece);
    }
}

#[test]
fn a_spill_is_read_by_range_and_removed() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let sink = json!({ "maxBytes": 1_000, "spillName": "run-1.log" });
    let ended = host.run(session, "seq 1 300000", &json!({ "wantsChunks": false, "sink": sink }));
    assert_eq!(ended.end["ok"]["output"]["spilled"], true);
    let whole = lines(300_000).into_bytes();
    let size = whole.len() as u64;

    let (bytes, answer) = read(&mut host, "run-1.log", 0, 1_048_576);
    assert!(bytes == whole[..1_048_576]);
    assert_eq!(answer, json!({ "ok": { "size": size, "bytes": 1_048_576 } }));
    let (bytes, answer) = read(&mut host, "run-1.log", size - 10, 1_000);
    assert_eq!(bytes, whole[whole.len() - 10..]);
    assert_eq!(answer, json!({ "ok": { "size": size, "bytes": 10 } }));
    assert_eq!(read(&mut host, "run-1.log", size, 5).1["ok"]["bytes"], 0);
    assert_eq!(read(&mut host, "run-1.log", u64::MAX, 5).0, b"");
    assert_eq!(
        read(&mut host, "run-1.log", 0, 1_048_577).1["error"]["code"],
        "PI_HOST_INVALID_REQUEST"
    );

    let remove = json!({ "op": "remove", "spillName": "run-1.log" });
    assert_eq!(host.ask(&remove), json!({ "ok": {} }));
    assert_eq!(host.ask(&remove), json!({ "ok": {} }));
    assert_eq!(read(&mut host, "run-1.log", 0, 5).1["error"]["code"], "PI_HOST_FILE");
}

#[test]
fn many_reads_at_once_stay_within_bounds() {
    let world = World::new();
    let mut host = world.host();
    let session = host.open(&kept());
    let sink = json!({ "maxBytes": 1_000, "spillName": "big" });
    host.run(
        session,
        "head -c 2000000 /dev/zero | tr '\\0' a",
        &json!({ "wantsChunks": false, "sink": sink }),
    );
    let request = json!({ "op": "read", "spillName": "big", "offset": 0, "length": 1_048_576 });
    let channels: Vec<_> = (0..64).map(|_| host.channel()).collect();
    for channel in &channels {
        host.send(Kind::Request, *channel, request.to_string().as_bytes());
    }

    for channel in channels {
        assert_eq!(host.wait(Kind::Answer, channel).json()["ok"]["bytes"], 1_048_576);
    }
    assert!(support::resident_kib(host.pid()) < 60 * 1024);
}

#[test]
fn names_and_links_lead_nowhere_else() {
    let world = World::new();
    let mut host = world.host();
    let spills = std::path::Path::new(host.hello["folder"].as_str().unwrap()).join("spills");
    std::os::unix::fs::symlink("/etc/passwd", spills.join("link")).unwrap();
    std::fs::create_dir(spills.join("folder")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(spills.join("pipe")).status().unwrap();
    assert!(made.success());

    for name in ["link", "folder", "pipe"] {
        let (bytes, answer) = read(&mut host, name, 0, 100);
        assert_eq!(bytes, b"");
        assert_eq!(answer["error"]["code"], "PI_HOST_FILE", "{name}");
    }
    let long = "a".repeat(129);
    for name in ["../identity.json", ".hidden", "", "a/b", "a\u{0}", "é", long.as_str()] {
        let (_, answer) = read(&mut host, name, 0, 100);
        assert_eq!(answer["error"]["code"], "PI_HOST_INVALID_REQUEST", "{name}");
        let put = json!({ "op": "put", "digest": sha256(b""), "size": 0, "name": name });
        assert_eq!(host.ask(&put)["error"]["code"], "PI_HOST_INVALID_REQUEST", "{name}");
    }
}

#[test]
fn a_file_is_put_once() {
    let world = World::new();
    let mut host = world.host();
    let bytes: Vec<u8> = (0..700_000_u32).map(|number| number.to_le_bytes()[0]).collect();

    let path = put(&mut host, &bytes, "snapshot.sh");
    let request = json!({ "op": "put", "digest": sha256(&bytes), "size": bytes.len(), "name": "snapshot.sh" });
    let again = host.ask(&request);

    assert_eq!(again["ok"]["path"], path.as_str());
    assert!(std::fs::read(&path).unwrap() == bytes);
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // One that was changed meanwhile is not taken for it.
    std::fs::write(&path, "changed").unwrap();
    assert_eq!(put(&mut host, &bytes, "snapshot.sh"), path);
    assert!(std::fs::read(&path).unwrap() == bytes);
    assert!(std::path::Path::new(&put(&mut host, b"", "empty")).exists());
}

#[test]
fn a_file_that_is_not_what_was_said_is_refused() {
    let world = World::new();
    let mut host = world.host();
    let begin = |host: &mut Host, digest: &str, size: u64| {
        let channel = host.channel();
        let request = json!({ "op": "put", "digest": digest, "size": size, "name": "a" });
        host.send(Kind::Request, channel, request.to_string().as_bytes());
        channel
    };

    let other = begin(&mut host, &sha256(b"what was said"), 10);
    host.wait(Kind::Data, other);
    send_data(&mut host, other, 0, b"0123456789");
    assert_eq!(host.wait(Kind::Answer, other).json()["error"]["code"], "PI_HOST_DIGEST");

    let longer = begin(&mut host, &sha256(b"abc"), 3);
    host.wait(Kind::Data, longer);
    send_data(&mut host, longer, 0, b"abcd");
    assert_eq!(host.wait(Kind::Answer, longer).json()["error"]["code"], "PI_HOST_INVALID_REQUEST");

    let gap = begin(&mut host, &sha256(b"abc"), 3);
    host.wait(Kind::Data, gap);
    send_data(&mut host, gap, 1, b"b");
    assert_eq!(host.wait(Kind::Answer, gap).json()["error"]["code"], "PI_HOST_INVALID_REQUEST");

    for (digest, size) in [("xyz".to_owned(), 3), (sha256(b"abc").to_uppercase(), 3)] {
        let channel = begin(&mut host, &digest, size);
        let answer = host.wait(Kind::Answer, channel).json();
        assert_eq!(answer["error"]["code"], "PI_HOST_INVALID_REQUEST");
    }
    let huge = begin(&mut host, &sha256(b"abc"), 16 * 1024 * 1024 + 1);
    assert_eq!(host.wait(Kind::Answer, huge).json()["error"]["code"], "PI_HOST_FILE");

    let files = std::path::Path::new(host.hello["folder"].as_str().unwrap()).join("files");
    support::until("nothing of them is left", || {
        std::fs::read_dir(&files).unwrap().next().is_none()
    });
}

#[test]
fn paths_are_what_they_are_over_there() {
    let world = World::new();
    let mut host = world.host();
    let work = world.work();
    std::fs::write(work.join("file"), "").unwrap();
    std::os::unix::fs::symlink(work.join("file"), work.join("link")).unwrap();
    std::os::unix::fs::symlink(work.join("loop"), work.join("loop")).unwrap();
    let mut stat = |path: &str| host.ask(&json!({ "op": "stat", "path": path }))["ok"].clone();

    let file = json!({ "kind": "file", "realPath": work.join("file") });
    assert_eq!(stat("file"), file);
    assert_eq!(stat("link"), file);
    assert_eq!(stat("/")["kind"], "directory");
    assert_eq!(stat("/dev/null")["kind"], "other");
    for missing in ["missing", "/dev/null/below", "loop", "file/below", "", "a\u{0}b"] {
        assert_eq!(stat(missing), json!({ "kind": "missing" }), "{missing}");
    }
}
