//! The pipe that takes a command's output: one for stdout and stderr, in true order.
//!
//! Its writing end goes to the shell with the order. A pipe that nothing else can hold open any more serves the next
//! command too.
//!
//! # Theory of operation
//! A trickle is read as it comes: the kernel tells of each write. A flood is not, since a program
//! that writes 4 KiB at a time would wake us for each of them, and the waking costs more than the
//! bytes. Then the pipe is made larger, the kernel reports no writes any more, and it is emptied each
//! time a short rest is over (`flood`).

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use pi_process::sys::{FineTimer, LazyWatch};

use super::filters;
use super::flood::{self, Rests, Transfer};
use super::tail::{FileId, Output};
use crate::inline;
use crate::source::{self, READ_BYTES, ReadOutcome, Source};

/// Time from an order until its output is listened to, unless bash reports sooner. A plain builtin's
/// few bytes are read with its report then: being woken for them takes a processor from bash, and
/// having the kernel tell of them takes four system calls. Who writes more than the pipe holds
/// waits for the rest of that time.
const LISTEN_AFTER: Duration = Duration::from_millis(1);

/// Size of a pipe that has not been grown (`pipe(7)`).
const DEFAULT_PIPE_BYTES: usize = 64 * 1024;

/// Size that a pipe grows to in a flood, so that its writer does not wait while we rest.
/// The largest that an unprivileged process may ask for (`pipe(7)`, `pipe-max-size`).
const GROWN_PIPE_BYTES: usize = 1024 * 1024;

/// A flood: so many bytes within so long (64 MB/s).
const FLOOD_BYTES: usize = 2 * DEFAULT_PIPE_BYTES;

/// See `FLOOD_BYTES`.
const FLOOD_SPAN: Duration = Duration::from_millis(2);

/// How often a pipe is looked at whose writes are not reported: no descriptor is left to hold it with, or the
/// user's share of watches is spent (`epoll(7)`, `max_user_watches`).
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// The same for late output, which has no one waiting for it.
const LATE_LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// When a read begins to wait for bytes.
enum Listening {
    /// It does.
    Begun,
    /// When `patience` is over.
    Later,
    /// When the run is polled elsewhere, which ordered its command inline.
    Elsewhere,
}

/// The reading side of an output pipe.
pub(super) struct OutputPipe {
    source: LazyWatch,
    /// Held while the pipe is listened to, so that the end of file is not seen when bash closes its
    /// side: only a report ends a command, and a pipe that hung up would wake us for ever.
    writer: Option<OwnedFd>,
    /// Runs until the pipe is listened to. Made once; none where the system has no such timer.
    patience: Option<FineTimer>,
    listening: Listening,
    has_grown: bool,
    /// The sink alone takes what is read.
    is_for_us: bool,
    /// While there is a flood.
    rests: Option<Rests>,
    /// What came during the last rest is in there, and older than what is in the pipe.
    transfer: Option<Transfer>,
    /// The span that is looked at for a flood: its beginning, and bytes since.
    span: (Instant, usize),
    /// Where reads go, larger in a flood. Kept from command to command, because clearing a new one costs more
    /// than to run a builtin's output through it.
    buffer: Vec<u8>,
}

impl OutputPipe {
    /// A new one.
    pub(super) fn anonymous() -> io::Result<Self> {
        let (reader, writer) = Self::ends()?;
        Ok(Self::over(LazyWatch::new(reader), Some(writer)))
    }

    /// Whether it is as a new one: empty, and of the usual size. Nothing of it is reported any more.
    pub(super) fn is_as_new(&mut self) -> bool {
        self.source.unwatch();
        self.rests.is_none() && !self.has_grown && self.waiting_bytes() == 0
    }

    /// A pipe without a name for the next command: this one where it was not released, else another one.
    pub(super) fn renewed(mut self) -> io::Result<Self> {
        if self.writer.is_some() {
            return Ok(self);
        }
        let (reader, writer) = Self::ends()?;
        self.source = LazyWatch::new(reader);
        self.writer = Some(writer);
        self.listening = Listening::Begun;
        self.has_grown = false;
        Ok(self)
    }

    /// The writer, which programs get, blocks.
    fn ends() -> io::Result<(OwnedFd, OwnedFd)> {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        Ok((reader, writer))
    }

    /// The writing side of a pipe without a name, until it was released.
    pub(super) fn writer(&self) -> io::Result<BorrowedFd<'_>> {
        self.writer.as_ref().map(OwnedFd::as_fd).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// The writing side opened once more: what is done to the flags of the one is not done to those of the other.
    pub(super) fn open_again(&self) -> io::Result<OwnedFd> {
        self.writer
            .as_ref()
            .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
            .and_then(pi_process::sys::open_again)
    }

