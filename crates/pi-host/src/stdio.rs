//! `pi-host stdio`: an engine that ends with its standard input. With a time to keep it, it is a process of its own, and
//! this one carries bytes (`pump`).

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Resource, Rlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::engine::{Engine, Keep, Over};
use crate::hello::Facts;
use crate::link::{Streams, Trust, write_all};
use crate::place::{Place, remove_stale};
use crate::threads;

/// Threads that poll pipes and timers. The work is in the commands, and a command's thread is the one that goes on with it.
const WORKER_THREADS: usize = 1;

/// Most threads for what may wait for a disk.
const MAX_BLOCKING_THREADS: usize = 32;

/// Time that the runtime's own threads get to end. Those that wait for a disk end with the process.
const RUNTIME_BOUND: Duration = Duration::from_millis(50);

/// What a shell adds to the number of a signal to make a status.
const SIGNAL_STATUS_BASE: u8 = 128;

/// Serves standard input and output until they end.
pub(crate) fn run(nonce: Option<&str>) -> io::Result<ExitCode> {
    let streams = standard_streams()?;
    say(&streams.output, nonce, "ready")?;
    let facts = Facts::begin();
    let status = runtime()?.block_on_and_leave(async {
        let engine = new_engine(facts, None)?;
        end_by_signals(
            &engine,
            &[SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()],
        )?;
        threads::start(&engine, streams, Trust::Whole)?;
        let status = engine.serve_until_over().await;
        engine.place().close();
        Ok(status)
    })?;
    Ok(ExitCode::from(status))
}

/// Copies of standard input and output, whose own places are taken by nothing: what this program prints by mistake must
/// not come between frames.
pub(crate) fn standard_streams() -> io::Result<Streams> {
    let (input, output) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    let streams = Streams {
        input: rustix::io::fcntl_dupfd_cloexec(input, 3)?,
        output: rustix::io::fcntl_dupfd_cloexec(output, 3)?,
        socket: None,
    };
    let null: OwnedFd = File::options().read(true).write(true).open("/dev/null")?.into();
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(streams)
}

/// Writes the marker after which there are only frames, where there is a nonce for it.
pub(crate) fn say(output: &OwnedFd, nonce: Option<&str>, what: &str) -> io::Result<()> {
    let Some(nonce) = nonce else { return Ok(()) };
    let output = File::from(output.as_fd().try_clone_to_owned()?);
    write_all(&output, format!("\nPI-HOST {nonce} {what}\n").as_bytes())
}

/// An engine in a folder of its own.
pub(crate) fn new_engine(facts: Facts, keep: Option<Keep>) -> io::Result<Engine> {
    let place = Place::create(&crate::random_hex(16)?)?;
    // What instances before this one could not remove. Without a thread a later one does it.
    drop(std::thread::Builder::new().name("sweep".to_owned()).spawn(remove_stale));
    Ok(Engine::new(place, facts, keep))
}

/// Ends everything, and lets near know, when one of these comes.
pub(crate) fn end_by_signals(engine: &Engine, kinds: &[SignalKind]) -> io::Result<()> {
    for kind in kinds {
        let number = kind.as_raw_value();
        let mut signals = signal(*kind)?;
        let ending = engine.clone();
        engine.spawn(async move {
            if signals.recv().await.is_some() {
                let number_of_status = u8::try_from(number).unwrap_or_default();
                ending.finish(Over {
                    reason: "terminated",
                    detail: format!("pi-host was ended by signal {number}"),
                    status: SIGNAL_STATUS_BASE.saturating_add(number_of_status),
                });
            }
        });
    }
    Ok(())
}

/// Allows this process as many descriptors as it may have, as Node.js does for local sessions: each session has some.
fn allow_descriptors() {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let most = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Where that is refused there are fewer sessions.
    rustix::process::setrlimit(Resource::Nofile, most).ok();
}

/// The runtime that everything lives on.
pub(crate) struct Leaving(Runtime);

/// Starts the runtime's threads.
pub(crate) fn runtime() -> io::Result<Leaving> {
    allow_descriptors();
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .thread_name("pi-host")
        .enable_all()
        .build()?;
    Ok(Leaving(runtime))
}

impl Leaving {
    /// Runs to the end, and waits for no thread that a disk holds.
    pub(crate) fn block_on_and_leave<T>(
        self,
        work: impl Future<Output = io::Result<T>>,
    ) -> io::Result<T> {
        let result = self.0.block_on(work);
        self.0.shutdown_timeout(RUNTIME_BOUND);
        result
    }
}
