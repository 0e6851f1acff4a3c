//! A child of this process, held so that no one else can be mistaken for it, and reaped without
//! touching the host's other children.
//!
//! The host has children of its own and a SIGCHLD handler that expects them; so nothing here
//! waits for "any child". On Linux the handle is a pidfd, which also becomes readable at the
//! child's end. Without one (kernels before 5.4, macOS) the pid is used: it cannot be reused
//! before it was reaped, which is done here alone.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// Pause between two looks where there is no pidfd to wait for.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// A child process that was not reaped yet.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    pid: Pid,
    pidfd: Option<OwnedFd>,
}

impl ProcessHandle {
    /// Takes over a child of this process.
    ///
    /// # Errors
    /// `EMFILE` and `ENFILE` when no descriptor is left, `EINVAL` for a number that is no pid. A
    /// system without pidfds is no error.
    pub(crate) fn new(pid: u32) -> io::Result<Self> {
        let invalid = || io::Error::from(Errno::INVAL);
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(invalid)?;
        Ok(Self { pid, pidfd: open(pid)? })
    }

    /// Its pid.
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Readable when the process has ended, where the system has such a descriptor.
    pub(crate) fn pidfd(&self) -> Option<&OwnedFd> {
        self.pidfd.as_ref()
    }

    /// Kills it. That it is dead already is no error.
    pub(crate) fn kill(&self) -> io::Result<()> {
        match self.send_kill() {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    #[cfg(target_os = "linux")]
    fn send_kill(&self) -> Result<(), Errno> {
        match &self.pidfd {
            Some(pidfd) => rustix::process::pidfd_send_signal(pidfd, Signal::KILL),
            None => rustix::process::kill_process(self.pid, Signal::KILL),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send_kill(&self) -> Result<(), Errno> {
        rustix::process::kill_process(self.pid, Signal::KILL)
    }

    /// Takes its exit status if it has ended; true when there is nothing left to take, also when
    /// another part of the host reaped it.
    pub(crate) fn try_reap(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        !matches!(rustix::process::waitid(self.wait_id(), options), Ok(None) | Err(Errno::INTR))
    }

    #[cfg(target_os = "linux")]
    fn wait_id(&self) -> WaitId<'_> {
        self.pidfd.as_ref().map_or(WaitId::Pid(self.pid), |pidfd| WaitId::PidFd(pidfd.as_fd()))
    }

    #[cfg(not(target_os = "linux"))]
    fn wait_id(&self) -> WaitId<'_> {
        WaitId::Pid(self.pid)
    }

    /// Blocks until it was reaped, at most for `bound`; true when it was.
    pub(crate) fn reap_within(&self, bound: Duration) -> bool {
        let deadline = Instant::now() + bound;
        loop {
            if self.try_reap() {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.wait_for_end(left);
        }
    }

    fn wait_for_end(&self, bound: Duration) {
        let Some(pidfd) = &self.pidfd else {
            std::thread::sleep(LOOK_INTERVAL.min(bound));
            return;
        };
        let bound = Timespec::try_from(bound).ok();
        // An interruption only makes the next look come early.
        poll(&mut [PollFd::new(pidfd, PollFlags::IN)], bound.as_ref()).ok();
    }
}

#[cfg(target_os = "linux")]
fn open(pid: Pid) -> io::Result<Option<OwnedFd>> {
    use rustix::process::{PidfdFlags, pidfd_open};
    match pidfd_open(pid, PidfdFlags::empty()) {
        // Opening succeeds on 5.3 already, waiting through it came with 5.4.
        Ok(pidfd) => {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let can_wait = rustix::process::waitid(WaitId::PidFd(pidfd.as_fd()), options);
            Ok((!matches!(can_wait, Err(Errno::INVAL))).then_some(pidfd))
        }
        Err(errno @ (Errno::MFILE | Errno::NFILE)) => Err(errno.into()),
        Err(_) => Ok(None),
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the same form as on Linux")]
fn open(_: Pid) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}
