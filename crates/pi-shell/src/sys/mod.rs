//! What the core needs of the system below `rustix`: the one place of this crate where a platform
//! is asked for by name. No policy, no sessions.
#![cfg(unix)]

mod process_handle;
pub(crate) mod signals;
mod watch;

pub(crate) use process_handle::ProcessHandle;
pub(crate) use watch::watch;

/// Makes a FIFO that only its owner can open. Linux has `mknodat(2)` in `rustix`.
///
/// # Errors
/// `InvalidInput` for a path with a NUL, and what `mkfifo(2)` says.
#[cfg(not(target_os = "linux"))]
#[expect(unsafe_code, reason = "mkfifo has no safe wrapper on this system")]
pub(crate) fn make_fifo(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: a C string that lives through the call.
    let result = unsafe { libc::mkfifo(path.as_ptr(), 0o600) };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}
