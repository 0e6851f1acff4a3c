//! Registers a descriptor with the runtime. `AsyncFd::new` is deprecated as unsound, since it
//! takes types that may close their descriptor early; those taken here cannot.
#![expect(
    unsafe_code,
    reason = "the safe constructor is deprecated; the block says why it is sound"
)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Types that keep one descriptor open, the same one, for as long as they live.
pub(crate) trait HoldsDescriptor: AsRawFd {}

impl HoldsDescriptor for OwnedFd {}
impl HoldsDescriptor for Arc<OwnedFd> {}

/// Watches a descriptor for `interest`, in the tokio runtime of the caller.
///
/// # Errors
/// What `epoll_ctl(2)` says: no memory, or a descriptor that cannot be watched, such as a file.
pub(crate) fn watch<T: HoldsDescriptor>(holder: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    // SAFETY: the holder owns its descriptor and moves into the AsyncFd, which removes the
    // registration before it drops the holder.
    unsafe { AsyncFd::register_with_interest(holder, interest) }.map_err(io::Error::from)
}
