//! Tasks of the engine, and what a panic in one is.
//!
//! All are of one type for the runtime, as is work that blocks: it makes some 3 KB of code for each type, and this program is
//! sent over links.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use super::Engine;
use crate::message::Failure;

/// A task as the runtime sees it.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Engine {
    /// Has the runtime do something, to whose end nothing waits.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task: Task = Box::pin(task);
        drop(self.inner.handle.spawn(task));
    }
}

/// Work that blocks a thread, as the runtime sees it.
type Work = Box<dyn FnOnce() + Send>;

/// Runs what may wait for a disk or look at many processes where it holds nothing else up.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let made = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&made);
    let work: Work = Box::new(move || {
        let result = work();
        *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    // One that panicked made nothing.
    drop(tokio::task::spawn_blocking(work).await);
    let result = made.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.unwrap_or_else(|| Err(Failure::internal("an operation's work ended early")))
}

/// Something whose panic is its end and nothing else's: `None`.
pub(super) struct Contained<T>(Option<Pin<Box<dyn Future<Output = T> + Send>>>);

impl<T> Contained<T> {
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Some(Box::pin(work)))
    }
}

impl<T> Future for Contained<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(work) = self.0.as_mut() else { return Poll::Ready(None) };
        // What a panic left behind is dropped with the work, and not looked at again.
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        if matches!(polled, Ok(Poll::Pending)) {
            return Poll::Pending;
        }
        // Before the end is reported: what the work holds is given back.
        self.0 = None;
        match polled {
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            _ => Poll::Ready(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use super::*;

    #[test]
    fn a_panic_ends_what_panicked_and_gives_back_what_it_held() {
        let held = Arc::new(());
        let inner = Arc::clone(&held);
        let mut work = Contained::new(async move {
            std::future::ready(()).await;
            assert_eq!(Arc::strong_count(&inner), 1, "a bug of ours");
        });
        let mut context = Context::from_waker(Waker::noop());

        let ended: Poll<Option<()>> = Pin::new(&mut work).poll(&mut context);

        assert_eq!(ended, Poll::Ready(None));
        assert_eq!(Arc::strong_count(&held), 1);
        assert_eq!(Pin::new(&mut work).poll(&mut context), Poll::Ready(None));
    }

    #[tokio::test]
    async fn work_that_blocks_gives_what_it_makes_and_a_panic_in_it_is_an_error() {
        assert_eq!(blocking(|| Ok(7)).await.ok(), Some(7));
        let failed = blocking::<u8>(|| panic!("a bug of ours")).await.unwrap_err();
        assert_eq!(failed.code, "PI_INTERNAL");
    }

    #[test]
    fn what_it_gives_is_given_on() {
        let mut context = Context::from_waker(Waker::noop());
        let mut pending = Contained::new(std::future::pending::<u8>());
        assert_eq!(Pin::new(&mut pending).poll(&mut context), Poll::Pending);
        let mut work = Contained::new(async { 7 });
        assert_eq!(Pin::new(&mut work).poll(&mut context), Poll::Ready(Some(7)));
    }
}
