//! A near side for tests: starts the real program, speaks frames over real pipes, and gives each wait a bound.
#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::allow_attributes, reason = "`expect` would fail in the others")]

#[path = "../../../pi-shell/tests/support/driver.rs"]
pub mod driver;
mod processes;
pub mod wire;

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub use processes::{is_alive, mark, marked, resident_kib, signal, until};
pub use wire::{Frame, Kind};

/// A wait that a busy machine keeps.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The program.
pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_pi-host")
}

/// A folder for instances that nothing else uses, with a home in it.
pub struct World {
    pub folder: TempDir,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("pi-host-test-").tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(folder.path(), private).unwrap();
        Self { folder }
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    /// The program with these words.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(words)
            .env("PI_HOST_CACHE", self.folder.path())
            .env("HOME", self.folder.path().join("work"))
            .env_remove("XDG_CACHE_HOME")
            .current_dir(self.folder.path().join("work"));
        command
    }

    /// What the program prints.
    pub fn printed(&self, words: &[&str]) -> String {
        String::from_utf8(self.command(words).output().unwrap().stdout).unwrap()
    }

    /// Folders of instances.
    pub fn instances(&self) -> Vec<PathBuf> {
        let Ok(found) = std::fs::read_dir(self.folder.path().join("hosts")) else {
            return Vec::new();
        };
        found.map(|entry| entry.unwrap().path()).collect()
    }

    pub fn host(&self) -> Host {
        self.host_with(&["stdio"], &json!({}))
    }

    /// A program that has said and heard `Hello`.
    pub fn host_with(&self, words: &[&str], more: &Value) -> Host {
        let mut host = Host::start(self.command(words));
        host.greet(more);
        host
    }
}

/// The program, and a near side that speaks with it.
pub struct Host {
    pub child: Child,
    input: Option<File>,
    frames: Option<Receiver<Frame>>,
    /// Its first frame.
    pub hello: Value,
    /// Frames that came while another was waited for.
    held: Vec<Frame>,
    next_channel: u32,
    next_session: u32,
    /// Whether text is acknowledged as it comes.
    pub acknowledges: bool,
}

/// How a run ended.
#[derive(Debug, Default)]
pub struct Ended {
    pub text: String,
    /// Offset and length of each piece.
    pub pieces: Vec<(u64, u64)>,
    pub updates: Vec<Value>,
    pub end: Value,
    pub is_started: bool,
}

impl Ended {
    pub fn exit_code(&self) -> i64 {
        self.end["ok"]["exitCode"].as_i64().unwrap_or(-1)
    }
}

