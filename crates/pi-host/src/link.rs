//! One stream to near and back: a thread that reads frames and hands them on, and one that writes what waits. What the
//! frames mean is `conversation`'s, what is written first the queue's.
//!
//! Threads of their own, since standard input and output can be anything: a pipe whose flags others share, a file, a
//! terminal. A read that never ends keeps the thread, not the program, which leaves by the end of `main`.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use crate::conversation::{Conversation, Verdict};
use crate::engine::{Engine, Loss};
use crate::wire::{Decoder, Kind, frame};

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Stack of a link's threads, in bytes.
const STACK_BYTES: usize = 256 * 1024;

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
}

impl Link {
    /// How long nothing came.
    pub(crate) fn silence(&self) -> Duration {
        let heard = Duration::from_millis(self.heard_ms.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(heard)
    }

    fn heard(&self) {
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

/// Starts the threads of a link.
pub(crate) fn start(engine: &Engine, streams: Streams, trust: Trust) -> io::Result<Arc<Link>> {
    let link = Arc::new(Link {
        number: engine.next_link(),
        began: Instant::now(),
        heard_ms: AtomicU64::new(0),
        has_begun: AtomicBool::new(false),
        has_ended: AtomicBool::new(false),
        farewell: Mutex::new(None),
        socket: streams.socket,
    });
    let conversation = Conversation::new(engine.clone(), Arc::clone(&link), trust);
    let (input, output) = (File::from(streams.input), File::from(streams.output));
    let thread = |name: &str| {
        std::thread::Builder::new().name(format!("link-{name}")).stack_size(STACK_BYTES)
    };
    let reading = Arc::clone(&link);
    let reader = engine.clone();
    // Written to once the conversation has begun: the queue serves no other link before.
    thread("in").spawn(move || {
        let loss = read(input, output, conversation, &reader, &reading);
        reader.lose(&reading, &loss);
    })?;
    engine.watch(&link);
    Ok(link)
}

/// Reads until the link ends. Returns why it did.
fn read(
    mut input: File,
    output: File,
    mut conversation: Conversation,
    engine: &Engine,
    link: &Arc<Link>,
) -> Loss {
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; READ_BYTES];
    let mut output = Some(output);
    loop {
        let length = match read_some(&mut input, &mut buffer) {
            Ok(0) => return Loss::Ended,
            Ok(length) => length,
            Err(error) => return Loss::Failed(error.to_string()),
        };
        link.heard();
        decoder.push(buffer.get(..length).unwrap_or_default());
        loop {
            let verdict = match decoder.next_frame() {
                Ok(Some(frame)) => conversation.take(frame),
                Ok(None) => break,
                Err(error) => Verdict::Break(Loss::Protocol(error.to_string())),
            };
            match verdict {
                Verdict::Go => {}
                Verdict::Begun => {
                    link.has_begun.store(true, Ordering::Relaxed);
                    let Some(output) = output.take() else { continue };
                    if let Err(error) = start_writer(output, engine, link) {
                        return Loss::Failed(error.to_string());
                    }
                }
                Verdict::Break(loss) => {
                    if let Some(mut output) = output.take() {
                        // Nothing was promised yet; who does not hear it sees the end of the stream.
                        let (reason, detail) = loss.words();
                        drop(write_all(&mut output, &bye(reason, Some(&detail))));
                    }
                    return loss;
                }
            }
        }
        if conversation.has_begun() && !engine.outgoing().wait_for_control(link.number) {
            return Loss::Displaced;
        }
    }
}

fn start_writer(output: File, engine: &Engine, link: &Arc<Link>) -> io::Result<()> {
    let (engine, link) = (engine.clone(), Arc::clone(link));
    let builder = std::thread::Builder::new().name("link-out".to_owned()).stack_size(STACK_BYTES);
    builder.spawn(move || {
        if let Err(error) = write(output, &engine, &link) {
            engine.lose(&link, &Loss::Failed(error.to_string()));
        }
    })?;
    Ok(())
}

fn write(mut output: File, engine: &Engine, link: &Link) -> io::Result<()> {
    let mut bytes = Vec::new();
    while engine.outgoing().next(link.number, &mut bytes) {
        let began = Instant::now();
        write_all(&mut output, &bytes)?;
        engine.outgoing().wrote(bytes.len(), began);
        bytes.clear();
    }
    let farewell = link.farewell.lock().unwrap_or_else(PoisonError::into_inner).take();
    let said = farewell.map_or(Ok(()), |farewell| write_all(&mut output, &farewell));
    link.cut();
    said
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
pub(crate) fn write_all(output: &mut File, bytes: &[u8]) -> io::Result<()> {
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
