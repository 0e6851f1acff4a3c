//! The one crossing between the threads of the runs and the JavaScript thread of an environment.
//!
//! One bridge per loaded copy of the TypeScript module, so one per worker. It owns the doorbell
//! (a threadsafe function without arguments, at most one call under way), the ready queue and the
//! mailboxes of the operations in progress. It does not keep the event loop alive: JavaScript
//! does, while it waits for an end (`packages/natives/src/bridge.ts`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::JsString;
use napi::bindgen_prelude::{Env, Function, Result, Unknown};
use napi_derive::napi;

use crate::inline::Inline;
use crate::mailbox::{Mailbox, ReadyQueue, Wants};
use crate::outcome::Delivery;

/// Deliveries given out at once: enough that 200 small runs need few calls, few enough that
/// JavaScript can end its turn between two calls.
const DELIVERIES_AT_ONCE: usize = 64;

/// Carries what runs say to JavaScript, and what JavaScript wants back to them.
#[napi]
pub struct Bridge {
    queue: Arc<ReadyQueue>,
    operations: Mutex<HashMap<i64, Arc<Mailbox>>>,
    /// Runs that this thread polls itself.
    inline: Inline,
}

#[napi]
impl Bridge {
    /// `onReady` is called when `take` has something again, after `take` returned an empty list.
    /// It must not throw. `hasLoop`: the host's event loop is libuv's, and its functions may be called.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        env: Env,
        #[napi(ts_arg_type = "() => void")] on_ready: Function<'_, (), Unknown<'static>>,
        has_loop: bool,
    ) -> Result<Self> {
        let doorbell =
            on_ready.build_threadsafe_function().weak::<true>().max_queue_size::<1>().build()?;
        let queue = Arc::new(ReadyQueue::new(doorbell));
        let inline = if has_loop {
            Inline::start(env, on_ready.create_ref()?, &queue)
        } else {
            Inline::default()
        };
        Ok(Self { queue, operations: Mutex::new(HashMap::new()), inline })
    }

    /// What operations have to say, one delivery of each, until their texts reach
    /// `textBytes`. An empty list means that `onReady` will be called. A delivery without `end`
    /// holds its operation back until it is acknowledged.
    #[napi(catch_unwind)]
    pub fn take(&self, text_bytes: u32) -> Vec<Delivery> {
        let mut deliveries = Vec::new();
        let mut taken = 0;
        while taken < text_bytes as usize && deliveries.len() < DELIVERIES_AT_ONCE {
            let Some(mailbox) = self.queue.pop(deliveries.is_empty()) else { break };
            let Some((delivery, size)) = mailbox.take() else { continue };
            taken += size;
            if delivery.is_last() {
                self.lock().remove(&mailbox.id());
            }
            deliveries.push(delivery);
        }
        deliveries
    }

    /// The next text of a delivery of operation `id` that has texts, at most 64 KiB in memory; the text
    /// before it was dealt with. Null where there is none.
    #[napi(catch_unwind, ts_return_type = "string | null")]
    pub fn take_text<'env>(&self, env: &'env Env, id: i64) -> Result<Option<JsString<'env>>> {
        let Some(mailbox) = self.find(id) else { return Ok(None) };
        let Some(text) = mailbox.take_text() else { return Ok(None) };
        let string = text.to_js(env)?;
        mailbox.take_back(text);
        Ok(Some(string))
    }

    /// The last delivery of operation `id` was dealt with: the next may come.
    #[napi(catch_unwind)]
    pub fn acknowledge(&self, id: i64) {
        if let Some(mailbox) = self.find(id) {
            mailbox.acknowledge();
        }
    }

    /// Asks operation `id` to stop. Fine at any time, any number of times.
    #[napi(catch_unwind)]
    pub fn cancel(&self, id: i64) {
        if let Some(mailbox) = self.find(id) {
            mailbox.cancellation().cancel();
        }
    }

    /// Begins an operation on this thread, where it can: else at once in the runtime. Waits for its end for at most
    /// `spin`. True where there is something to take, which is not rung for.
    pub(crate) fn begin(
        &self,
        handle: &tokio::runtime::Handle,
        operation: impl Future<Output = ()> + Send + 'static,
        spin: std::time::Duration,
    ) -> bool {
        let hush = self.queue.hush();
        self.inline.begin(handle, operation, spin);
        hush.end()
    }

    /// Opens the mailbox of a new operation.
    pub(crate) fn open(&self, id: i64, wants: Wants) -> Arc<Mailbox> {
        let mailbox = Mailbox::new(id, wants, Arc::downgrade(&self.queue));
        self.lock().insert(id, Arc::clone(&mailbox));
        mailbox
    }

    fn find(&self, id: i64) -> Option<Arc<Mailbox>> {
        self.lock().get(&id).map(Arc::clone)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Arc<Mailbox>>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Bridge {
    /// The environment ends (a worker was terminated): what it started is stopped.
    fn drop(&mut self) {
        for (_, mailbox) in self.lock().drain() {
            mailbox.abandon();
        }
    }
}
