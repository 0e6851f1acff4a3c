//! Registers a descriptor with the runtime. `AsyncFd::new` is deprecated as unsound, since it
//! takes types that may close their descriptor early; those taken here cannot.
#![expect(
    unsafe_code,
    reason = "the safe constructor is deprecated; the block says why it is sound"
)]

use std::io;
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd, OwnedFd};
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

/// A descriptor that the runtime watches only from when somebody waits for it: who does not wait
/// is not woken up, and nobody pays for the waking.
pub(crate) struct LazyWatch(State);

enum State {
    /// The runtime tells when there is something to read.
    Watched(AsyncFd<OwnedFd>),
    /// Nobody tells.
    Plain(OwnedFd),
    /// Between the two, and after a change from one to the other that failed.
    Missing,
}

impl LazyWatch {
    /// Not watched yet.
    pub(crate) fn new(descriptor: OwnedFd) -> Self {
        Self(State::Plain(descriptor))
    }

    /// The descriptor, for calls that do not wait.
    ///
    /// # Errors
    /// `NotConnected` after it could not be watched.
    pub(crate) fn descriptor(&self) -> io::Result<BorrowedFd<'_>> {
        match &self.0 {
            State::Watched(watched) => Ok(watched.get_ref().as_fd()),
            State::Plain(descriptor) => Ok(descriptor.as_fd()),
            State::Missing => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// The descriptor, watched from now on for something to read.
    ///
    /// # Errors
    /// What `epoll_ctl(2)` says; then the descriptor is closed.
    pub(crate) fn watched(&mut self) -> io::Result<&AsyncFd<OwnedFd>> {
        if matches!(self.0, State::Plain(_))
            && let State::Plain(descriptor) = std::mem::replace(&mut self.0, State::Missing)
        {
            self.0 = State::Watched(watch(descriptor, Interest::READABLE)?);
        }
        match &self.0 {
            State::Watched(watched) => Ok(watched),
            State::Plain(_) | State::Missing => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// Ends the watching. What the runtime knew, such as a hang-up, which it never forgets
    /// otherwise, is forgotten.
    pub(crate) fn unwatch(&mut self) {
        match std::mem::replace(&mut self.0, State::Missing) {
            State::Watched(watched) => self.0 = State::Plain(watched.into_inner()),
            other => self.0 = other,
        }
    }
}
