//! Standbys: copies of the session's shell that wait on a socket of their own. One becomes the session's shell where
//! that dies or is handed over, and copies for single commands are made from it.

use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use pi_process::budget;
use pi_process::sys::signals::KILL;
use pi_process::tree::{self, ProcessIdentity};
use tokio::sync::{Mutex, MutexGuard, Notify};

use super::channel::Channel;
use super::confined::Confined;
use super::faults::Faults;
use super::fit::Pair;
use super::protocol;
use super::shell::DrivenShell;
use crate::error::ShellError;
use crate::session::ground::{Ground, ReportId};
use crate::session::members::InternalProcesses;
use crate::session::ownership::Title;

/// How often it is looked for.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Time that a session may take to have any.
const STANDBY_LIMIT: Duration = Duration::from_secs(5);

/// Number of the state that a session begins with: a fresh shell has it too.
const FIRST_STATE: u64 = 1;

/// What the session's shell and its copies have in common.
pub(in crate::session) struct Shared {
    ground: Ground,
    slot: Mutex<Option<Standby>>,
    /// Number of the session's state: it grows with each command that may have changed it. A standby's serial is the
    /// number of the state that it has.
    state: AtomicU64,
    /// Serial of the last standby that was ordered.
    ordered: AtomicU64,
    /// Standbys that were ordered and have neither greeted nor failed.
    awaited: AtomicUsize,
    settled: Notify,
    /// The one that read-only copies are made from.
    pub(super) confined: Confined,
    /// What deaths of the session's shells say.
    pub(super) faults: Faults,
}

impl Deref for Shared {
    type Target = Ground;

    fn deref(&self) -> &Ground {
        &self.ground
    }
}

/// A copy that waits. Killed when dropped.
pub(super) struct Standby {
    process: Process,
    serial: u64,
    channel: Channel,
    sequence: u32,
}

impl Standby {
    /// Number of the session's state that it has.
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    pub(super) fn is_alive(&self) -> bool {
        tree::is_alive(self.process.0)
    }

    /// Its process, as this host counts.
    pub(super) fn pid(&self) -> i32 {
        self.process.0.pid
    }

    /// Has it leave a copy with that socket and, beside it, `ruleset`. Returns the copy's process, as the supervisor counts.
    pub(super) async fn fork(
        &mut self,
        mut birth: Birth,
        order: impl FnOnce(u32) -> Vec<u8>,
        ruleset: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Birth, i32)> {
        self.sequence = self.sequence.wrapping_add(1);
        let theirs = birth.theirs.take().ok_or(io::ErrorKind::InvalidInput)?;
        let descriptors: Vec<BorrowedFd<'_>> =
            [Some(theirs.as_fd()), ruleset].into_iter().flatten().collect();
        self.channel.send(&order(self.sequence), &descriptors)?;
        // Else a copy that ends without a word would leave its host waiting.
        drop(theirs);
        let inner = self.channel.forked(self.sequence, self.pid()).await?;
        Ok((birth, inner))
    }
}

/// A copy that was not heard of yet: until it greets, its socket is all that is known of it.
pub(super) struct Birth {
    channel: Channel,
    theirs: Option<OwnedFd>,
    _expected: Expected,
}

/// Counts whoever has a socket to the session's own processes, as long as this value lives.
struct Expected {
    internal: InternalProcesses,
    socket: ReportId,
}

impl Drop for Expected {
    fn drop(&mut self) {
        self.internal.expect_no_more(self.socket);
    }
}

struct Process(ProcessIdentity);

impl Drop for Process {
    fn drop(&mut self) {
        // One that is gone already needs no signal.
        drop(tree::signal(self.0, KILL));
    }
}

impl Shared {
    pub(super) fn new(ground: Ground, pair: Option<Pair>) -> Self {
        Self {
            ground,
            slot: Mutex::default(),
            state: AtomicU64::new(FIRST_STATE),
            ordered: AtomicU64::new(0),
            awaited: AtomicUsize::new(0),
            settled: Notify::new(),
            confined: Confined::default(),
            faults: Faults::of(pair),
        }
    }

