//! One stream to near and back: a thread that reads frames and hands them on, and one that writes what waits. What the
//! frames mean is `conversation`'s, what is written first the queue's.
//!
//! The reading thread also begins runs, takes the reports of their shells (pi-shell's `inline`), and mostly writes what came
//! of them: a short command wakes no thread but this one.
//!
//! Threads of their own, since standard input and output can be anything: a pipe whose flags others share, a file, a
//! terminal. A read that never ends keeps the thread, not the program, which leaves by the end of `main`.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pi_shell::InlineRuns;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::conversation::{Conversation, Verdict};
use crate::engine::{Engine, Loss};
use crate::wire::{Decoder, Kind, frame};

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Longest that frames of this side wait while frames of near are taken.
const LONGEST_HUSH: Duration = Duration::from_micros(500);

/// Stack of the thread that writes, in bytes.
const WRITER_STACK_BYTES: usize = 256 * 1024;

/// Stack of the thread that reads and polls runs, in bytes: that of the runtime's threads.
const READER_STACK_BYTES: usize = 2 * 1024 * 1024;

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
        runs: InlineRuns::new(engine.runtime())?,
    });
    let conversation = Conversation::new(engine.clone(), Arc::clone(&link), trust);
    let (input, output) = (File::from(streams.input), File::from(streams.output));
    let reading = Arc::clone(&link);
    let reader = engine.clone();
    let builder = std::thread::Builder::new().name("link-in".to_owned());
    // Written to once the conversation has begun: the queue serves no other link before.
    builder.stack_size(READER_STACK_BYTES).spawn(move || {
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
    let output = Arc::new(output);
    let mut patience = None;
    loop {
        let ready = match wait_for_either(&input, &link.runs, patience) {
            Ok(ready) => ready,
            Err(error) => return Loss::Failed(error.to_string()),
        };
        if ready.report || patience.is_some() {
            engine.outgoing().hush();
            link.runs.turn();
            patience = engine.outgoing().speak();
        }
        if !ready.input {
            continue;
        }
        let length = match read_some(&mut input, &mut buffer) {
            Ok(0) => return Loss::Ended,
            Ok(length) => length,
            Err(error) => return Loss::Failed(error.to_string()),
        };
        link.heard();
        decoder.push(buffer.get(..length).unwrap_or_default());
        engine.outgoing().hush();
        let taken = take_frames(&mut decoder, &mut conversation, engine, link, &output);
        patience = engine.outgoing().speak();
        if let Err(loss) = taken {
            return loss;
        }
        if conversation.has_begun() && !engine.outgoing().wait_for_control(link.number) {
            return Loss::Displaced;
        }
    }
}

/// Takes the frames that have come whole.
fn take_frames(
    decoder: &mut Decoder,
    conversation: &mut Conversation,
    engine: &Engine,
    link: &Arc<Link>,
    output: &Arc<File>,
) -> Result<(), Loss> {
    let mut hushed = Instant::now();
    loop {
        if hushed.elapsed() > LONGEST_HUSH {
            engine.outgoing().speak();
            engine.outgoing().hush();
            hushed = Instant::now();
        }
        let verdict = match decoder.next_frame() {
            Ok(Some(frame)) => conversation.take(frame),
            Ok(None) => return Ok(()),
            Err(error) => Verdict::Break(Loss::Protocol(error.to_string())),
        };
        match verdict {
            Verdict::Go => {}
            Verdict::Begun => {
                link.has_begun.store(true, Ordering::Relaxed);
                start_writer(Arc::clone(output), engine, link)
                    .map_err(|error| Loss::Failed(error.to_string()))?;
            }
            Verdict::Break(loss) => {
                if !link.has_begun() {
                    // Nothing was promised yet; who does not hear it sees the end of the stream.
                    let (reason, detail) = loss.words();
                    drop(write_all(output, &bye(reason, Some(&detail))));
                }
                return Err(loss);
            }
        }
    }
}

/// What a link's thread can go on with.
struct Ready {
    input: bool,
    report: bool,
}

/// Waits for input, or a report for one of the runs, or until `patience` is over.
fn wait_for_either(
    input: &File,
    runs: &InlineRuns,
    patience: Option<Duration>,
) -> io::Result<Ready> {
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    let mut polled = [
        PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(runs.as_fd(), PollFlags::IN),
    ];
    match poll(&mut polled, patience.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(errno) => return Err(errno.into()),
    }
    let [input, report] = polled.map(|one| !one.revents().is_empty());
    Ok(Ready { input, report })
}

fn start_writer(output: Arc<File>, engine: &Engine, link: &Arc<Link>) -> io::Result<()> {
    let (engine, link) = (engine.clone(), Arc::clone(link));
    let builder = std::thread::Builder::new().name("link-out".to_owned());
    builder.stack_size(WRITER_STACK_BYTES).spawn(move || {
        engine.outgoing().give_output(link.number, &output);
        if let Err(error) = write(&output, &engine, &link) {
            engine.lose(&link, &Loss::Failed(error.to_string()));
        }
    })?;
    Ok(())
}

fn write(output: &File, engine: &Engine, link: &Link) -> io::Result<()> {
    let mut bytes = Vec::new();
    while engine.outgoing().next(link.number, &mut bytes) {
        let began = Instant::now();
        write_all(output, &bytes)?;
        engine.outgoing().wrote(bytes.len(), began);
        bytes.clear();
    }
    let farewell = link.farewell.lock().unwrap_or_else(PoisonError::into_inner).take();
    let said = farewell.map_or(Ok(()), |farewell| write_all(output, &farewell));
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
