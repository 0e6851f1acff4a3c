//! Turns a freshly executed process into a supervisor: no inherited state that could reach a
//! program it starts, no signal that could end it. Nothing here knows requests.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::net::SocketType;

use super::sys::{self, Signals};

/// Descriptors from here on are not standard streams.
pub(super) const FIRST_FREE: i32 = 3;

/// What the loop works with.
pub(crate) struct Started {
    /// The socket to the host.
    pub(crate) control: OwnedFd,
    /// Tells that a child ended.
    pub(crate) signals: Signals,
}

/// Standard input is a stream socket.
pub(crate) fn has_control_socket() -> bool {
    rustix::net::sockopt::socket_type(rustix::stdio::stdin())
        .is_ok_and(|kind| kind == SocketType::STREAM)
}

/// Sets the process up; the order of the steps matters where a comment says so.
pub(crate) fn start() -> io::Result<Started> {
    // Fails only for a group leader, which is then out of the host's group anyway.
    rustix::process::setsid().ok();
    // Before anything is opened here: what is open now came from the host.
    sys::close_from(FIRST_FREE);
    // Before the first child: SIGCHLD ignored, as it may be inherited, would reap it unseen.
    sys::reset_signals();
    let signals = Signals::open()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // The host's directory must stay removable, and an unmountable file system unmountable.
    rustix::process::chdir(c"/")?;

    // Away from 0, which belongs to the programs, and closed in all of them.
    let control = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), FIRST_FREE)?;
    let null = rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::io::ioctl_fionbio(&control, true)?;
    // A command can stop this process (`kill -STOP $PPID`), which must see a request, and that its host is gone.
    #[cfg(target_os = "linux")]
    sys::continue_on_input(&control)?;
    Ok(Started { control, signals })
}

/// Sets close-on-exec where the system could not set it at the making.
pub(crate) fn close_on_exec(descriptor: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?)
}
