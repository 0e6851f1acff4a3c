//! For tests: a thread to which the kernel refuses some calls, as an older kernel or a sandbox does.
#![expect(unsafe_code, reason = "seccomp has no safe wrapper")]

use std::ptr;

/// Runs `attempt` in a thread of its own, in which `calls` fail with the error number `errno`.
pub(crate) fn without_calls<T: Send>(
    calls: &[libc::c_long],
    errno: i32,
    attempt: impl FnOnce() -> T + Send,
) -> T {
    let joined = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            refuse(calls, errno);
            attempt()
        });
        thread.join()
    });
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// From here on, in this thread and in all that it starts.
fn refuse(calls: &[libc::c_long], errno: i32) {
    const LOAD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let statement = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
    let mut filters = vec![statement(LOAD, 0)];
    for call in calls {
        let k = u32::try_from(*call).unwrap();
        filters.push(libc::sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k });
        filters.push(statement(RETURN, libc::SECCOMP_RET_ERRNO | u32::try_from(errno).unwrap()));
    }
    filters.push(statement(RETURN, libc::SECCOMP_RET_ALLOW));
    let len = u16::try_from(filters.len()).unwrap();
    let program = libc::sock_fprog { len, filter: filters.as_mut_ptr() };
    // SAFETY: the program names as many filters as the list has; both live through the call.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, ptr::from_ref(&program))
    };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
}
