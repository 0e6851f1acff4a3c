//! The raw calls of a sandbox: namespaces, mounts, capabilities, seccomp.
//!
//! What is given up, and in which order, is `program::confine`'s; Landlock's calls are the library's, since the host has
//! a use for them too.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use rustix::io::Errno;

/// `_LINUX_CAPABILITY_VERSION_3`: two words of each set.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

/// No kernel has more capabilities: two words of 32.
const MOST_CAPABILITIES: libc::c_ulong = 64;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

fn last() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

fn done(result: libc::c_long) -> Result<libc::c_long, Errno> {
    if result < 0 { Err(last()) } else { Ok(result) }
}

/// New user, mount and IPC namespaces for this process, and a network namespace if asked for.
pub(crate) fn unshare(network: bool) -> Result<(), Errno> {
    let network = if network { libc::CLONE_NEWNET } else { 0 };
    let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | network;
    // SAFETY: an integer; this process has one thread, whose namespaces are its own.
    done(unsafe { libc::unshare(flags) }.into()).map(drop)
}

/// A new user namespace for this process.
pub(crate) fn unshare_user() -> Result<(), Errno> {
    // SAFETY: an integer; this process has one thread.
    done(unsafe { libc::unshare(libc::CLONE_NEWUSER) }.into()).map(drop)
}

/// Keeps mounts of this namespace from being seen in others, and the other way round.
pub(crate) fn make_private() -> Result<(), Errno> {
    mount(c"none", c"/", libc::MS_REC | libc::MS_PRIVATE)
}

/// Makes a file or folder a mount point, with what is mounted below it.
pub(crate) fn bind_to_itself(path: &CStr) -> Result<(), Errno> {
    bind(path, path)
}

/// Shows a file or folder, with what is mounted below it, in the place of another.
pub(crate) fn bind(source: &CStr, target: &CStr) -> Result<(), Errno> {
    mount(source, target, libc::MS_BIND | libc::MS_REC)
}

/// A copy of what is mounted at a path, which stays as it is when the path becomes read-only.
pub(crate) fn copy_mount(path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as u32;
    // SAFETY: a C string that lives through the call, and integers.
    let result =
        unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
    let number = i32::try_from(done(result)?).map_err(|_| Errno::BADF)?;
    // SAFETY: the kernel just made it for this process; no one else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Mounts a set of pseudoterminals that has none yet.
pub(crate) fn mount_terminals(target: &CStr) -> Result<(), Errno> {
    let (kind, options) = (c"devpts", c"newinstance,ptmxmode=0666,mode=620");
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    // SAFETY: four C strings that live through the call; the kernel copies the options.
    let result = unsafe {
        libc::mount(
            kind.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast::<libc::c_void>(),
        )
    };
    done(result.into()).map(drop)
}

fn mount(source: &CStr, target: &CStr, flags: libc::c_ulong) -> Result<(), Errno> {
    let (source, target) = (source.as_ptr(), target.as_ptr());
    // SAFETY: two C strings that live through the call; type and data may be null for these flags.
    let result = unsafe { libc::mount(source, target, ptr::null(), flags, ptr::null()) };
    done(result.into()).map(drop)
}

/// Sets or clears read-only for a mount and all below it.
pub(crate) fn set_read_only(path: &CStr, on: bool) -> Result<(), Errno> {
    let flag = libc::MOUNT_ATTR_RDONLY;
    let attributes = libc::mount_attr {
        attr_set: if on { flag } else { 0 },
        attr_clr: if on { 0 } else { flag },
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: a C string and a structure of the size that is given, both alive through the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            ptr::from_ref(&attributes),
            size_of::<libc::mount_attr>(),
        )
    };
    done(result).map(drop)
}

/// Brings the loopback device of a new network namespace up.
pub(crate) fn raise_loopback() -> Result<(), Errno> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType};
    let socket = rustix::net::socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: all zero is a valid value: a name of no letters and a flag word of no flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let name = c"lo";
    // SAFETY: the field is longer than the name with its NUL. A copy, because a C character has a
    // sign on one processor and none on another.
    unsafe {
        ptr::copy_nonoverlapping(
            name.as_ptr(),
            request.ifr_name.as_mut_ptr(),
            name.count_bytes() + 1,
        );
    }
    request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0);
    let request = ptr::from_ref(&request);
    // SAFETY: the kernel reads one structure of this type, which lives through the call. Not by
    // `libc::ioctl`, whose numbers have another type in each C library.
    let result =
        unsafe { libc::syscall(libc::SYS_ioctl, socket.as_raw_fd(), libc::SIOCSIFFLAGS, request) };
    done(result).map(drop)
}

