//! Where a run is polled: inline, which is on its caller's thread, or elsewhere, which is in the runtime.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

thread_local! {
    static IS_INLINE: Cell<bool> = const { Cell::new(false) };
    /// The descriptor on which the run that is being polled expects a report.
    static REPORT: RefCell<Option<Arc<OwnedFd>>> = const { RefCell::new(None) };
}

/// What came of polling a run inline.
pub(super) enum Polled {
    Ended,
    /// It waits for the next report on this descriptor.
    Report(Arc<OwnedFd>),
    /// It waits for something else.
    Elsewhere,
}

/// Polls a run on this thread.
pub(super) fn poll_inline<F>(run: Pin<&mut F>, waker: &Waker) -> Polled
where
    F: Future<Output = ()> + ?Sized,
{
    let inline = Inline::enter();
    let polled = run.poll(&mut Context::from_waker(waker));
    drop(inline);
    let report = REPORT.take();
    match polled {
        Poll::Ready(()) => Polled::Ended,
        Poll::Pending => report.map_or(Polled::Elsewhere, Polled::Report),
    }
}

/// While it lives, this thread polls inline.
struct Inline;

impl Inline {
    fn enter() -> Self {
        IS_INLINE.set(true);
        REPORT.set(None);
        Self
    }
}

impl Drop for Inline {
    fn drop(&mut self) {
        IS_INLINE.set(false);
    }
}

/// Whether the run is polled inline: it must not block, and not wait for anything but a report.
pub(crate) fn is_inline() -> bool {
    IS_INLINE.get()
}

/// Waits until the run is polled elsewhere, which is soon; at once where it is. For what comes before work that may block.
pub(crate) async fn elsewhere() {
    poll_fn(|_| if is_inline() { Poll::Pending } else { Poll::Ready(()) }).await;
}

/// Inline, waits until `descriptor` may have a report; at once elsewhere. Cancel-safe.
pub(crate) async fn report_of(descriptor: &Arc<OwnedFd>) {
    let mut is_noted = false;
    poll_fn(|_| {
        if is_noted || !is_inline() {
            return Poll::Ready(());
        }
        is_noted = true;
        REPORT.set(Some(Arc::clone(descriptor)));
        Poll::Pending
    })
    .await;
}
