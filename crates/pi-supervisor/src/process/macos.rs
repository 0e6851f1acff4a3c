//! Processes through libproc, for macOS.
//!
//! There is no subreaper: a process whose parent died moves to launchd, out of the ancestry. So
//! "below `root`" is the closure over three relations: the parent; the session, where it was made
//! below `root`; and the variable [`ENVIRONMENT_MARKER`], which the supervisor puts into every
//! environment it starts a program with and which is inherited by all that do not clear it. What
//! clears its environment, makes a session of its own and outlives its parent is not found.

use std::collections::HashSet;
use std::io;

use super::{ProcessEntry, ProcessIdentity, Walk, sys};

/// Name of the variable whose value is the pid of the supervisor that a process belongs to.
pub const ENVIRONMENT_MARKER: &str = "PI_BASH_SUPERVISOR_PID";

pub(super) fn is_available() -> bool {
    true
}

pub(super) fn entry_of(pid: i32) -> Option<ProcessEntry> {
    sys::record_of(pid)
}

pub(super) fn everyone() -> Vec<ProcessEntry> {
    sys::everyone().into_iter().filter_map(sys::record_of).collect()
}

pub(super) fn walk(root: i32, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
    let marker = format!("{ENVIRONMENT_MARKER}={root}").into_bytes();
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut members = HashSet::from([root]);
    let mut sessions = HashSet::from([root]);
    let mut candidates = everyone();
    // Our own record never belongs to a tree that we look at from outside.
    candidates.retain(|entry| entry.identity.pid != root && entry.identity.pid != own);
    let (mut bearers, mut others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|entry| is_marked(entry.identity.pid, &marker));
    // Rounds until no one joins: a child can be listed before its parent.
    loop {
        let joined: Vec<ProcessEntry> = bearers
            .drain(..)
            .chain(others.extract_if(.., |entry| {
                members.contains(&entry.parent) || sessions.contains(&entry.session)
            }))
            .collect();
        if joined.is_empty() {
            break;
        }
        for entry in joined {
            members.insert(entry.identity.pid);
            if members.contains(&entry.session) {
                sessions.insert(entry.session);
            }
            visit(&entry);
        }
    }
    let vanished = members
        .iter()
        .flat_map(|pid| sys::children_of(*pid))
        .filter(|child| !members.contains(child))
        .count();
    Walk { vanished }
}

/// One of the environment's entries, as the process was started with it, is `marker`.
fn is_marked(pid: i32, marker: &[u8]) -> bool {
    sys::argument_block(pid)
        .is_some_and(|block| block.split(|byte| *byte == 0).any(|e| e == marker))
}

pub(super) fn arguments_of(pid: i32, limit: usize) -> Option<Vec<u8>> {
    // A count, the path of the program padded with NULs, then that many arguments.
    let block = sys::argument_block(pid)?;
    let (count, rest) = block.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path_end = rest.iter().position(|byte| *byte == 0)?;
    let padding = rest.get(path_end..)?.iter().position(|byte| *byte != 0)?;
    let arguments = rest.get(path_end + padding..)?;
    let length: usize =
        arguments.split_inclusive(|byte| *byte == 0).take(count).map(<[u8]>::len).sum();
    let arguments = arguments.get(..length.min(limit))?;
    (!arguments.is_empty()).then(|| arguments.to_vec())
}

pub(super) fn name_of(pid: i32) -> Option<Vec<u8>> {
    sys::name_of(pid)
}

pub(super) fn started_at_ms(identity: ProcessIdentity) -> u64 {
    identity.start_time / 1000
}

/// libproc does not tell; the caller then takes the longer of its two bounds.
pub(super) fn ignores(_pid: i32, _signal: i32) -> bool {
    false
}

pub(super) fn signal(identity: ProcessIdentity, signal: i32) -> io::Result<()> {
    // No pidfd: the window between the comparison and the signal is a few microseconds.
    if entry_of(identity.pid).is_none_or(|entry| entry.identity != identity) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    sys::signal_pid(identity.pid, signal)
}
