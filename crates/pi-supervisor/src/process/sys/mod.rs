//! The system calls of `process` that need raw memory or have no safe wrapper.
#![expect(unsafe_code, reason = "raw system calls; each block says why it is sound")]

#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "macos")]
pub(super) use macos::{argument_block, children_of, everyone, name_of, record_of};

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `kill(2)` of one process. The caller made sure that `pid` is positive.
pub(super) fn signal_pid(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: no memory is involved.
    let result = unsafe { libc::kill(pid, signal) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A handle on whoever has `pid` now; always closed on exec. Raw, for the error number matters
/// and `rustix` refuses some pids by panicking.
#[cfg(target_os = "linux")]
pub(super) fn open_pidfd(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: two integers, no memory.
    let result = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let Ok(number @ 0..) = i32::try_from(result) else {
        return Err(io::Error::last_os_error());
    };
    // SAFETY: the kernel just made this descriptor, and no one else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// `pidfd_send_signal(2)`.
#[cfg(target_os = "linux")]
pub(super) fn signal_pidfd(handle: &OwnedFd, signal: i32) -> io::Result<()> {
    let no_details = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null siginfo is allowed and means the details of kill(2).
    let result = unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, handle.as_raw_fd(), signal, no_details, 0)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// As `signal_pidfd`, with the details of `sigqueue(3)`: a number for the handler.
#[cfg(target_os = "linux")]
pub(super) fn queue_to_pidfd(handle: &OwnedFd, signal: i32, value: u32) -> io::Result<()> {
    let details = Queued::new(signal, value);
    // SAFETY: `details` is a whole siginfo, which the kernel reads during the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            handle.as_raw_fd(),
            signal,
            &raw const details,
            0,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The same by pid: `rt_sigqueueinfo(2)`.
#[cfg(target_os = "linux")]
pub(super) fn queue_to_pid(pid: i32, signal: i32, value: u32) -> io::Result<()> {
    let details = Queued::new(signal, value);
    // SAFETY: as above.
    let result =
        unsafe { libc::syscall(libc::SYS_rt_sigqueueinfo, pid, signal, &raw const details) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A `siginfo_t` of 64-bit Linux with the fields of a queued signal, whose members `libc` keeps private.
#[cfg(target_os = "linux")]
#[repr(C, align(8))]
struct Queued {
    signal: i32,
    error: i32,
    code: i32,
    padding: i32,
    pid: u32,
    user: u32,
    value: u32,
    rest: [u32; 25],
}

#[cfg(target_os = "linux")]
const _: () = assert!(size_of::<Queued>() == size_of::<libc::siginfo_t>());

#[cfg(target_os = "linux")]
impl Queued {
    fn new(signal: i32, value: u32) -> Self {
        // SAFETY: no memory is involved.
        let user = unsafe { libc::getuid() };
        Self {
            signal,
            error: 0,
            code: libc::SI_QUEUE,
            padding: 0,
            pid: std::process::id(),
            user,
            value,
            rest: [0; 25],
        }
    }
}

/// Unit of the start times in `/proc`; never 0.
#[cfg(target_os = "linux")]
pub(super) fn clock_ticks_per_second() -> u64 {
    // SAFETY: an integer in, an integer out.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    u64::try_from(ticks).unwrap_or(100).max(1)
}

#[cfg(target_os = "linux")]
pub(super) fn number_of(handle: &OwnedFd) -> i32 {
    handle.as_raw_fd()
}
