//! Registers a descriptor with the runtime. `AsyncFd::new` is deprecated as unsound, since it
//! takes types that may close their descriptor early; those taken here cannot.
#![expect(
    unsafe_code,
    reason = "the safe constructor is deprecated; the block says why it is sound"
)]

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Types that keep one descriptor open, the same one, for as long as they live.
pub trait HoldsDescriptor: AsRawFd {}

impl HoldsDescriptor for OwnedFd {}
impl HoldsDescriptor for Arc<OwnedFd> {}

/// Watches a descriptor for `interest`, in the tokio runtime of the caller.
///
/// # Errors
/// What `epoll_ctl(2)` says: no memory, or a descriptor that cannot be watched, such as a file.
pub fn watch<T: HoldsDescriptor>(holder: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    // SAFETY: the holder owns its descriptor and moves into the AsyncFd, which removes the
    // registration before it drops the holder.
    unsafe { AsyncFd::register_with_interest(holder, interest) }.map_err(io::Error::from)
}

/// A descriptor that the runtime watches only from when someone waits for it: who does not wait
/// is not woken up, and no one pays for the waking.
#[cfg(target_os = "linux")]
pub struct LazyWatch {
    descriptor: Arc<OwnedFd>,
    /// While the runtime tells when there is something to read.
    watch: Option<AsyncFd<Arc<OwnedFd>>>,
}

#[cfg(target_os = "linux")]
impl LazyWatch {
    /// Not watched yet.
    pub fn new(descriptor: OwnedFd) -> Self {
        Self { descriptor: Arc::new(descriptor), watch: None }
    }

    /// The descriptor, for calls that do not wait.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// The descriptor, for someone else who watches it.
    pub fn shared(&self) -> &Arc<OwnedFd> {
        &self.descriptor
    }

    /// The descriptor, watched from now on for something to read.
    ///
    /// # Errors
    /// What `epoll_ctl(2)` says: the user's share of watches is spent, or there is no memory. The
    /// descriptor is as it was, and the next call tries again.
    pub fn watched(&mut self) -> io::Result<&AsyncFd<Arc<OwnedFd>>> {
        let watched = match self.watch.take() {
            Some(watched) => watched,
            None => watch(Arc::clone(&self.descriptor), Interest::READABLE)?,
        };
        Ok(self.watch.insert(watched))
    }

    /// Ends the watching. What the runtime knew, such as a hang-up, which it never forgets
    /// otherwise, is forgotten.
    pub fn unwatch(&mut self) {
        self.watch = None;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_descriptor_that_cannot_be_watched_is_kept() {
        let file = std::fs::File::open("/etc/passwd").unwrap();
        let mut lazy = LazyWatch::new(file.into());

        for _ in 0..2 {
            // What `epoll_ctl(2)` says of a file.
            let error = lazy.watched().err().unwrap();
            assert_eq!(error.raw_os_error(), Some(libc::EPERM));
            assert_eq!(rustix::io::read(lazy.descriptor(), &mut [0_u8; 8]), Ok(8));
        }
    }

    #[tokio::test]
    async fn a_descriptor_is_watched_again_after_it_was_not() {
        let (reader, writer) = crate::sys::pipe().unwrap();
        let mut lazy = LazyWatch::new(reader);

        for _ in 0..2 {
            rustix::io::write(&writer, b"x").unwrap();
            drop(lazy.watched().unwrap().readable().await.unwrap());
            lazy.unwatch();
            assert!(lazy.watch.is_none(), "who does not wait is not woken up");
        }
        assert_eq!(rustix::io::read(lazy.descriptor(), &mut [0_u8; 8]), Ok(2));
    }
}
