//! Limits of another process, by `prlimit(2)`: `rustix` sets them, and cannot ask without setting.
#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "the call has no safe wrapper that only asks")]

use std::io;
use std::ptr;

/// Of what there is a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounded {
    /// A core dump, in bytes.
    CoreSize,
    /// A file that is written, in bytes.
    FileSize,
}

/// What a process may have of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    /// What holds.
    pub(crate) soft: u64,
    /// What it may raise that to.
    pub(crate) hard: u64,
}

/// The limit of the process `pid`.
pub(crate) fn bound_of(pid: i32, what: Bounded) -> io::Result<Bound> {
    let mut found = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel reads nothing and writes one value to `found`, which lives.
    let asked = unsafe {
        let nothing = ptr::null::<libc::rlimit64>();
        libc::syscall(libc::SYS_prlimit64, pid, number(what), nothing, &raw mut found)
    };
    if asked == 0 {
        Ok(Bound { soft: found.rlim_cur, hard: found.rlim_max })
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Sets the limit of the process `pid`.
pub(crate) fn set_bound(pid: i32, what: Bounded, bound: Bound) -> io::Result<()> {
    let wanted = libc::rlimit64 { rlim_cur: bound.soft, rlim_max: bound.hard };
    // SAFETY: the kernel reads one value from `wanted`, which lives, and writes nothing.
    let set = unsafe {
        let nothing = ptr::null_mut::<libc::rlimit64>();
        libc::syscall(libc::SYS_prlimit64, pid, number(what), &raw const wanted, nothing)
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Of `asm-generic/resource.h`: the C libraries give these numbers different types.
fn number(what: Bounded) -> libc::c_uint {
    match what {
        Bounded::FileSize => 1,
        Bounded::CoreSize => 4,
    }
}
