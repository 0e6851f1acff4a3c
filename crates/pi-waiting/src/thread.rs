//! What one thread waits for, with regard to one terminal.

use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use rustix::net::AddressFamily;
use rustix::net::sockopt::{socket_acceptconn, socket_domain};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::call::{self, Call};
use crate::terminal::TerminalIdentity;
use crate::wanted;

/// Major number of the controllers of pseudoterminals by their own names: `/dev/ptmx` (`Documentation/admin-guide/devices.txt`).
pub(crate) const PTMX: (u32, u32) = (5, 2);

/// `/dev/tty`: the controlling terminal of whoever opened it.
pub(crate) const OWN_TERMINAL: (u32, u32) = (5, 0);

/// Most descriptors of a set that are looked at.
pub(crate) const MAX_DESCRIPTORS: usize = 256;

/// What is seen of a thread.
pub(crate) enum Seen {
    /// It does not read the terminal, or is gone.
    Elsewhere,
    /// It may not be looked at.
    Denied,
    /// It is blocked in a call that reads the terminal.
    Reads(Wait),
}

/// How it reads.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Wait {
    /// By `read` and its kind: it wants this terminal and nothing else.
    pub(crate) is_read: bool,
    /// It stops waiting by itself.
    pub(crate) is_timed: bool,
    /// After so many milliseconds, as far as that is known.
    pub(crate) timer_ms: Option<u64>,
    /// The set has a TCP connection or a controller of another terminal: it passes on what it reads.
    pub(crate) is_relay: bool,
    /// The set has nothing but the terminal.
    pub(crate) is_alone: bool,
    /// The call as it stands, stack and place included: the same text twice is the same wait.
    pub(crate) call: String,
}

/// Looks at a thread of a process. `controls` says whether the terminal is the process's controlling terminal.
pub(crate) fn look(
    pid: i32,
    shown: i32,
    thread: i32,
    terminal: &TerminalIdentity,
    controls: bool,
) -> Seen {
    let line = match fs::read_to_string(format!("/proc/{shown}/task/{thread}/syscall")) {
        Ok(line) => line,
        Err(error) => return of_error(&error, shown, thread),
    };
    let Some(call) = call::parse(&line) else { return Seen::Elsewhere };
    let descriptors = wanted::descriptors(shown, call);
    let is_terminal = |descriptor: &u64| {
        status_of(shown, *descriptor).is_some_and(|status| {
            terminal.is(&status) || controls && is_device(&status, OWN_TERMINAL)
        })
    };
    let (ours, others): (Vec<u64>, Vec<u64>) =
        descriptors.into_iter().take(MAX_DESCRIPTORS).partition(is_terminal);
    if ours.is_empty() {
        return Seen::Elsewhere;
    }
    let (is_read, is_timed) = (matches!(call, Call::Read { .. }), call.is_timed());
    let is_relay = others.iter().any(|descriptor| passes_on(pid, shown, *descriptor));
    Seen::Reads(Wait {
        is_read,
        is_timed,
        timer_ms: wanted::timer_milliseconds(shown, call),
        is_relay,
        is_alone: others.is_empty(),
        call: line,
    })
}

/// A thread whose call cannot be read is denied where it is there.
fn of_error(error: &std::io::Error, shown: i32, thread: i32) -> Seen {
    let is_gone = error.raw_os_error() == Some(Errno::SRCH.raw_os_error())
        || !fs::exists(format!("/proc/{shown}/task/{thread}/stat")).unwrap_or(false);
    if is_gone { Seen::Elsewhere } else { Seen::Denied }
}

/// What a descriptor of a process is.
pub(crate) fn status_of(shown: i32, descriptor: u64) -> Option<Stat> {
    rustix::fs::stat(format!("/proc/{shown}/fd/{descriptor}")).ok()
}

pub(crate) fn is_device(status: &Stat, (major, minor): (u32, u32)) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice
        && rustix::fs::major(status.st_rdev) == major
        && rustix::fs::minor(status.st_rdev) == minor
}

/// What is read from it comes from another program or machine: a TCP connection, another terminal's controller.
fn passes_on(pid: i32, shown: i32, descriptor: u64) -> bool {
    let Some(status) = status_of(shown, descriptor) else { return false };
    if is_device(&status, PTMX) {
        return true;
    }
    if FileType::from_raw_mode(status.st_mode) != FileType::Socket {
        return false;
    }
    // A socket that cannot be asked counts as one that passes on: then more is required before a program counts as waiting.
    copy_of(pid, descriptor).is_none_or(|socket| {
        let is_network = socket_domain(&socket)
            .is_ok_and(|family| matches!(family, AddressFamily::INET | AddressFamily::INET6));
        is_network && !socket_acceptconn(&socket).unwrap_or(false)
    })
}

/// A descriptor of our own for what a process has at a number. Nothing is read from it.
fn copy_of(pid: i32, descriptor: u64) -> Option<OwnedFd> {
    let process = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let number = i32::try_from(descriptor).ok()?;
    pidfd_getfd(process.as_fd(), number, PidfdGetfdFlags::empty()).ok()
}