/// Gives up every capability, and the bounds within which an exec could give any back.
pub(crate) fn drop_capabilities() -> Result<(), Errno> {
    for capability in 0..MOST_CAPABILITIES {
        // SAFETY: integers only. It fails past the last one, and for a process that may not: that
        // has none to lose, and `no_new_privs` keeps it so.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    let header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
    // Effective, permitted and inheritable, two words each.
    let nothing = [0_u32; 6];
    // SAFETY: the header names the version whose data is six words; both live through the call.
    let result =
        unsafe { libc::syscall(libc::SYS_capset, ptr::from_ref(&header), nothing.as_ptr()) };
    done(result).map(drop)
}

/// Loads a seccomp program for this process and all it starts.
pub(crate) fn load_seccomp(program: &[u8]) -> Result<(), Errno> {
    let size = size_of::<libc::sock_filter>();
    let mut filters: Vec<libc::sock_filter> = program
        .chunks_exact(size)
        .map(|bytes| {
            let half = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
            let word = u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
            libc::sock_filter { code: half(0), jt: bytes[2], jf: bytes[3], k: word }
        })
        .collect();
    let length = u16::try_from(filters.len()).map_err(|_| Errno::TOOBIG)?;
    let program = libc::sock_fprog { len: length, filter: filters.as_mut_ptr() };
    // SAFETY: the program names as many filters as the list has; the kernel checks each.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, ptr::from_ref(&program))
    };
    done(result).map(drop)
}

/// Whether another process could be traced. It is released at once.
pub(crate) fn can_trace(process: rustix::process::Pid) -> bool {
    let (pid, nothing) = (process.as_raw_nonzero().get(), ptr::null_mut::<libc::c_void>());
    // SAFETY: seizing changes nothing of the process, and neither pointer is read.
    let result = unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, nothing, nothing) };
    if result == 0 {
        // SAFETY: as above; detaching ends what the seizing began.
        unsafe { libc::ptrace(libc::PTRACE_DETACH, pid, nothing, nothing) };
    }
    result == 0
}

/// Whether a terminal of another session can be opened, to read what is typed or to write to it.
pub(crate) fn can_open_terminal(path: &std::path::Path) -> bool {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let writer = rustix::fs::open(path, flags | OFlags::WRONLY, Mode::empty());
    if let Ok(writer) = &writer {
        // What arrives is the host's to see.
        rustix::io::write(writer, b"probe").ok();
    }
    writer.is_ok() || rustix::fs::open(path, flags | OFlags::RDONLY, Mode::empty()).is_ok()
}

/// Whether characters could be pushed into a terminal as if typed. A new one is asked, to which
/// no one listens; what refuses the call refuses it for every terminal.
pub(crate) fn can_type_into_terminal() -> bool {
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let opened = openpt(flags).and_then(|controller| {
        grantpt(&controller)?;
        unlockpt(&controller)?;
        let terminal = ioctl_tiocgptpeer(&controller, flags)?;
        Ok((controller, terminal))
    });
    // The kernel lets everyone type into the terminal of the own session, and few into others.
    let terminal = opened.as_ref().ok().map(|(_controller, terminal)| terminal);
    terminal.map(rustix::process::ioctl_tiocsctty);
    // Without terminals the answer of the kernel to a wrong descriptor tells as much.
    let number = terminal.map_or(-1, AsRawFd::as_raw_fd);
    let character = 0_u8;
    // SAFETY: the kernel reads one byte, which lives through the call.
    let result = unsafe { libc::ioctl(number, libc::TIOCSTI, ptr::from_ref(&character)) };
    let is_refused = result != 0 && last() == Errno::PERM;
    // It stays open until this process ends: a session is hung up on when its terminal goes.
    std::mem::forget(opened);
    !is_refused
}