    fn over(source: LazyWatch, writer: Option<OwnedFd>) -> Self {
        Self {
            source,
            writer,
            patience: None,
            listening: Listening::Begun,
            has_grown: false,
            is_for_us: false,
            rests: None,
            transfer: None,
            span: (Instant::now(), 0),
            buffer: vec![0; DEFAULT_PIPE_BYTES],
        }
    }

    /// A command has been ordered that writes here: reads wait a moment before they listen. What it
    /// writes is `for_us` where only the sink takes it, and so no consumer sets the pace.
    pub(super) fn listen_soon(&mut self, for_us: bool) {
        self.is_for_us = for_us;
        if inline::is_inline() {
            self.listening = Listening::Elsewhere;
            return;
        }
        if self.patience.is_none() {
            self.patience = FineTimer::new().ok();
        }
        let patience = self.patience.as_ref();
        let is_set = patience.is_some_and(|timer| timer.set(LISTEN_AFTER).is_ok());
        self.listening = if is_set { Listening::Later } else { Listening::Begun };
    }

    /// Whether that moment is over.
    pub(super) fn is_listening(&self) -> bool {
        matches!(self.listening, Listening::Begun)
    }

    /// Waits until there is something to read, or listening begins. Cancel-safe. That, and
    /// where `has_more` was promised and nothing came, is reported once, as `Empty`.
    pub(super) async fn read(&mut self) -> io::Result<ReadOutcome> {
        if !self.is_listening() {
            match (&self.listening, &self.patience) {
                (Listening::Elsewhere, _) => inline::elsewhere().await,
                (Listening::Later, Some(patience)) => patience.ended().await,
                _ => {}
            }
            self.listening = Listening::Begun;
            return Ok(ReadOutcome::Empty);
        }
        if let Some(rests) = &mut self.rests {
            rests.ended().await;
            return self.read_flood();
        }
        if self.transferred() > 0 {
            return self.read_now();
        }
        if self.source.watched().is_err() {
            // No watch is left: the command goes on all the same.
            tokio::time::sleep(LOOK_INTERVAL).await;
            return source::read_pipe(self.source.descriptor(), &mut self.buffer);
        }
        let length = self.read_when_ready().await?;
        if length == 0 {
            return Ok(ReadOutcome::Closed);
        }
        if self.is_flooded_by(length) {
            self.begin_flood(length);
        }
        Ok(ReadOutcome::Data(length))
    }

    async fn read_when_ready(&mut self) -> io::Result<usize> {
        loop {
            let mut ready = self.source.watched()?.readable().await?;
            let mut read =
                |fd| rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut *self.buffer));
            match ready.try_io(|fd| Ok(read(fd.as_fd())?)) {
                Ok(found) => {
                    let length = found?;
                    if length < self.buffer.len() {
                        // The pipe was emptied; what is written from now on is reported.
                        ready.clear_ready();
                    }
                    return Ok(length);
                }
                Err(_would_block) => {
                    let hung_up = ready.ready().is_read_closed();
                    drop(ready);
                    if hung_up {
                        // It would be reported as readable for ever, without being so.
                        self.source.unwatch();
                    }
                }
            }
        }
    }

    /// Bytes that were taken out of the pipe and not read yet.
    fn transferred(&self) -> usize {
        self.transfer.as_ref().map_or(0, Transfer::len)
    }

    /// Counts what was read; whether it was too much in too short a time.
    fn is_flooded_by(&mut self, length: usize) -> bool {
        let now = Instant::now();
        let (since, bytes) = self.span;
        self.span = if now - since > FLOOD_SPAN { (now, length) } else { (since, bytes + length) };
        self.span.1 >= FLOOD_BYTES
    }

    /// From now on the pipe is looked at after rests. Not where it is as small as it was: its
    /// writer would wait for us most of the time.
    fn begin_flood(&mut self, length: usize) {
        self.grow();
        // Without a timer (no descriptor is left) all goes on as before.
        if self.has_grown
            && let transfer = self.is_for_us.then(|| Transfer::new(GROWN_PIPE_BYTES).ok()).flatten()
            && let Ok(rests) = Rests::new()
        {
            self.source.unwatch();
            self.rests = Some(rests);
            self.transfer = transfer;
            let is_emptied = length < self.buffer.len();
            self.buffer.resize(READ_BYTES, 0);
            if is_emptied {
                self.rest();
            }
        }
    }

    /// Reads on after a rest, or more of what that one brought.
    fn read_flood(&mut self) -> io::Result<ReadOutcome> {
        let is_after_rest = self.transferred() == 0;
        if let (true, Some(rests), Some(writer)) = (is_after_rest, &mut self.rests, &self.writer) {
            rests.note_full(flood::is_full(writer));
        }
        if let (true, Some(transfer)) = (is_after_rest, &mut self.transfer)
            && transfer.fill(self.source.descriptor()).is_err()
        {
            // Not allowed here (a container's seccomp filter): it has nothing, and is not tried again.
            self.transfer = None;
            self.is_for_us = false;
        }
        let outcome = match &mut self.transfer {
            None => source::read_pipe(self.source.descriptor(), &mut self.buffer)?,
            Some(transfer) => transfer.read(&mut self.buffer)?,
        };
        let length = match outcome {
            ReadOutcome::Data(length) => length,
            ReadOutcome::Empty | ReadOutcome::Closed => 0,
        };
        if let Some(rests) = &mut self.rests {
            rests.note(length);
        }
        let has_all = match &self.transfer {
            Some(transfer) => transfer.len() == 0,
            None => length < self.buffer.len(),
        };
        if has_all {
            self.rest();
        }
        Ok(outcome)
    }

    /// Rests, if the last rest was worth it; if not, the flood is over.
    fn rest(&mut self) {
        if !self.rests.as_mut().is_some_and(Rests::begin) {
            self.end_flood();
        }
    }

    fn end_flood(&mut self) {
        self.rests = None;
        self.transfer = None;
        self.span = (Instant::now(), 0);
    }

    fn grow(&mut self) {
        if self.has_grown {
            return;
        }
        // Refused where the user's share of pipe memory is spent: it stays as it is.
        let fd = self.source.descriptor();
        self.has_grown = rustix::pipe::fcntl_setpipe_size(fd, GROWN_PIPE_BYTES).is_ok();
    }

    /// The flood is over: the pipe gets back to the size that it had, unless more than that lies in it. A user has
    /// a share of pipe memory for all sessions (`pipe-user-pages-soft`), and past it even new pipes are tiny.
    fn shrink(&mut self) {
        if self.has_grown {
            let fd = self.source.descriptor();
            self.has_grown = rustix::pipe::fcntl_setpipe_size(fd, DEFAULT_PIPE_BYTES).is_err();
        }
    }

    /// The command is over and its output taken: what a flood needed is given back, the bytes of the last read too.
    pub(super) fn forget_flood(&mut self) {
        self.shrink();
        self.buffer.truncate(DEFAULT_PIPE_BYTES);
        self.buffer.shrink_to_fit();
    }
}

