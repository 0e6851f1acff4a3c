//! A link to near: its number, its life, its end, and how its streams are read and written. Its threads are `threads`'s.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pi_shell::InlineRuns;
use rustix::event::{PollFd, PollFlags, poll};

use crate::wire::{Kind, frame};

/// A link as others see it: its number, its life, its end.
pub(crate) struct Link {
    pub(crate) number: u64,
    began: Instant,
    /// Milliseconds from `began` to the last byte that came.
    heard_ms: AtomicU64,
    has_begun: AtomicBool,
    has_ended: AtomicBool,
    /// What is written last, when the queue serves another link or none.
    farewell: Mutex<Option<Vec<u8>>>,
    /// Ends both directions, where it is a socket.
    socket: Option<OwnedFd>,
    /// The runs that its reading thread polls.
    runs: Arc<InlineRuns>,
}

impl Link {
    /// How long nothing came.
    pub(crate) fn silence(&self) -> Duration {
        let heard = Duration::from_millis(self.heard_ms.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(heard)
    }

    /// A link that has not begun. `socket`: both of its directions.
    pub(crate) fn new(number: u64, socket: Option<OwnedFd>, runs: Arc<InlineRuns>) -> Self {
        Self {
            number,
            began: Instant::now(),
            heard_ms: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            farewell: Mutex::new(None),
            socket,
            runs,
        }
    }

    /// Bytes came.
    pub(crate) fn heard(&self) {
        let ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard_ms.store(ms, Ordering::Relaxed);
    }

    /// Whether it is over.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Whether the engine has served it.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// The engine serves it.
    pub(crate) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// The runs that its reading thread polls.
    pub(crate) fn runs(&self) -> &Arc<InlineRuns> {
        &self.runs
    }

    /// What is to be written last, once.
    pub(crate) fn take_farewell(&self) -> Option<Vec<u8>> {
        self.farewell.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Begins a run, on its reading thread, where frames are taken.
    pub(crate) fn begin_run(&self, run: impl Future<Output = ()> + Send + 'static) {
        self.runs.begin(run);
    }

    /// It is over.
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Has this written when nothing else is any more.
    pub(crate) fn say_last(&self, reason: &str, detail: Option<&str>) {
        *self.farewell.lock().unwrap_or_else(PoisonError::into_inner) = Some(bye(reason, detail));
    }

    /// Ends it, so that both threads do. Without effect on streams that are not a socket.
    pub(crate) fn cut(&self) {
        if let Some(socket) = &self.socket {
            // One that has ended already is as good.
            rustix::net::shutdown(socket, rustix::net::Shutdown::Both).ok();
        }
    }
}

/// The last frame.
pub(crate) fn bye(reason: &str, detail: Option<&str>) -> Vec<u8> {
    let mut said = serde_json::json!({ "reason": reason });
    if let Some(detail) = detail {
        said["detail"] = detail.into();
    }
    frame(Kind::Bye, 0, said.to_string().as_bytes())
}

/// How a link's near side is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It started this program.
    Whole,
    /// It is some process of this user, and has to show the token.
    Token,
}

/// The two streams of a link.
pub(crate) struct Streams {
    pub(crate) input: OwnedFd,
    pub(crate) output: OwnedFd,
    /// The same socket again, where both are one.
    pub(crate) socket: Option<OwnedFd>,
}

impl Streams {
    /// Those of a socket.
    pub(crate) fn of_socket(socket: OwnedFd) -> io::Result<Self> {
        Ok(Self { input: socket.try_clone()?, output: socket.try_clone()?, socket: Some(socket) })
    }
}

/// As `read(2)`, waiting also where the descriptor does not by itself.
pub(crate) fn read_some(input: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(input, PollFlags::IN)?,
            done => return done,
        }
    }
}

/// As `write_all`, waiting also where the descriptor does not by itself.
pub(crate) fn write_all(mut output: &File, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match output.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait(output, PollFlags::OUT)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn wait(file: &File, flags: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::from_borrowed_fd(file.as_fd(), flags)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