    /// Serial of the standby that has the session's state.
    pub(in crate::session) fn current_standby(&self) -> u64 {
        self.state.load(Ordering::SeqCst)
    }

    /// A command may have changed the session's state.
    pub(super) fn note_change(&self) {
        self.state.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether the state is the one that a session begins with.
    pub(super) fn is_untouched(&self) -> bool {
        self.current_standby() == FIRST_STATE
    }

    /// Whether no standby was ordered that has the session's state.
    pub(super) fn wants_standby(&self) -> bool {
        self.ordered.load(Ordering::SeqCst) != self.current_standby()
    }

    /// Whether the one that has it has died.
    pub(super) fn has_lost_standby(&self) -> bool {
        // Locked, it is being replaced or copied.
        self.slot.try_lock().is_ok_and(|slot| {
            self.awaited.load(Ordering::SeqCst) == 0
                && slot.as_ref().is_none_or(|one| one.channel.has_ended())
        })
    }

    /// Has `shell` leave a standby, in the background. Without one a session still works; it only loses more when its
    /// shell dies.
    pub(super) fn leave_standby(self: &Arc<Self>, shell: &mut DrivenShell, title: &Title) {
        let Ok((mut channel, theirs)) = Channel::pair() else { return };
        let socket = channel.peer();
        let serial = self.current_standby();
        // Until it greets, its socket is all that is known of it.
        self.internal.expect(socket);
        if shell.leave_copy(&theirs).is_err() {
            self.internal.expect_no_more(socket);
            return;
        }
        drop(theirs);
        self.ordered.store(serial, Ordering::SeqCst);
        self.awaited.fetch_add(1, Ordering::SeqCst);
        let (shared, title) = (Arc::clone(self), title.clone());
        // Bounded by the greeting's limit.
        drop(tokio::spawn(async move {
            if let Ok(greeting) = channel.greeting().await
                && let Some(identity) = tree::identity_of(greeting.pid)
            {
                shared.internal.insert(greeting.pid);
                let process = Process(identity);
                let standby = Standby { process, serial, channel, sequence: 0 };
                shared.keep(standby, &title).await;
            }
            shared.internal.expect_no_more(socket);
            shared.awaited.fetch_sub(1, Ordering::SeqCst);
            shared.settled.notify_waiters();
        }));
    }

    async fn keep(&self, standby: Standby, title: &Title) {
        let mut slot = self.slot.lock().await;
        let is_newer = slot.as_ref().is_none_or(|present| present.serial <= standby.serial);
        if is_newer && title.covers(standby.serial) {
            *slot = Some(standby);
        }
    }

    /// Waits a moment for the standbys that were ordered.
    pub(super) async fn settle(&self) {
        let all = async {
            loop {
                // From here on no end is missed.
                let settled = self.settled.notified();
                if self.awaited.load(Ordering::SeqCst) == 0 {
                    return;
                }
                settled.await;
            }
        };
        drop(tokio::time::timeout(budget::STANDBY_LIMIT, all).await);
    }

    /// The newest standby as a shell of its own, and whether it has the session's state or an older one; `None` where
    /// there is none that lives.
    pub(super) async fn promote(&self) -> Option<(DrivenShell, bool)> {
        self.settle().await;
        let standby = self.slot.lock().await.take();
        self.ordered.store(0, Ordering::SeqCst);
        let Standby { process, channel, serial, .. } = standby?;
        let inner = tree::pid_in_its_namespace(process.0)?;
        let child = self.supervisor.adopt(inner).await.ok()?;
        if child.identity() != process.0 {
            return None;
        }
        self.internal.remove(child.pid());
        std::mem::forget(process);
        Some((DrivenShell::over(child, channel, true), serial == self.current_standby()))
    }

    /// Gives up the standbys, since the session's next shell is a fresh one.
    pub(super) async fn drop_standbys(&self) {
        self.confined.drop_standby().await;
        self.drop_standby().await;
    }

    /// Gives up the standbys, since the session ends.
    pub(super) async fn end_standbys(&self) {
        self.confined.end_standby();
        self.drop_standby().await;
    }

    async fn drop_standby(&self) {
        *self.slot.lock().await = None;
        self.ordered.store(0, Ordering::SeqCst);
    }

    /// A copy of the session as of its last finished command, with a process id of its own.
    pub(super) async fn copy(&self) -> Result<DrivenShell, ShellError> {
        bounded(async {
            let birth = self.birth()?;
            // Locked until the standby has answered: whoever replaces it kills it.
            let mut slot = self.fresh_slot().await;
            let standby = slot.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            let order = |sequence| protocol::fork_order(sequence, true);
            let (birth, inner) = standby.fork(birth, order, None).await?;
            drop(slot);
            self.grown(birth, inner).await
        })
        .await
    }

    /// What a copy is born with.
    pub(super) fn birth(&self) -> io::Result<Birth> {
        let (channel, theirs) = Channel::pair()?;
        let expected = Expected { internal: self.internal.clone(), socket: channel.peer() };
        self.internal.expect(channel.peer());
        Ok(Birth { channel, theirs: Some(theirs), _expected: expected })
    }

    /// The shell of a copy, once it has greeted; `inner` is its process, as the supervisor counts.
    pub(super) async fn grown(&self, mut birth: Birth, inner: i32) -> io::Result<DrivenShell> {
        let greeting = birth.channel.greeting().await?;
        self.internal.insert(greeting.pid);
        let child = self.supervisor.adopt(inner).await.map_err(|failure| failure.source)?;
        if child.pid() != greeting.pid {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        Ok(DrivenShell::over(child, birth.channel, true))
    }

    /// A copy that waits, once it has greeted.
    pub(super) async fn waiting(&self, mut birth: Birth, serial: u64) -> io::Result<Standby> {
        let greeting = birth.channel.greeting().await?;
        let identity = tree::identity_of(greeting.pid).ok_or(io::ErrorKind::BrokenPipe)?;
        self.internal.insert(greeting.pid);
        Ok(Standby { process: Process(identity), serial, channel: birth.channel, sequence: 0 })
    }

    /// Waits for the standby that has the session's state; then only `ordered` is asked.
    pub(in crate::session) async fn until_fresh(&self) {
        loop {
            // From here on no end is missed.
            let settled = self.settled.notified();
            if self.ordered.load(Ordering::SeqCst) == self.current_standby()
                && self.awaited.load(Ordering::SeqCst) == 0
            {
                return;
            }
            settled.await;
        }
    }

    /// Waits for the newest standby, a while; then takes the one that there is.
    pub(super) async fn fresh_slot(&self) -> MutexGuard<'_, Option<Standby>> {
        let patience = tokio::time::Instant::now() + budget::STANDBY_LIMIT;
        loop {
            let slot = self.slot.lock().await;
            let fresh = self.current_standby();
            let is_hurried = tokio::time::Instant::now() > patience;
            let serves = |one: &Standby| {
                tree::is_alive(one.process.0) && (is_hurried || one.serial >= fresh)
            };
            if slot.as_ref().is_some_and(serves) {
                return slot;
            }
            drop(slot);
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }
}

/// What making a copy came to, within the time that it may take.
pub(super) async fn bounded<T>(made: impl Future<Output = io::Result<T>>) -> Result<T, ShellError> {
    tokio::time::timeout(2 * STANDBY_LIMIT, made)
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        .map_err(|source| ShellError::system("copy the session", source))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_copy_that_waits_is_killed_when_it_is_given_up() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();

        drop(Process(tree::identity_of(pid).unwrap()));

        assert_eq!(child.wait().unwrap().signal(), Some(KILL));
    }

    #[test]
    fn a_copy_whose_birth_is_over_is_not_expected_any_more() {
        let (internal, socket) = (InternalProcesses::default(), Some((1, 7)));
        internal.expect(socket);
        assert_eq!(internal.living().sockets.len(), 1);

        drop(Expected { internal: internal.clone(), socket });

        assert_eq!(internal.living().sockets.len(), 0);
    }
}
