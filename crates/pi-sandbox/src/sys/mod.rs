//! What is asked of Linux below `rustix`: the version of Landlock, and the limits of another process.

pub(crate) mod limits;

/// The version of Landlock that the kernel has; 0 for none.
///
/// `/sys/kernel/security` may not be mounted, so the kernel itself is asked.
#[expect(unsafe_code, reason = "the call has no safe wrapper")]
pub(crate) fn landlock_version() -> i64 {
    /// `LANDLOCK_CREATE_RULESET_VERSION`.
    const ASK_VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the kernel reads no memory and returns a number.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, ASK_VERSION) }.max(0)
}
