//! The runs of a session that have not settled yet, and cancelling all of them.

use std::sync::{Arc, Mutex};

use pi_process::lock;
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
        let mut listed = lock(&runs.runs);
        listed.last_id += 1;
        let id = listed.last_id;
        listed.active.push((id, cancel));
        drop(listed);
        Registration { runs: Arc::clone(runs), id }
    }

    /// Cancels all that are active now; over when they have settled.
    pub(super) async fn abort(&self) {
        let aborted: Vec<u64> = {
            let runs = lock(&self.runs);
            runs.active.iter().for_each(|(_, cancel)| cancel.cancel());
            runs.active.iter().map(|(id, _)| *id).collect()
        };
        loop {
            // From here on no end is missed.
            let settled = self.settled.notified();
            if !lock(&self.runs).active.iter().any(|(id, _)| aborted.contains(id)) {
                return;
            }
            settled.await;
        }
    }
}

/// A run that counts as active.
pub(super) struct Registration {
    runs: Arc<ActiveRuns>,
    id: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock(&self.runs.runs).active.retain(|(id, _)| *id != self.id);
        self.runs.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn all_that_are_active_are_cancelled_and_their_ends_are_awaited() {
        let runs = Arc::new(ActiveRuns::default());
        let cancels = [CancellationToken::new(), CancellationToken::new()];
        let [first, second] = cancels.clone().map(|cancel| ActiveRuns::register(&runs, cancel));
        let mut abort = Box::pin(runs.abort());
        let moment = Duration::from_millis(1);

        assert!(tokio::time::timeout(moment, &mut abort).await.is_err());
        assert!(cancels.iter().all(CancellationToken::is_cancelled));
        drop(first);
        assert!(tokio::time::timeout(moment, &mut abort).await.is_err(), "one is left");
        let later = CancellationToken::new();
        let _later = ActiveRuns::register(&runs, later.clone());
        drop(second);
        tokio::time::timeout(Duration::from_secs(30), abort).await.unwrap();
        assert!(!later.is_cancelled(), "it came after the abort");
    }
}
