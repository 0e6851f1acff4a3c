//! The threads that runs live on: one tokio runtime for the whole process, started by the first
//! operation and never stopped.
//!
//! Not napi's own runtime: that one is counted up and down with the environments, and a worker's
//! end would then wait for the runs of its siblings. Threads that outlive every environment are
//! safe because the addon is never unloaded (`build.rs`), and they end with the process.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads that poll pipes and timers. With one, the thread that waits for a pipe is the one that
/// goes on with its run: a builtin's round trip takes 80 µs instead of 135 µs with two, which hand
/// each wake-up to each other. It decodes gigabytes a second; the work itself is in the children.
/// Multi-threaded all the same, so that the core may hand its place on before a blocking write.
const WORKER_THREADS: usize = 1;

/// Most threads for blocking calls (files on slow disks); idle ones end after ten seconds.
const MAX_BLOCKING_THREADS: usize = 32;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime's handle, started on first use.
///
/// # Errors
/// What the system said when no thread could be started. The next call tries again.
pub(crate) fn handle() -> io::Result<&'static Handle> {
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle());
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle());
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .thread_name("pi-bash")
        .enable_all()
        .build()?;
    Ok(RUNTIME.get_or_init(|| runtime).handle())
}

/// The handle if any operation ever started; a value that is dropped needs no new threads.
pub(crate) fn started() -> Option<&'static Handle> {
    RUNTIME.get().map(Runtime::handle)
}
