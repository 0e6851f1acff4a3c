//! The raw calls of the supervisor: fork, exec, dispositions, descriptors.
#![expect(unsafe_code, reason = "raw system calls; each block says why it is sound")]

#[cfg(target_os = "linux")]
pub(crate) mod confine;
mod signals;

pub(crate) use signals::{Signals, reset_signals};

use std::ffi::c_char;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

/// Exit status of a child whose program could not be started; no one reads it.
const CHILD_FAILED: i32 = 127;

/// Descriptors tried one by one where the kernel cannot close a range.
const MOST_DESCRIPTORS: i32 = 65_536;

/// `fork(2)`: the pid in the parent, `None` in the child.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: this process has one thread, so the child finds no lock held by another.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(pid)),
    }
}

/// Has the kernel continue this process when `socket` has input or its other end is closed: SIGCONT
/// in the place of SIGIO (`fcntl(2)`, `F_SETSIG`). Without effect on a process that runs.
#[cfg(target_os = "linux")]
pub(crate) fn continue_on_input(socket: &OwnedFd) -> io::Result<()> {
    /// `F_SETSIG` of `asm-generic/fcntl.h`; the same on all of Linux's architectures.
    const SET_SIGNAL: i32 = 10;
    let descriptor = socket.as_raw_fd();
    // SAFETY: sets and reads flags of a descriptor that is open and ours.
    let set = |command, value: i32| match unsafe { libc::fcntl(descriptor, command, value) } {
        -1 => Err(io::Error::last_os_error()),
        found => Ok(found),
    };
    set(SET_SIGNAL, libc::SIGCONT)?;
    // SAFETY: has no arguments and cannot fail.
    set(libc::F_SETOWN, unsafe { libc::getpid() })?;
    let flags = set(libc::F_GETFL, 0)?;
    set(libc::F_SETFL, flags | libc::O_ASYNC)?;
    Ok(())
}

/// An exit status there is now, of any child, and what the child used: wait4(2), which rustix does not have.
pub(crate) fn reap_any() -> Option<(i32, i32, libc::rusage)> {
    let mut status = 0;
    // SAFETY: plain numbers, for which all zeroes are a value.
    let mut usage = unsafe { std::mem::zeroed() };
    // SAFETY: writes to these two only.
    let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) };
    (pid > 0).then_some((pid, status, usage))
}

/// Ends a forked child without running what the parent registered for its own end.
pub(crate) fn exit_child() -> ! {
    // SAFETY: ends the process; nothing after it is reached.
    unsafe { libc::_exit(CHILD_FAILED) }
}

/// `execve(2)` of `argv[0]`; returns only when it failed. Both lists end with a null pointer.
pub(crate) fn execute(argv: &[*const c_char], env: &[*const c_char]) -> io::Error {
    let terminated = |list: &[*const c_char]| list.last().is_some_and(|last| last.is_null());
    let Some(path) = argv.first().copied().filter(|path| !path.is_null()) else {
        return io::Error::from_raw_os_error(libc::EINVAL);
    };
    if !terminated(argv) || !terminated(env) {
        return io::Error::from_raw_os_error(libc::EINVAL);
    }
    // SAFETY: both lists are null-terminated, as just checked, and their strings are CStrings of
    // the caller's plan, which lives until this process image is replaced.
    unsafe { libc::execve(path, argv.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Makes `descriptors` 0, 1, … in their order and leaves no other standard stream open.
///
/// Runs in a forked child: it closes descriptors that are owned elsewhere in the parent's image.
pub(crate) fn place_descriptors(descriptors: &[OwnedFd]) -> io::Result<()> {
    let count = i32::try_from(descriptors.len()).unwrap_or(i32::MAX);
    // First out of the way of the targets: a source may have the number of another's target.
    let mut high = Vec::with_capacity(descriptors.len());
    for descriptor in descriptors {
        let lowest = count.max(3);
        // SAFETY: integers only; the new descriptor is closed on exec.
        let copy = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) };
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        high.push(copy);
    }
    for (target, source) in (0..count).zip(high) {
        // SAFETY: integers only; in this child nothing uses what `target` was.
        if unsafe { libc::dup2(source, target) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // 0 to 2 of the supervisor are not closed on exec; everything above is.
    for unused in count..3 {
        // SAFETY: integers only; in this child nothing uses it.
        unsafe { libc::close(unused) };
    }
    Ok(())
}

/// Closes every descriptor from `first` on. Only before anything was opened.
pub(crate) fn close_from(first: i32) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: integers only; nothing in this process owns a descriptor yet.
        let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
        if result == 0 {
            return;
        }
    }
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one structure of this type.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, ptr::from_mut(&mut limit)) } == 0;
    let last = i32::try_from(limit.rlim_max).unwrap_or(MOST_DESCRIPTORS);
    let last = if known { last.min(MOST_DESCRIPTORS) } else { MOST_DESCRIPTORS };
    for descriptor in first..last {
        // SAFETY: integers only; nothing in this process owns a descriptor yet.
        unsafe { libc::close(descriptor) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_executed_by_lists_without_an_end() {
        let program = c"/nonexistent/program".as_ptr();
        let (ended, endless) = ([program, ptr::null()], [program]);
        let errno = |argv: &[_], env: &[_]| execute(argv, env).raw_os_error();
        assert_eq!(errno(&endless, &ended), Some(libc::EINVAL));
        assert_eq!(errno(&ended, &endless), Some(libc::EINVAL));
        assert_eq!(errno(&[ptr::null()], &ended), Some(libc::EINVAL));
        assert_eq!(errno(&[], &ended), Some(libc::EINVAL));
        assert_eq!(errno(&ended, &ended), Some(libc::ENOENT));
    }
}
