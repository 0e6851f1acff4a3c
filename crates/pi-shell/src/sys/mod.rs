//! What the core needs of the system below `rustix`: the one place of this crate where a platform
//! is asked for by name. No policy, no sessions.

#[cfg(unix)]
mod fine_timer;
#[cfg(windows)]
pub(crate) mod job;
#[cfg(unix)]
mod process_handle;
#[cfg(unix)]
pub(crate) mod signals;
pub(crate) mod vector_utf16;
#[cfg(unix)]
mod watch;

#[cfg(unix)]
pub(crate) use fine_timer::FineTimer;
#[cfg(unix)]
pub(crate) use process_handle::ProcessHandle;
#[cfg(unix)]
pub(crate) use watch::{LazyWatch, watch};

/// The version of Landlock that the kernel has; 0 for none.
///
/// `/sys/kernel/security` may not be mounted, so the kernel itself is asked.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the call has no safe wrapper")]
pub(crate) fn landlock_version() -> i64 {
    /// `LANDLOCK_CREATE_RULESET_VERSION`.
    const ASK_VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the kernel reads no memory and returns a number.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, ASK_VERSION) }.max(0)
}

/// Whether the other end of a socket between processes has not read all that was sent to it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the call has no safe wrapper")]
pub(crate) fn has_unread_at_peer(socket: std::os::fd::BorrowedFd<'_>) -> bool {
    use std::os::fd::AsRawFd as _;
    let mut unread: libc::c_int = 0;
    // SAFETY: the descriptor is open for the time of the call, and this request (`SIOCOUTQ` of `unix(7)`, which has
    // the number of `TIOCOUTQ`) writes one `int`.
    let asked = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut unread) };
    asked == 0 && unread > 0
}

/// A pipe, reader first, whose ends no program inherits.
#[cfg(unix)]
pub(crate) fn pipe() -> std::io::Result<(std::os::fd::OwnedFd, std::os::fd::OwnedFd)> {
    let (reader, writer) = std::io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// The pipe behind `end` opened once more for writing, so that flags set on the one (`O_NONBLOCK`)
/// do not hold for the other. Where the system cannot open a pipe again, a duplicate, which shares
/// them: macOS, or a Linux without `/proc`.
#[cfg(unix)]
pub(crate) fn open_again(end: &std::os::fd::OwnedFd) -> std::io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::AsRawFd as _;
    let name = format!("/proc/self/fd/{}", end.as_raw_fd());
    let opened = std::fs::OpenOptions::new().write(true).open(name);
    opened.map_or_else(|_absent| end.try_clone(), |file| Ok(file.into()))
}
