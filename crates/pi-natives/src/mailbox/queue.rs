//! The mailboxes that have something for JavaScript, and the doorbell that says so.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::Status;
use napi::bindgen_prelude::Unknown;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

use super::Mailbox;

/// Without arguments; errors are not passed; the event loop may end; one call may wait.
pub(super) type Doorbell = ThreadsafeFunction<(), Unknown<'static>, (), Status, false, true, 1>;

struct Ready {
    mailboxes: VecDeque<Arc<Mailbox>>,
    /// JavaScript found the queue empty and waits for the doorbell.
    is_listening: bool,
}

/// Mailboxes that have something, in the order in which they got it.
pub(crate) struct ReadyQueue {
    doorbell: Doorbell,
    ready: Mutex<Ready>,
}

impl ReadyQueue {
    /// An empty queue, which JavaScript has found empty.
    pub(crate) fn new(doorbell: Doorbell) -> Self {
        let ready = Ready { mailboxes: VecDeque::new(), is_listening: true };
        Self { doorbell, ready: Mutex::new(ready) }
    }

    /// Adds a mailbox and rings if JavaScript waits.
    pub(crate) fn push(&self, mailbox: Arc<Mailbox>) {
        let mut ready = self.lock();
        ready.mailboxes.push_back(mailbox);
        let ring = std::mem::replace(&mut ready.is_listening, false);
        drop(ready);
        if ring {
            // Two answers are possible and both are fine: taken, or the environment is closing,
            // and then no one waits for anything.
            self.doorbell.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// From now on nothing rings, until what is returned ends: who asks for it takes what there is.
    pub(crate) fn hush(&self) -> Hush<'_> {
        let was_listening = std::mem::replace(&mut self.lock().is_listening, false);
        Hush { queue: self, was_listening }
    }

    /// The mailbox that waits longest. Without any, and where `listen` says so, the next one rings.
    pub(crate) fn pop(&self, listen: bool) -> Option<Arc<Mailbox>> {
        let mut ready = self.lock();
        let mailbox = ready.mailboxes.pop_front();
        ready.is_listening = listen && mailbox.is_none();
        mailbox
    }

    fn lock(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A queue that does not ring.
pub(crate) struct Hush<'a> {
    queue: &'a ReadyQueue,
    was_listening: bool,
}

impl Hush<'_> {
    /// Ends it. True where there is something to take: it is not rung for.
    pub(crate) fn end(self) -> bool {
        let has_more = self.restore();
        std::mem::forget(self);
        has_more
    }

    fn restore(&self) -> bool {
        let mut ready = self.queue.lock();
        let has_more = !ready.mailboxes.is_empty();
        ready.is_listening |= self.was_listening && !has_more;
        has_more
    }
}

impl Drop for Hush<'_> {
    /// A panic came before its end: nothing is taken now, so what there is has to ring.
    fn drop(&mut self) {
        if self.restore() {
            self.queue.doorbell.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}
