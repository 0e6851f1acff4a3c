//! The runs of a session that have not settled yet, and cancelling all of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Runs of one session, waiting ones too.
#[derive(Default)]
pub(super) struct ActiveRuns {
    runs: Mutex<Runs>,
    settled: Notify,
}

#[derive(Default)]
struct Runs {
    active: Vec<(u64, CancellationToken)>,
    last_id: u64,
}

impl ActiveRuns {
    /// Counts a run as active until what is returned is dropped.
    pub(super) fn register(runs: &Arc<Self>, cancel: CancellationToken) -> Registration {
        let mut listed = runs.lock();
        listed.last_id += 1;
        let id = listed.last_id;
        listed.active.push((id, cancel));
        drop(listed);
        Registration { runs: Arc::clone(runs), id }
    }

    /// Cancels all that are active now; over when they have settled.
    pub(super) async fn abort(&self) {
        let aborted: Vec<u64> = {
            let runs = self.lock();
            runs.active.iter().for_each(|(_, cancel)| cancel.cancel());
            runs.active.iter().map(|(id, _)| *id).collect()
        };
        loop {
            // From here on no end is missed.
            let settled = self.settled.notified();
            if !self.lock().active.iter().any(|(id, _)| aborted.contains(id)) {
                return;
            }
            settled.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // A panic elsewhere leaves a whole list.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that counts as active.
pub(super) struct Registration {
    runs: Arc<ActiveRuns>,
    id: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.runs.lock().active.retain(|(id, _)| *id != self.id);
        self.runs.settled.notify_waiters();
    }
}
