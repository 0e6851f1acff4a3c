//! The promise that every operation ends: however its task goes, its mailbox gets an end.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

use crate::error::Failure;
use crate::mailbox::Mailbox;
use crate::outcome::End;

/// Runs `operation` on the runtime and puts what it returns into `mailbox` as the end.
pub(crate) fn spawn<F>(handle: &Handle, mailbox: Arc<Mailbox>, operation: F)
where
    F: Future<Output = Result<End, Failure>> + Send + 'static,
{
    handle.spawn(settling(mailbox, operation));
}

/// `operation` as a future that puts what it returns into `mailbox` as the end.
pub(crate) fn settling<F>(
    mailbox: Arc<Mailbox>,
    operation: F,
) -> impl Future<Output = ()> + Send + 'static
where
    F: Future<Output = Result<End, Failure>> + Send + 'static,
{
    Settling { mailbox, operation: Some(Box::pin(operation)) }
}

/// An operation whose panic, and whose disappearance, are ends as well.
struct Settling<F> {
    mailbox: Arc<Mailbox>,
    operation: Option<Pin<Box<F>>>,
}

impl<F> Future for Settling<F>
where
    F: Future<Output = Result<End, Failure>>,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(operation) = self.operation.as_mut() else { return Poll::Ready(()) };
        // Whatever a panic left behind is dropped with the operation and not looked at again.
        let polled = catch_unwind(AssertUnwindSafe(|| operation.as_mut().poll(context)));
        let end = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result.unwrap_or_else(End::from),
            Err(payload) => Failure::panicked(payload.as_ref()).into(),
        };
        // Before the end is reported: what the operation holds (the session of a one-shot) is released
        // when the promise resolves, not some time afterwards.
        self.operation = None;
        self.mailbox.end(end);
        Poll::Ready(())
    }
}

impl<F> Drop for Settling<F> {
    fn drop(&mut self) {
        // No effect after an end.
        self.mailbox.end(Failure::dropped().into());
    }
}
