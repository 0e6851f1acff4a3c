//! libproc and `sysctl(3)` calls of `process`, for macOS.

use std::io;
use std::mem::size_of;
use std::ptr;

use crate::process::{ProcessEntry, ProcessIdentity, ProcessState};

/// States of `proc_bsdinfo`, from `sys/proc.h`.
const SRUN: u32 = 2;
const SSLEEP: u32 = 3;
const SSTOP: u32 = 4;
const SZOMB: u32 = 5;

/// What libproc knows about a process, zombies included.
pub(in crate::process) fn record_of(pid: i32) -> Option<ProcessEntry> {
    // SAFETY: the structure is plain integers and byte arrays; all zero is a value of it.
    let mut info: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes into `info`; argument 1 includes zombies.
    let written = unsafe {
        libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 1, ptr::from_mut(&mut info).cast(), size)
    };
    if written != size {
        return None;
    }
    // SAFETY: no memory is involved; an error is -1.
    let session = unsafe { libc::getsid(pid) };
    let state = match info.pbi_status {
        SRUN => ProcessState::Running,
        SSLEEP => ProcessState::Sleeping,
        SSTOP => ProcessState::Stopped,
        SZOMB => ProcessState::Zombie,
        _ => ProcessState::Other,
    };
    let start_time = info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec;
    Some(ProcessEntry {
        identity: ProcessIdentity { pid, start_time },
        parent: i32::try_from(info.pbi_ppid).ok()?,
        state,
        group: i32::try_from(info.pbi_pgid).ok()?,
        session: session.max(0),
    })
}

/// The program's short name.
pub(in crate::process) fn name_of(pid: i32) -> Option<Vec<u8>> {
    let mut name = vec![0_u8; 64];
    let size = u32::try_from(name.len()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes into the buffer.
    let length = unsafe { libc::proc_name(pid, name.as_mut_ptr().cast(), size) };
    name.truncate(usize::try_from(length).ok()?);
    (!name.is_empty()).then_some(name)
}

/// Every pid.
pub(in crate::process) fn everyone() -> Vec<i32> {
    list(|buffer, bytes| {
        // SAFETY: the kernel writes at most `bytes` bytes into the buffer.
        unsafe { libc::proc_listallpids(buffer, bytes) }
    })
}

/// Pids of the children.
pub(in crate::process) fn children_of(pid: i32) -> Vec<i32> {
    list(|buffer, bytes| {
        // SAFETY: the kernel writes at most `bytes` bytes into the buffer.
        unsafe { libc::proc_listchildpids(pid, buffer, bytes) }
    })
}

/// Calls a listing function with growing buffers until the answer leaves room.
fn list(call: impl Fn(*mut libc::c_void, libc::c_int) -> libc::c_int) -> Vec<i32> {
    let mut capacity = 1024_usize;
    loop {
        let mut pids = vec![0_i32; capacity];
        let bytes = i32::try_from(capacity * size_of::<i32>()).unwrap_or(i32::MAX);
        let count = usize::try_from(call(pids.as_mut_ptr().cast(), bytes)).unwrap_or(0);
        if count < capacity || capacity > 1 << 20 {
            pids.truncate(count);
            return pids;
        }
        capacity *= 2;
    }
}

/// `KERN_PROCARGS2`: argument count, path, arguments and environment, separated by NULs.
pub(in crate::process) fn argument_block(pid: i32) -> Option<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut length = arguments_limit().ok()?;
    let mut buffer = vec![0_u8; length];
    // SAFETY: the name has three elements, the buffer has `length` bytes, nothing is set.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            buffer.as_mut_ptr().cast(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    if result != 0 {
        return None;
    }
    buffer.truncate(length);
    Some(buffer)
}

/// `KERN_ARGMAX`, bytes.
fn arguments_limit() -> io::Result<usize> {
    let mut name = [libc::CTL_KERN, libc::KERN_ARGMAX];
    let mut limit: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>();
    // SAFETY: the name has two elements, `limit` has `length` bytes, nothing is set.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            2,
            ptr::from_mut(&mut limit).cast(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    if result == 0 {
        usize::try_from(limit).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
    } else {
        Err(io::Error::last_os_error())
    }
}
