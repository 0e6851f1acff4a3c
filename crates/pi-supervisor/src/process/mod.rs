//! Who is who, and who is below whom: identity, state, ancestry and signalling of processes.
//!
//! A pid alone names no one: it is free for reuse when its process is reaped. So everything here
//! goes by [`ProcessIdentity`], a pid with its start time, and a signal is sent through a pidfd
//! opened before the start time was compared, where the system has one.
//!
//! On Linux the source is `/proc` (see `linux.rs`), on macOS libproc (see `macos.rs`). No decision
//! about when to kill is made here (see `sweep`).

#[cfg(target_os = "linux")]
mod activity;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod sys;
#[cfg(test)]
mod tests;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
use macos as platform;

use std::io;

#[cfg(target_os = "linux")]
pub use activity::{Activity, activity_of, threads_of};
#[cfg(target_os = "linux")]
pub use linux::{
    children_of, children_of_single_thread, find_by_inner_pid, lists_children, proc_pid,
};
#[cfg(target_os = "macos")]
pub use macos::ENVIRONMENT_MARKER;

/// One process, for as long as the system runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessIdentity {
    /// Its id in the pid namespace of this process.
    pub pid: i32,
    /// When it started. Linux: clock ticks since boot, field 22 of `/proc/PID/stat`; macOS:
    /// microseconds since the Unix epoch. Compared for equality only.
    pub start_time: u64,
}

/// What a process is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// On a processor, or waiting for one.
    Running,
    /// Waiting for something that a signal interrupts.
    Sleeping,
    /// Waiting in the kernel; only a fatal signal, if any, interrupts it.
    Waiting,
    /// Stopped by a signal or by a tracer.
    Stopped,
    /// Ended; only its exit status is left. A leader that ended before its threads is not this.
    Zombie,
    /// Something this code does not know, taken as alive.
    Other,
}

/// A process as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEntry {
    /// Which one.
    pub identity: ProcessIdentity,
    /// Pid of its parent; 0 when that is outside the pid namespace.
    pub parent: i32,
    /// What it was doing.
    pub state: ProcessState,
    /// Its process group; 0 when the leader is outside the pid namespace.
    pub group: i32,
    /// Its session; 0 when the leader is outside the pid namespace.
    pub session: i32,
}

/// Whether a walk can have missed someone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walk {
    /// Processes that were listed and gone when they were looked at. Each may have left a child
    /// behind that moved to a place the walk had already passed.
    pub vanished: usize,
}

/// Visits every process below `root`, parents before their children, `root` itself not.
///
/// `visit` is called before the children of its process are read: a process that `visit` found
/// stopped cannot have forked since, so what is listed below it is complete.
pub fn walk(root: i32, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
    platform::walk(root, visit)
}

/// Every process below `root`, parents before their children, `root` itself not.
pub fn descendants(root: i32) -> Vec<ProcessEntry> {
    let mut found = Vec::new();
    walk(root, &mut |entry| found.push(*entry));
    found
}

/// Every process that can be seen.
pub fn everyone() -> Vec<ProcessEntry> {
    platform::everyone()
}

/// Processes can be looked up at all. False without a usable `/proc`.
pub fn is_available() -> bool {
    platform::is_available()
}

/// What `pid` is now, if it is anything.
pub fn entry_of(pid: i32) -> Option<ProcessEntry> {
    platform::entry_of(pid)
}

/// Who has `pid` now.
pub fn identity_of(pid: i32) -> Option<ProcessIdentity> {
    entry_of(pid).map(|entry| entry.identity)
}

/// The process runs, sleeps or is stopped. A zombie is dead.
pub fn is_alive(identity: ProcessIdentity) -> bool {
    entry_of(identity.pid)
        .is_some_and(|entry| entry.identity == identity && entry.state != ProcessState::Zombie)
}

/// The arguments of a process, each followed by a NUL, at most `limit` bytes, read at once: an
/// exec between two reads would mix two programs. `None` when it has none (a kernel thread, a
/// zombie) or is gone.
pub fn arguments_of(pid: i32, limit: usize) -> Option<Vec<u8>> {
    platform::arguments_of(pid, limit)
}

/// The short name of a process, as the kernel keeps it.
pub fn name_of(pid: i32) -> Option<Vec<u8>> {
    platform::name_of(pid)
}

/// When a process started, in milliseconds since the Unix epoch, within a clock tick (10 ms).
pub fn started_at_ms(identity: ProcessIdentity) -> u64 {
    platform::started_at_ms(identity)
}

/// The process ignores `signal`. False when it is gone, and where the system does not tell.
pub fn ignores(pid: i32, signal: i32) -> bool {
    platform::ignores(pid, signal)
}

/// Sends `signal` to this very process.
///
/// # Errors
/// `ESRCH` when it is gone, also when another process has its pid; `EPERM` when it may not be
/// signalled; `EINVAL` for a number that is no signal and for a pid below 1, which would address
/// a group.
pub fn signal(identity: ProcessIdentity, signal: i32) -> io::Result<()> {
    if identity.pid < 1 {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    platform::signal(identity, signal)
}

/// Sends `signal` with a number to this very process, as `sigqueue(3)`.
///
/// # Errors
/// As [`signal`].
#[cfg(target_os = "linux")]
pub fn queue_signal(identity: ProcessIdentity, signal: i32, value: u32) -> io::Result<()> {
    if identity.pid < 1 {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    platform::queue_signal(identity, signal, value)
}
