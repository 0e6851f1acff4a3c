//! The host's end of the supervisor: starts it, has it start programs, learns how they end.
//!
//! # Theory of operation
//! One task, the [`driver`], owns the socket: it sends requests in the order they come and hands
//! each event to whoever waits for it. Handles only hold channels to it, so every future here can
//! be dropped at any time without breaking a frame. The last handle's end shuts the socket down,
//! and then the supervisor kills its tree and ends; the same happens when the host is killed,
//! because the kernel closes its sockets.
//!
//! What the supervisor itself does is in `crates/pi-supervisor`; `docs/supervisor.md` has both
//! sides. Which program is started, and when it is stopped, is the session's.
#![cfg(unix)]

mod driver;
mod launch;
mod orphans;
mod request;
mod surroundings;
mod transport;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use pi_supervisor::process;
use pi_supervisor::wire::Exit;
#[cfg(target_os = "linux")]
use pi_supervisor::wire::Request;
pub use pi_supervisor::wire::SpawnStep;
use rustix::net::Shutdown;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::budget::USAGE_LIMIT;
use crate::tree::ProcessIdentity;
use crate::{ProcessError, ResourceUsage, lock};
use driver::Order;
pub use request::SpawnRequest;
pub use surroundings::Surroundings;
use transport::{Frame, Socket};

/// A running supervisor. Clones are the same one; with the last of them its tree dies.
#[derive(Clone)]
pub struct Supervisor {
    inner: Arc<Inner>,
}

struct Inner {
    identity: ProcessIdentity,
    socket: Arc<Socket>,
    orders: mpsc::UnboundedSender<Order>,
    /// What it listens at in its network namespace, until a proxy takes it.
    listener: Mutex<Option<OwnedFd>>,
    /// Number of the next program.
    next_id: AtomicU32,
    /// Whether the supervisor is dead and reaped.
    ended: watch::Receiver<bool>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // At once, for the runtime that runs the driver may never run again.
        self.shut_down();
    }
}

impl Inner {
    fn shut_down(&self) {
        // Fails when the supervisor is dead already, which is what it is for.
        rustix::net::shutdown(&*self.socket, Shutdown::Write).ok();
        self.orders.send(Order::Close).ok();
        // Someone may have stopped it; stopped, it could not kill its tree.
        process::signal(self.identity, libc::SIGCONT).ok();
    }

    fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

/// A program that did not start.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the program ({step:?}): {source}")]
pub struct SpawnFailure {
    /// What was being done.
    pub step: SpawnStep,
    /// What the system said.
    pub source: io::Error,
}

impl SpawnFailure {
    fn new(step: SpawnStep, errno: i32) -> Self {
        Self { step, source: io::Error::from_raw_os_error(errno) }
    }

    /// Whether arguments and environment are more than the system gives a program, or than a
    /// request can hold.
    pub fn is_too_large(&self) -> bool {
        matches!(self.step, SpawnStep::Execute | SpawnStep::Request)
            && self.source.raw_os_error() == Some(libc::E2BIG)
    }

    /// The supervisor is not there to be asked.
    fn unreachable() -> Self {
        Self::new(SpawnStep::Request, libc::EPIPE)
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildExit {
    /// It returned a status.
    Exited(u8),
    /// A signal of this number ended it.
    Signaled(i32),
    /// The supervisor is gone, and with it whatever could be known.
    Lost,
}

impl From<Exit> for ChildExit {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Code(code) => Self::Exited(code),
            Exit::Signal(signal) => Self::Signaled(signal),
        }
    }
}

/// A program the supervisor started. Dropping it does nothing to the program.
#[derive(Debug, Clone)]
pub struct Child {
    identity: ProcessIdentity,
    exit: watch::Receiver<Option<ChildExit>>,
    usage: Arc<OnceLock<ResourceUsage>>,
}

impl Child {
    /// Which process it is; its pid is also its process group and its session.
    pub fn identity(&self) -> ProcessIdentity {
        self.identity
    }

    /// Its pid, free for reuse once it has ended.
    pub fn pid(&self) -> i32 {
        self.identity.pid
    }

    /// How it ended, as far as the supervisor has reported; `None` while it runs.
    pub fn exit_status(&self) -> Option<ChildExit> {
        let reported = *self.exit.borrow();
        // Without a driver nothing will be reported any more.
        reported.or_else(|| self.exit.has_changed().is_err().then_some(ChildExit::Lost))
    }

    /// What it and the children it waited for used; `None` where it lives on, or the supervisor is gone. For one that has
    /// ended, or is about to: the report of its end is waited for.
    pub async fn usage(&self) -> Option<ResourceUsage> {
        let _known = timeout(USAGE_LIMIT, self.exited()).await;
        self.usage.get().copied()
    }

