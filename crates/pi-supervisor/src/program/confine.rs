//! Puts the supervisor, and so everything it starts, into the sandbox that the host asked for.
//!
//! The order of the steps is that of `ConfineStep`: mounts need the rights that later steps take
//! away. What fails leaves a supervisor that is half confined, so the host ends it.

use std::os::fd::OwnedFd;

use crate::wire::{Confine, ConfineStep, Event};
use rustix::io::Errno;

/// Obeys; returns the answer for the host, and the listener that goes with it where one was asked for.
pub(crate) fn confine(request: &Confine) -> (Event, Option<OwnedFd>) {
    match apply(request) {
        Ok(listener) => (Event::Confined { id: request.id }, listener),
        Err((step, errno)) => {
            let errno = errno.raw_os_error();
            (Event::ConfineFailed { id: request.id, step, errno }, None)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn apply(_request: &Confine) -> Result<Option<OwnedFd>, (ConfineStep, Errno)> {
    Err((ConfineStep::Unsupported, Errno::NOSYS))
}

#[cfg(target_os = "linux")]
fn apply(request: &Confine) -> Result<Option<OwnedFd>, (ConfineStep, Errno)> {
    use super::sys::confine as sys;

    let at = |step| move |errno| (step, errno);
    if let Some(namespaces) = &request.namespaces {
        let user =
            linux::enter_namespaces(namespaces.network).map_err(at(ConfineStep::Namespaces))?;
        linux::mount(namespaces).map_err(at(ConfineStep::Mounts))?;
        if namespaces.terminals {
            linux::separate_terminals(&namespaces.console).map_err(at(ConfineStep::Mounts))?;
        }
        if namespaces.network {
            sys::raise_loopback().map_err(at(ConfineStep::Loopback))?;
        }
        user.resume().map_err(at(ConfineStep::Namespaces))?;
    }
    let listener = match request.listener_port {
        0 => None,
        port => Some(linux::listen(port).map_err(at(ConfineStep::Listener))?),
    };
    rustix::thread::set_no_new_privs(true).map_err(at(ConfineStep::NoNewPrivileges))?;
    if let Some(landlock) = &request.landlock {
        linux::enter_domain(landlock).map_err(at(ConfineStep::Landlock))?;
    }
    sys::drop_capabilities().map_err(at(ConfineStep::Capabilities))?;
    // Programs of the session have the same user: they may not look into this process's memory,
    // which has the descriptor of the host's socket.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(at(ConfineStep::Capabilities))?;
    if !request.seccomp.is_empty() {
        sys::load_seccomp(&request.seccomp).map_err(at(ConfineStep::Seccomp))?;
    }
    Ok(listener)
}

#[cfg(target_os = "linux")]
mod linux {
    //! The steps that are more than one call.

    use std::ffi::CString;
    use std::net::{Ipv4Addr, SocketAddrV4};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use crate::landlock::Ruleset;
    use crate::wire::{Landlock, Namespaces};
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketFlags, SocketType};

    use crate::program::sys::confine as sys;

    /// Connections that the kernel keeps until the host takes them.
    const MAX_WAITING: i32 = 256;

    /// Who this process was before it entered namespaces.
    #[must_use]
    pub(super) struct Identity {
        user: u32,
        group: u32,
        /// `/proc` as it was before everything became read-only.
        proc: OwnedFd,
    }

    /// User, mount and IPC namespaces, in which this user is root for now: terminals of their own
    /// cannot be mounted where root is not mapped.
    pub(super) fn enter_namespaces(network: bool) -> Result<Identity, Errno> {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        sys::unshare(network)?;
        let outer = rustix::fs::open("/proc", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        map_ids(outer.as_fd(), (0, user), (0, group))?;
        Ok(Identity { user, group, proc: sys::copy_mount(c"/proc")? })
    }

    impl Identity {
        /// A second user namespace, in which this process is who it was.
        pub(super) fn resume(self) -> Result<(), Errno> {
            if self.user == 0 && self.group == 0 {
                return Ok(());
            }
            sys::unshare_user()?;
            map_ids(self.proc.as_fd(), (self.user, 0), (self.group, 0))
        }
    }

    /// One user and one group of the new namespace, each with its number in the one outside.
    fn map_ids(proc: BorrowedFd<'_>, user: (u32, u32), group: (u32, u32)) -> Result<(), Errno> {
        // A group map is only taken from a process that cannot drop groups any more.
        write(proc, "self/setgroups", "deny")?;
        write(proc, "self/uid_map", &format!("{} {} 1", user.0, user.1))?;
        write(proc, "self/gid_map", &format!("{} {} 1", group.0, group.1))
    }

    /// Covers the host's terminals with an empty set of them.
    pub(super) fn separate_terminals(console: &[u8]) -> Result<(), Errno> {
        if !console.is_empty() {
            let console = CString::new(console).map_err(|_| Errno::INVAL)?;
            sys::bind(&console, c"/dev/console")?;
        }
        sys::mount_terminals(c"/dev/pts")
    }

    fn write(proc: BorrowedFd<'_>, path: &str, text: &str) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(proc, path, flags, Mode::empty())?;
        // The kernel takes a map whole or not at all.
        rustix::io::write(file, text.as_bytes()).map(drop)
    }

    /// A listener on loopback of the network namespace that this process is in.
    pub(super) fn listen(port: u16) -> Result<OwnedFd, Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let kind = SocketType::STREAM;
        let listener = rustix::net::socket_with(AddressFamily::INET, kind, flags, None)?;
        rustix::net::bind(&listener, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
        rustix::net::listen(&listener, MAX_WAITING)?;
        Ok(listener)
    }

    /// Makes everything read-only but the writable folders.
    pub(super) fn mount(namespaces: &Namespaces) -> Result<(), Errno> {
        let own = |path: &Vec<u8>| CString::new(path.as_slice()).map_err(|_| Errno::INVAL);
        let all = |paths: &[Vec<u8>]| paths.iter().map(own).collect::<Result<Vec<_>, _>>();
        let (writable, pinned) = (all(&namespaces.writable)?, all(&namespaces.pinned)?);
        let read_only = all(&namespaces.read_only)?;
        // Nothing mounted here may be seen outside, nor the other way round.
        sys::make_private()?;
        for path in writable.iter().chain(&pinned).chain(&read_only) {
            sys::bind_to_itself(path)?;
        }
        sys::set_read_only(c"/", true)?;
        for path in &writable {
            sys::set_read_only(path, false)?;
        }
        for path in &read_only {
            sys::set_read_only(path, true)?;
        }
        Ok(())
    }

    pub(super) fn enter_domain(landlock: &Landlock) -> Result<(), Errno> {
        let open =
            |path: &[u8]| rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        Ruleset::with_rules(landlock, open)?.enter()
    }
}
