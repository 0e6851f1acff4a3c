//! Pipes between near and commands: what commands read, and what they write beside their output. A pipe has a path in the
//! instance's folder, and commands open it there; which ones do is near's affair.
//!
//! # Theory of operation
//! One task has a pipe, from its request to its answer. Into commands: near sends no more than it has credit for, and gets
//! credit for what the pipe took, so that a command that does not read holds near back and nothing else. Out of commands: the
//! bytes are a stream as a run's text is, and near's credit holds the commands back. Both ends of the pipe stay open here:
//! what was written is there for the next command, and a reader meets the end only when near has ended the input.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::channels::Channel;
use crate::message::{Failure, Way, json};
use crate::outgoing::{End, StreamOptions};
use crate::place::Fifo;
use crate::wire::{Kind, frame};

/// Bytes of an input that near may send before the pipe took them. Two of these were waited for at most: those that came, and
/// those of the piece that is written.
const WINDOW: u32 = 256 * 1024;

/// Taken bytes of an input after which near gets credit.
const CREDIT_BYTES: u64 = WINDOW as u64 / 4;

/// Bytes of one read of an output: what a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Most pipes at a time: each has two open files, and what waits for it.
const MAX_PIPES: usize = 64;

/// A pipe, as frames reach it.
pub(super) struct Pipe {
    /// Pieces of an input. An empty one is its end.
    pieces: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes of an input that came, and that near had credit for.
    progress: Mutex<Progress>,
    /// Who wants to know how much commands have written.
    asked: mpsc::UnboundedSender<oneshot::Sender<u64>>,
    closed: CancellationToken,
    failure: Mutex<Option<Failure>>,
}

#[derive(Default)]
struct Progress {
    came: u64,
    allowed: u64,
    has_ended: bool,
}

impl Pipe {
    /// Ends it.
    pub(super) fn close(&self) {
        self.closed.cancel();
    }

    /// Takes a piece of an input; an empty one is its end. What near may not send ends the pipe.
    pub(super) fn take(&self, offset: u64, bytes: &[u8]) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let after = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if offset != progress.came || after > progress.allowed || progress.has_ended {
            let message = "a piece of the input does not follow the one before, or is too much";
            self.failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| Failure::invalid(message));
            self.close();
            return;
        }
        progress.came = after;
        progress.has_ended = bytes.is_empty();
        // Without a reader the pipe is being ended.
        drop(self.pieces.send(bytes.to_vec()));
    }

    fn allow(&self, up_to: u64) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).allowed = up_to;
    }
}

/// What the task of a pipe is woken by.
struct Arriving {
    pieces: mpsc::UnboundedReceiver<Vec<u8>>,
    asked: mpsc::UnboundedReceiver<oneshot::Sender<u64>>,
}