impl Output for OutputPipe {
    fn waiting_bytes(&self) -> usize {
        let in_pipe = source::bytes_in_pipe(self.source.descriptor());
        self.transferred() + in_pipe
    }

    fn file_id(&self) -> io::Result<FileId> {
        filters::file_id_of(self.source.descriptor().try_clone_to_owned()?)
    }
}

impl Source for OutputPipe {
    fn bytes(&self, length: usize) -> &[u8] {
        self.buffer.get(..length).unwrap_or_default()
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn has_more(&self) -> bool {
        // The pipe is not asked: it would answer when its writer closes it.
        self.rests.as_ref().is_some_and(|rests| !rests.is_resting())
    }

    /// The command ended: from now on, the end of file shows that the pipe has no writer. A later
    /// `read` begins again.
    fn release(&mut self) {
        self.listening = Listening::Begun;
        self.writer = None;
        self.rests = None;
        // A private pipe has its part of the user's share too.
        self.transfer = self.transfer.take().filter(|transfer| transfer.len() > 0);
        // The hang-up wakes no task, and what the runtime knew of it is forgotten.
        self.source.unwatch();
    }

    fn read_now(&mut self) -> io::Result<ReadOutcome> {
        let Some(transfer) = self.transfer.as_mut().filter(|transfer| transfer.len() > 0) else {
            return source::read_pipe(self.source.descriptor(), &mut self.buffer);
        };
        let ReadOutcome::Data(length) = transfer.read(&mut self.buffer)? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        if transfer.len() > 0 {
            return Ok(ReadOutcome::Data(length));
        }
        // It is not needed any more, and has its part of the user's share.
        self.transfer = None;
        // A read that does not fill its buffer has all there is, as with one pipe.
        let rest = self.buffer.get_mut(length..).filter(|rest| !rest.is_empty());
        let more = match rest {
            Some(rest) => source::read_pipe(self.source.descriptor(), rest),
            None => Ok(ReadOutcome::Empty),
        };
        // An error, or the end, is reported by the next read.
        match more {
            Ok(ReadOutcome::Data(more)) => Ok(ReadOutcome::Data(length + more)),
            _ => Ok(ReadOutcome::Data(length)),
        }
    }

    async fn readable(&mut self) -> io::Result<()> {
        // Only late output is waited for here, and it may trickle for days: no command comes after it.
        self.patience = None;
        self.shrink();
        match self.source.watched() {
            Ok(watched) => watched.readable().await?.clear_ready(),
            Err(_unwatchable) => tokio::time::sleep(LATE_LOOK_INTERVAL).await,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