    /// Waits for its end. May be dropped and called again, by any number of callers.
    pub async fn exited(&self) -> ChildExit {
        let mut exit = self.exit.clone();
        let reported = exit.wait_for(Option::is_some).await.map_or(None, |reported| *reported);
        reported.unwrap_or(ChildExit::Lost)
    }
}

impl Supervisor {
    /// Starts the executable and waits until it is ready, at most 5 s, and until it has given up
    /// what its surroundings say, at most as long again. It removes `folder` when it ends.
    ///
    /// Must run within a tokio runtime with I/O and time, which then drives the supervisor. The
    /// host is not forked: a process of hundreds of megabytes takes milliseconds to copy.
    ///
    /// # Errors
    /// [`ProcessError::Supervisor`] when it cannot be executed, ends, answers late or is of another
    /// build; [`ProcessError::System`] when the host has no descriptor or memory for it. Nothing of
    /// it is left then.
    pub async fn launch(
        executable: &Path,
        folder: Option<&Path>,
        surroundings: Option<&Surroundings>,
    ) -> Result<Self, ProcessError> {
        let mut launched = launch::launch(executable, folder, surroundings).await?;
        let listener = Mutex::new(launched.listener.take());
        let identity = launched.identity;
        let socket = launched.connection.socket();
        let (orders, inbox) = mpsc::unbounded_channel();
        let (tell_end, ended) = watch::channel(false);
        tokio::spawn(driver::Driver::new(launched, inbox, tell_end).run());
        let next_id = AtomicU32::new(1);
        Ok(Self { inner: Arc::new(Inner { identity, socket, orders, listener, next_id, ended }) })
    }

    /// Its pid: root of the tree of everything it started.
    pub fn pid(&self) -> i32 {
        self.inner.identity.pid
    }

    /// Takes the listener of its network namespace, where its surroundings asked for one.
    pub fn take_listener(&self) -> Option<OwnedFd> {
        lock(&self.inner.listener).take()
    }

    /// Lets it go on where a command stopped it (`kill -STOP $PPID`): nothing else would, and what it
    /// has to tell is waited for. Without effect on one that runs.
    pub fn wake(&self) {
        // Gone already shows elsewhere.
        process::signal(self.inner.identity, libc::SIGCONT).ok();
    }

    /// Starts a program as leader of its own session and process group, with default signal
    /// dispositions and no signal blocked.
    ///
    /// Dropped before it returned, it kills what it started. There is no bound of its own: a
    /// working directory on a dead network file system holds the start up as long as it likes.
    ///
    /// # Errors
    /// [`SpawnFailure`] with the step; nothing of the program is left then.
    pub async fn spawn(&self, request: SpawnRequest) -> Result<Child, SpawnFailure> {
        let id = self.inner.next_id();
        let frame = request.into_frame(id)?;
        self.ask_for_child(id, frame).await
    }

    async fn ask_for_child(&self, id: u32, frame: Frame) -> Result<Child, SpawnFailure> {
        let (answer, answered) = oneshot::channel();
        let order = Order::Spawn { id, frame, answer };
        self.wake();
        self.inner.orders.send(order).map_err(|_| SpawnFailure::unreachable())?;
        answered.await.unwrap_or_else(|_| Err(SpawnFailure::unreachable()))
    }

    /// Has it tell of the end of a child that it did not start: `pid`, as its programs count.
    ///
    /// # Errors
    /// [`SpawnFailure`] where that is not a child of its own any more.
    #[cfg(target_os = "linux")]
    pub async fn adopt(&self, pid: i32) -> Result<Child, SpawnFailure> {
        let id = self.inner.next_id();
        let bytes = Request::Adopt { id, pid }
            .encode()
            .map_err(|_| SpawnFailure::new(SpawnStep::Request, libc::E2BIG))?;
        self.ask_for_child(id, Frame::new(bytes)).await
    }

    /// Ends it with everything it started, and reaps it; at most for `bound`.
    ///
    /// Idempotent; several calls at once each wait for the same end. Past the bound the killing goes on without being waited
    /// for: the supervisor gives up after 5 s, and is itself killed and reaped after 7.
    pub async fn close(&self, bound: Duration) {
        self.inner.shut_down();
        let mut ended = self.inner.ended.clone();
        // An error means that the runtime is being shut down; a thread reaps the supervisor then.
        drop(timeout(bound, ended.wait_for(|has_ended| *has_ended)).await);
    }
}

#[cfg(test)]
#[path = "../../../pi-supervisor/tests/support/executable.rs"]
pub(crate) mod executable;
#[cfg(test)]
mod tests;