impl Engine {
    /// A pipe is asked for. It ends with a cancel, or with its link.
    pub(super) fn begin_pipe(
        &self,
        link: u64,
        channel: u32,
        way: Way,
        window: Option<u32>,
    ) -> Result<(), Failure> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let name = format!("pipe-{}", NUMBERS.fetch_add(1, Ordering::Relaxed));
        let closed = self.present().asked.child_token();
        let (pieces, arriving_pieces) = mpsc::unbounded_channel();
        let (asked, arriving_asked) = mpsc::unbounded_channel();
        let pipe = Arc::new(Pipe {
            pieces,
            progress: Mutex::default(),
            asked,
            closed,
            failure: Mutex::new(None),
        });
        if !self.inner.channels.become_pipe(link, channel, Arc::clone(&pipe), MAX_PIPES) {
            return Err(Failure::new("PI_HOST_BUSY", "too many pipes at a time; end some first"));
        }
        // Before anything can be said on it.
        let fifo = self.place().make_fifo(&name)?;
        self.outgoing().open(channel, StreamOptions { is_data: true, id: None, window });
        let started = json(&serde_json::json!({ "path": fifo.path }));
        self.outgoing().put_control(Some(link), frame(Kind::Started, channel, &started));
        let arriving = Arriving { pieces: arriving_pieces, asked: arriving_asked };
        let engine = self.clone();
        self.inner.handle.spawn(async move {
            let moved = async {
                match way {
                    Way::In => engine.write_input(link, channel, &pipe, fifo, arriving).await,
                    Way::Out => engine.read_output(channel, fifo, arriving).await,
                }
            };
            let ended = pipe.closed.run_until_cancelled(moved).await.unwrap_or(Ok(()));
            engine.place().remove_fifo(&name);
            let failure = pipe.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            let members = match failure.map_or(ended.map_err(|error| failed(&error)), Err) {
                Ok(()) => b"\"ok\":{}".to_vec(),
                Err(failure) => [b"\"error\":".to_vec(), json(&failure)].concat(),
            };
            engine.inner.channels.remove_request(link, channel);
            engine.outgoing().free(channel);
            engine.outgoing().end(channel, End { kind: Kind::Answer, members });
        });
        Ok(())
    }

    /// How much commands have written to an output, once all that they wrote by now is on its way.
    pub(super) async fn drained(&self, pipe: u32) -> Result<u64, Failure> {
        let unknown = || Failure::invalid(format!("channel {pipe} has no pipe out of commands"));
        let Some(Channel::Pipe(_, found)) = self.inner.channels.get(pipe) else {
            return Err(unknown());
        };
        let (asked, answer) = oneshot::channel();
        found.asked.send(asked).map_err(|_| unknown())?;
        answer.await.map_err(|_| unknown())
    }

    async fn write_input(
        &self,
        link: u64,
        channel: u32,
        pipe: &Pipe,
        fifo: Fifo,
        arriving: Arriving,
    ) -> io::Result<()> {
        let Fifo { reader, writer, .. } = fifo;
        // Nothing asks how much was written to an input.
        let Arriving { mut pieces, asked } = arriving;
        drop(asked);
        let writer = Sender::from_owned_fd(writer)?;
        let (mut taken, mut credited) = (0_u64, 0_u64);
        self.credit_input(link, channel, pipe, taken);
        while let Some(piece) = pieces.recv().await.filter(|piece| !piece.is_empty()) {
            let mut rest = piece.as_slice();
            while !rest.is_empty() {
                match writer.try_write(rest) {
                    Ok(written) => {
                        rest = rest.get(written..).unwrap_or_default();
                        taken += u64::try_from(written).unwrap_or(u64::MAX);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        writer.writable().await?;
                    }
                    Err(error) => return Err(error),
                }
            }
            if taken - credited >= CREDIT_BYTES {
                credited = taken;
                self.credit_input(link, channel, pipe, taken);
            }
        }
        // The end of the input: a command that has read all meets it. What is not read yet stays.
        drop(writer);
        std::future::pending::<()>().await;
        drop(reader);
        Ok(())
    }

    fn credit_input(&self, link: u64, channel: u32, pipe: &Pipe, taken: u64) {
        pipe.allow(taken + u64::from(WINDOW));
        let payload = [&taken.to_le_bytes()[..], &WINDOW.to_le_bytes()[..]].concat();
        self.outgoing().put_control(Some(link), frame(Kind::Credit, channel, &payload));
    }

    async fn read_output(
        &self,
        channel: u32,
        fifo: Fifo,
        mut arriving: Arriving,
    ) -> io::Result<()> {
        // Held, so that the pipe does not end with a command.
        let Fifo { reader, writer: _writer, .. } = fifo;
        let reader = Receiver::from_owned_fd(reader)?;
        let mut buffer = vec![0; READ_BYTES];
        let mut total = 0_u64;
        let mut waiting: Vec<oneshot::Sender<u64>> = Vec::new();
        loop {
            self.outgoing().room(channel).await;
            // The system is asked, and not what the runtime heard of it: what a command wrote a moment ago counts.
            let read = match rustix::io::read(&reader, &mut buffer[..]) {
                Ok(read) => read,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {
                    for one in waiting.drain(..) {
                        // One that does not wait any more needs no answer.
                        one.send(total).ok();
                    }
                    tokio::select! {
                        ready = reader.readable() => ready?,
                        Some(one) = arriving.asked.recv() => {
                            waiting.push(one);
                            continue;
                        }
                    }
                    // Where there is nothing after all, the runtime learns it by this.
                    match reader.try_read(&mut buffer) {
                        Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                        read => read?,
                    }
                }
                Err(errno) => return Err(errno.into()),
            };
            total += u64::try_from(read).unwrap_or(u64::MAX);
            self.outgoing().push(channel, buffer.get(..read).unwrap_or_default());
            self.outgoing().flush(channel);
        }
    }
}

fn failed(error: &io::Error) -> Failure {
    Failure::new("PI_HOST_FILE", format!("a pipe cannot be used: {error}"))
}
