//! Plays the host: starts a supervisor, sends requests, awaits events, looks after what is alive.

use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pi_supervisor::process::{ProcessIdentity, ProcessState, entry_of, is_alive};
use pi_supervisor::wire::{
    Confine, ConfineStep, Event, Exit, FrameReader, Request, Spawn, SpawnStep, Usage, VERSION,
};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Far more than anything takes on a busy machine; reached only by a defect.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Host {
    pub(crate) socket: UnixStream,
    pub(crate) supervisor: Child,
    reader: FrameReader,
    next_id: u32,
    /// Ends reported while something else was awaited.
    exits: Vec<Event>,
    /// Descriptors that came with events.
    received: Vec<OwnedFd>,
    /// Value of `PI_TEST_TAG` in everything started here.
    tag: String,
}

/// A program that runs.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) id: u32,
    pub(crate) identity: ProcessIdentity,
}

impl Host {
    pub(crate) fn start() -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_pi-supervisor")))
    }

    /// Starts the supervisor through a shell line, which finds its path in `$0`.
    pub(crate) fn start_through(line: &str) -> Self {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line, env!("CARGO_BIN_EXE_pi-supervisor")]);
        Self::start_by(command)
    }

    pub(crate) fn start_by(command: Command) -> Self {
        Self::start_at(UnixStream::pair().unwrap(), command)
    }

    /// Starts it with the second end of a pair of sockets.
    pub(crate) fn start_at(
        (socket, theirs): (UnixStream, UnixStream),
        mut command: Command,
    ) -> Self {
        static TAGS: AtomicU32 = AtomicU32::new(0);
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        let supervisor = command
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The command holds a copy of their end, which would hide the supervisor's death.
        drop(command);
        let number = TAGS.fetch_add(1, Ordering::Relaxed);
        let tag = format!("{}-{number}", std::process::id());
        let mut host = Self {
            socket,
            supervisor,
            reader: FrameReader::default(),
            next_id: 1,
            exits: Vec::new(),
            received: Vec::new(),
            tag,
        };
        assert_eq!(host.event(), Some(Event::Ready { version: VERSION }));
        host
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.supervisor.id()).unwrap()
    }

    /// A request for `argv` with a PATH, the tag, and `/` as its directory.
    pub(crate) fn request(&mut self, argv: &[&str]) -> Spawn {
        self.next_id += 1;
        Spawn {
            id: self.next_id,
            argv: argv.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
            env: vec![b"PATH=/usr/bin:/bin".to_vec(), self.environment_tag().into_bytes()],
            cwd: b"/".to_vec(),
            descriptors: 0,
            controlling_terminal: false,
            umask: None,
            limits: Vec::new(),
        }
    }

    fn environment_tag(&self) -> String {
        format!("PI_TEST_TAG={}", self.tag)
    }

    pub(crate) fn send(&mut self, request: &Request, descriptors: &[OwnedFd]) {
        let bytes = request.encode().unwrap();
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(64))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
        }
        let flags = SendFlags::NOSIGNAL;
        let sent = sendmsg(&self.socket, &[IoSlice::new(&bytes)], &mut ancillary, flags).unwrap();
        self.socket.write_all(&bytes[sent..]).unwrap();
    }

    /// The next event; `None` at the supervisor's end.
    pub(crate) fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(body) = self.reader.next_frame().unwrap() {
                return Some(Event::decode(body).unwrap());
            }
            let mut buffer = [0; 4096];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let into = &mut [IoSliceMut::new(&mut buffer)];
            match recvmsg(&self.socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Ok(message) if message.bytes == 0 => return None,
                Ok(message) => self.reader.push(&buffer[..message.bytes]),
                // A read with a timeout is not restarted, for instance after a stop by job control.
                Err(Errno::INTR) => {}
                Err(error) => panic!("the supervisor is silent: {error}"),
            }
            for part in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(descriptors) = part {
                    self.received.extend(descriptors);
                }
            }
        }
    }

    /// Has it give up rights for good; returns the listener that came with the answer.
    pub(crate) fn confine(
        &mut self,
        mut confine: Confine,
    ) -> Result<Option<OwnedFd>, (ConfineStep, Errno)> {
        self.next_id += 1;
        confine.id = self.next_id;
        self.send(&Request::Confine(confine), &[]);
        match self.event() {
            Some(Event::Confined { id }) if id == self.next_id => Ok(self.received.pop()),
            Some(Event::ConfineFailed { id, step, errno }) if id == self.next_id => {
                Err((step, Errno::from_raw_os_error(errno)))
            }
            other => panic!("unexpected answer to a confinement: {other:?}"),
        }
    }

    /// Starts a program; its failure is a value, any other event before the answer a defect.
    pub(crate) fn try_spawn(
        &mut self,
        mut spawn: Spawn,
        descriptors: Vec<OwnedFd>,
    ) -> Result<Running, (SpawnStep, i32)> {
        spawn.descriptors = u32::try_from(descriptors.len()).unwrap();
        let id = spawn.id;
        self.send(&Request::Spawn(spawn), &descriptors);
        // The writing ends of pipes go, so that their readers see an end.
        drop(descriptors);
        self.child_of(id)
    }

    /// Has it tell of the end of a process that it did not start.
    pub(crate) fn adopt(&mut self, pid: i32) -> Result<Running, (SpawnStep, i32)> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&Request::Adopt { id, pid }, &[]);
        self.child_of(id)
    }

    /// Waits for the answer to a request for a child.
    fn child_of(&mut self, id: u32) -> Result<Running, (SpawnStep, i32)> {
        loop {
            match self.event() {
                Some(Event::Spawned { id: spawned, pid, start_time }) if spawned == id => {
                    let identity = ProcessIdentity { pid, start_time };
                    return Ok(Running { id, identity });
                }
                Some(Event::SpawnFailed { id: failed, step, errno }) if failed == id => {
                    return Err((step, errno));
                }
                Some(event @ Event::Exited { .. }) => self.exits.push(event),
                other => panic!("unexpected answer to a spawn: {other:?}"),
            }
        }
    }

    /// Starts `sh -c script` with nothing but `/dev/null`.
    pub(crate) fn shell(&mut self, script: &str) -> Running {
        let spawn = self.request(&["/bin/sh", "-c", script]);
        self.try_spawn(spawn, null_streams()).unwrap()
    }

    /// Runs a program to its end and returns what it wrote to 1 and 2.
    pub(crate) fn output_of(&mut self, spawn: Spawn) -> String {
        let (mut reader, streams) = captured_streams();
        let running = self.try_spawn(spawn, streams).unwrap();
        let mut output = String::new();
        reader.read_to_string(&mut output).unwrap();
        self.exit_of(running);
        output
    }

    /// Waits for the end of a program; drops events about others.
    pub(crate) fn exit_of(&mut self, running: Running) -> Exit {
        self.end_of(running).0
    }

    /// The same, with whether it left a core dump and what it used.
    pub(crate) fn end_of(&mut self, running: Running) -> (Exit, bool, Usage) {
        let mut reported = std::mem::take(&mut self.exits).into_iter();
        loop {
            match reported.next().or_else(|| self.event()) {
                Some(Event::Exited { id, pid, exit, core, usage }) if id == running.id => {
                    assert_eq!(pid, running.identity.pid);
                    return (exit, core, usage);
                }
                Some(_) => {}
                None => panic!("the supervisor ended before its program"),
            }
        }
    }

    /// Pids of the living that carry this host's tag, wherever they are in the tree.
    pub(crate) fn tagged(&self) -> Vec<i32> {
        tagged(&self.environment_tag())
    }

    /// Ends the host's side; returns how the supervisor ended, and the pids that still live.
    pub(crate) fn hang_up(mut self) -> (ExitStatus, Vec<i32>) {
        self.socket.shutdown(Shutdown::Both).unwrap();
        let status = wait_for_end(&mut self.supervisor);
        (status, self.tagged())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Fails where the test has ended it; the supervisor gives up on the worst tree after 5 s.
        self.socket.shutdown(Shutdown::Both).ok();
        let deadline = Instant::now() + PATIENCE;
        while matches!(self.supervisor.try_wait(), Ok(None)) {
            if Instant::now() > deadline {
                self.supervisor.kill().ok();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn tagged(variable: &str) -> Vec<i32> {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = folders.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
    })
    .collect()
}

pub(crate) fn wait_for_end(child: &mut Child) -> ExitStatus {
    let mut status = None;
    eventually("the supervisor ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Polls until `condition` holds.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a script wrote a whole line, and returns it.
pub(crate) fn line_in(path: &Path) -> String {
    let mut text = String::new();
    eventually("a line in a file", || {
        text = std::fs::read_to_string(path).unwrap_or_default();
        text.ends_with('\n')
    });
    text.trim().to_owned()
}

pub(crate) fn is_running(running: Running) -> bool {
    is_alive(running.identity)
}

/// It waits for something. Looked at often: in some calls a process that never waits shows for a moment as if it did.
pub(crate) fn is_waiting(pid: i32) -> bool {
    (0..50).all(|_| entry_of(pid).is_some_and(|entry| entry.state == ProcessState::Sleeping))
}

pub(crate) fn null() -> OwnedFd {
    std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into()
}

pub(crate) fn null_streams() -> Vec<OwnedFd> {
    vec![null(), null(), null()]
}

/// A reader, and standard streams that write to it.
pub(crate) fn captured_streams() -> (std::io::PipeReader, Vec<OwnedFd>) {
    let (reader, writer) = std::io::pipe().unwrap();
    let copy = writer.try_clone().unwrap();
    (reader, vec![null(), writer.into(), copy.into()])
}

/// Some cases need a process of another user.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