impl Host {
    pub fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let input = File::from(std::os::fd::OwnedFd::from(child.stdin.take().unwrap()));
        let mut output = child.stdout.take().unwrap();
        let (sender, frames) = mpsc::sync_channel(64);
        std::thread::spawn(move || {
            let mut decoder = wire::Reader::default();
            let mut buffer = vec![0; 256 * 1024];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                for frame in decoder.push(&buffer[..length]) {
                    if sender.send(frame).is_err() {
                        return;
                    }
                }
            }
        });
        Self {
            child,
            input: Some(input),
            frames: Some(frames),
            hello: Value::Null,
            held: Vec::new(),
            next_channel: 1,
            next_session: 1,
            acknowledges: true,
        }
    }

    pub fn greet(&mut self, more: &Value) {
        let mut hello = json!({ "protocol": { "min": 1, "max": 1 }, "leaseMs": 60_000 });
        hello.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.send(Kind::Hello, 0, hello.to_string().as_bytes());
        self.hello = self.wait(Kind::Hello, 0).json();
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.hello["pid"].as_u64().unwrap()).unwrap()
    }

    pub fn send(&mut self, kind: Kind, channel: u32, payload: &[u8]) {
        self.send_raw(&wire::frame(kind, channel, payload));
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// As `send_raw`, where the other side may have gone.
    pub fn try_send_raw(&mut self, bytes: &[u8]) -> bool {
        self.input.as_mut().is_some_and(|input| input.write_all(bytes).is_ok())
    }

    pub fn channel(&mut self) -> u32 {
        self.next_channel += 1;
        self.next_channel
    }

    /// The next frame; `None` at the end of the stream.
    pub fn next(&mut self, bound: Duration) -> Option<Frame> {
        match self.frames.as_ref().unwrap().recv_timeout(bound) {
            Ok(frame) => Some(frame),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no frame came within {bound:?}"),
        }
    }

    /// Waits for a frame of this kind on this channel.
    pub fn wait(&mut self, kind: Kind, channel: u32) -> Frame {
        let is_it = |frame: &Frame| frame.kind == kind && frame.channel == channel;
        if let Some(at) = self.held.iter().position(is_it) {
            return self.held.remove(at);
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "no {kind:?} on channel {channel}");
            let Some(frame) = self.next(PATIENCE) else {
                panic!(
                    "the stream ended before {kind:?} on channel {channel}; held: {:?}",
                    self.held
                )
            };
            if is_it(&frame) {
                return frame;
            }
            self.held.push(frame);
        }
    }

    /// Frames of a channel until one of these kinds.
    pub fn next_of(&mut self, channel: u32) -> Frame {
        if let Some(at) = self.held.iter().position(|frame| frame.channel == channel) {
            return self.held.remove(at);
        }
        loop {
            let frame = self.next(PATIENCE).expect("the stream ended");
            if frame.channel == channel {
                return frame;
            }
            self.held.push(frame);
        }
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        let channel = self.channel();
        self.send(Kind::Request, channel, request.to_string().as_bytes());
        self.wait(Kind::Answer, channel).json()
    }

    /// A session over a kept bash where there is a driver, else with one for each command.
    pub fn open(&mut self, options: &Value) -> u32 {
        self.next_session += 1;
        let session = self.next_session;
        let answer = self.ask(&json!({ "op": "open", "session": session, "options": options }));
        assert_eq!(answer, json!({ "ok": {} }));
        session
    }

    /// Begins a command. Returns its channel.
    pub fn begin(&mut self, session: u32, command: &str, more: &Value) -> u32 {
        let window = more.get("window").cloned();
        let mut request = json!({ "command": command, "wantsChunks": true, "wantsUpdates": false });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let channel = self.channel();
        let mut run =
            json!({ "id": format!("run-{channel}"), "session": session, "request": request });
        if let Some(window) = window {
            run["window"] = window;
        }
        self.send(Kind::Run, channel, run.to_string().as_bytes());
        channel
    }

    pub fn credit(&mut self, channel: u32, offset: u64, window: u32) {
        let mut payload = offset.to_le_bytes().to_vec();
        payload.extend(window.to_le_bytes());
        self.send(Kind::Credit, channel, &payload);
    }

    /// Reads a run to its end, acknowledging what comes.
    pub fn finish(&mut self, channel: u32) -> Ended {
        self.finish_with(channel, 256 * 1024)
    }

    pub fn finish_with(&mut self, channel: u32, window: u32) -> Ended {
        let mut ended = Ended::default();
        loop {
            let frame = self.next_of(channel);
            match frame.kind {
                Kind::Started => ended.is_started = true,
                Kind::Text => {
                    let (offset, text) = frame.text();
                    ended.pieces.push((offset, text.len() as u64));
                    ended.text.push_str(&text);
                    let after = offset + text.len() as u64;
                    if self.acknowledges {
                        self.credit(channel, after, window);
                    }
                }
                Kind::Update => ended.updates.push(frame.json()),
                Kind::End => {
                    ended.end = frame.json();
                    return ended;
                }
                other => panic!("a {other:?} frame on a run's channel"),
            }
        }
    }

    pub fn run(&mut self, session: u32, command: &str, more: &Value) -> Ended {
        let channel = self.begin(session, command, more);
        self.finish(channel)
    }

    /// Ends its input.
    pub fn hang_up(&mut self) {
        drop(self.input.take());
    }

    /// Reads nothing any more, as a near side that was stopped.
    pub fn stop_reading(&mut self) -> Receiver<Frame> {
        self.frames.take().unwrap()
    }

    /// Frames until the end of the stream.
    pub fn rest(&mut self) -> Vec<Frame> {
        let mut frames = std::mem::take(&mut self.held);
        while let Some(frame) = self.next(PATIENCE) {
            frames.push(frame);
        }
        frames
    }

    /// Waits for the program's end.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        until("the program ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.frames.take());
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Options of a session over a kept bash.
pub fn kept() -> Value {
    json!({ "driver": driver::object() })
}

/// Puts a file and returns its path over there.
pub fn put(host: &mut Host, bytes: &[u8], name: &str) -> String {
    let digest = sha256(bytes);
    let channel = host.channel();
    let request = json!({ "op": "put", "digest": digest, "size": bytes.len(), "name": name });
    host.send(Kind::Request, channel, request.to_string().as_bytes());
    let frame = host.next_of(channel);
    if frame.kind == Kind::Data {
        assert_eq!(frame.data(), (0, &[][..]));
        send_data(host, channel, 0, bytes);
        let answer = host.wait(Kind::Answer, channel).json();
        return answer["ok"]["path"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    }
    frame.json()["ok"]["path"].as_str().unwrap().to_owned()
}

pub fn send_data(host: &mut Host, channel: u32, from: u64, bytes: &[u8]) {
    let mut offset = from;
    for piece in bytes.chunks(200_000) {
        let mut payload = offset.to_le_bytes().to_vec();
        payload.extend(piece);
        host.send(Kind::Data, channel, &payload);
        offset += piece.len() as u64;
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    sha2::Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// What a stream of numbers is, in lines.
pub fn lines(count: u64) -> String {
    use std::fmt::Write as _;
    (1..=count).fold(String::new(), |mut text, number| {
        writeln!(text, "{number}").unwrap();
        text
    })
}
