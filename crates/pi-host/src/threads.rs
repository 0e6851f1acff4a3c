//! The two threads of a link: one that reads frames and hands them on, and one that writes what waits. What the
//! frames mean is `conversation`'s, what is written first the queue's.
//!
//! The reading thread also begins runs, takes the reports of their shells (pi-shell's `inline`), and mostly writes what came
//! of them: a short command wakes no thread but this one.
//!
//! Threads of their own, since standard input and output can be anything: a pipe whose flags others share, a file, a
//! terminal. A read that never ends keeps the thread, not the program, which leaves by the end of `main`.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_shell::InlineRuns;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::conversation::{Conversation, Verdict};
use crate::engine::{Engine, Loss};
use crate::link::{Link, Streams, Trust, bye, read_some, write_all};
use crate::wire::Decoder;

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Longest that frames of this side wait while frames of near are taken.
const LONGEST_HUSH: Duration = Duration::from_micros(500);

/// Stack of the thread that writes, in bytes.
const WRITER_STACK_BYTES: usize = 256 * 1024;

/// Stack of the thread that reads and polls runs, in bytes: that of the runtime's threads.
const READER_STACK_BYTES: usize = 2 * 1024 * 1024;

/// Starts the threads of a link.
pub(crate) fn start(engine: &Engine, streams: Streams, trust: Trust) -> io::Result<Arc<Link>> {
    let runs = InlineRuns::new(engine.runtime())?;
    let link = Arc::new(Link::new(engine.next_link(), streams.socket, runs));
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
        let ready = match wait_for_either(&input, link.runs(), patience) {
            Ok(ready) => ready,
            Err(error) => return Loss::Failed(error.to_string()),
        };
        if ready.report || patience.is_some() {
            engine.outgoing().hush();
            link.runs().turn();
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
                link.begin();
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
    let said = link.take_farewell().map_or(Ok(()), |farewell| write_all(output, &farewell));
    link.cut();
    said
}
