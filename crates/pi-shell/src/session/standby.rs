//! The standby: a frozen copy of the shell as of the last finished command.
//!
//! It is the checkpoint that takes over after `exec`, `kill -9 $$` or a stop that bash ignored,
//! and it runs copies of the session while the shell is busy. It takes orders from a FIFO that
//! the host holds open on both sides, so that no order is lost between two reads.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

use super::frames::{Frame, FrameBody};
use super::members::Machinery;
use super::ownership::Title;
use super::protocol::{self, Token};
use super::shared::Shared;
use crate::supervisor::Supervisor;
use crate::sys::signals::KILL;
use crate::tree::{self, ProcessIdentity};

/// A standby that was ordered and has not answered yet.
pub(super) struct ExpectedStandby {
    pub(super) token: Token,
    pub(super) serial: u64,
    fifo: OwnedFd,
    path: PathBuf,
}

impl ExpectedStandby {
    /// Opens the FIFO for its orders. `serial` grows: of two standbys the later one is newer.
    pub(super) fn prepare(path: PathBuf, token: Token, serial: u64) -> io::Result<Self> {
        // Both sides: bash's open never waits, and orders stay when nobody reads for a moment.
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fifo = rustix::fs::open(&path, flags, Mode::empty())?;
        Ok(Self { token, serial, fifo, path })
    }

    /// Its FIFO's path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// It answered.
    fn born(self, pid: i32) -> Option<Standby> {
        drop(std::fs::remove_file(&self.path));
        let identity = tree::identity_of(pid)?;
        Some(Standby { identity, serial: self.serial, fifo: self.fifo })
    }
}

/// A standby that takes orders. Killed when dropped; copies that it started live on.
pub(super) struct Standby {
    identity: ProcessIdentity,
    serial: u64,
    fifo: OwnedFd,
}

impl Standby {
    /// Gives it an order that fits a message.
    pub(super) fn send(&self, text: &str) -> io::Result<()> {
        let order = protocol::standby_order(text);
        // Smaller than PIPE_BUF: written whole or not at all.
        rustix::io::write(&self.fifo, &order)?;
        Ok(())
    }

    /// Whether it can still obey.
    pub(super) fn is_alive(&self) -> bool {
        tree::is_alive(self.identity)
    }

    /// Whether commands have opened descriptors that last: all that bash keeps for itself are
    /// close-on-exec, what `exec 5<file` opens is not. `false` where there is no `/proc`.
    pub(super) fn has_opened(&self) -> bool {
        let place = format!("/proc/{}/fdinfo", self.identity.pid);
        let Ok(entries) = std::fs::read_dir(place) else { return false };
        entries.flatten().any(|entry| {
            let number = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
            let flags = std::fs::read_to_string(entry.path()).ok().and_then(|text| flags_of(&text));
            number.is_some_and(|number| number > 2)
                && flags.is_some_and(|flags| flags & CLOSE_ON_EXEC == 0)
        })
    }

    /// Whether it has the state that the command with this standby left, or a later one.
    pub(super) fn is_at_least(&self, serial: u64) -> bool {
        self.serial >= serial
    }
}

/// `O_CLOEXEC` as `proc_pid_fdinfo(5)` shows it among a descriptor's flags.
const CLOSE_ON_EXEC: u32 = OFlags::CLOEXEC.bits();

/// The flags in a descriptor's `fdinfo`, an octal number.
fn flags_of(info: &str) -> Option<u32> {
    let number = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
    u32::from_str_radix(number.trim(), 8).ok()
}

impl Drop for Standby {
    fn drop(&mut self) {
        // A standby that is gone already needs no signal.
        drop(tree::signal(self.identity, KILL));
    }
}

/// The standby of a session, shared with the copies that are being started from it.
///
/// The lock is held from an order until its answer, so that a standby is not replaced, and
/// thereby killed, while an order lies unread in its FIFO.
pub(super) type StandbySlot = Arc<tokio::sync::Mutex<Option<Standby>>>;

/// Standbys on their way, and the place where the newest one goes.
pub(super) struct Births {
    expected: Vec<ExpectedStandby>,
    slot: StandbySlot,
    machinery: Machinery,
    supervisor: Supervisor,
    title: Title,
}

impl Births {
    /// For the engine with that title: what it leaves after its session was handed over is not kept.
    pub(super) fn new(shared: &Shared, title: Title) -> Self {
        Self {
            expected: Vec::new(),
            slot: Arc::clone(&shared.slot),
            machinery: shared.machinery.clone(),
            supervisor: shared.supervisor.clone(),
            title,
        }
    }

    /// A standby was ordered. Returns its serial.
    pub(super) fn expect(&mut self, expected: ExpectedStandby) -> u64 {
        let serial = expected.serial;
        self.expected.push(expected);
        serial
    }

    /// Whether one that was ordered has not answered.
    pub(super) fn are_pending(&self) -> bool {
        !self.expected.is_empty()
    }

    /// Forgets those that did not come: their shell is gone.
    pub(super) fn forget(&mut self) {
        for expected in self.expected.drain(..) {
            drop(std::fs::remove_file(&expected.path));
        }
    }

    /// Forgets the one with that serial: it does not come.
    pub(super) fn forget_one(&mut self, serial: u64) {
        if let Some(at) = self.expected.iter().position(|one| one.serial == serial) {
            drop(std::fs::remove_file(&self.expected.swap_remove(at).path));
        }
    }

    /// Takes note of an answer, where it is a standby's first.
    pub(super) async fn note(&mut self, frame: Frame) {
        let FrameBody::Born { pid } = frame.body else { return };
        let Some(at) = self.expected.iter().position(|one| one.token == frame.token) else {
            return;
        };
        let pid = self.supervisor.own_pid_of(pid);
        self.machinery.insert(pid);
        let Some(standby) = self.expected.swap_remove(at).born(pid) else { return };
        if !self.title.covers(standby.serial) {
            return;
        }
        let mut slot = self.slot.lock().await;
        if slot.as_ref().is_none_or(|current| current.serial < standby.serial) {
            *slot = Some(standby);
        }
    }
}
