//! The end of an engine: for which reason, in which order, within which bounds.

use std::time::Duration;

use tokio::task::JoinSet;

use super::Engine;
use crate::link::bye;

/// Longest wait for the ends of runs when everything ends: what a stop takes, with room for a busy machine.
const RUNS_BOUND: Duration = Duration::from_secs(7);

/// Longest wait for the last frames to leave.
pub(super) const FLUSH_BOUND: Duration = Duration::from_secs(2);

/// Longest wait for all sessions to close. Each bounds itself by less.
const CLOSE_BOUND: Duration = Duration::from_secs(12);

/// Why everything ends.
#[derive(Debug, Clone)]
pub(crate) struct Over {
    /// As `Bye` calls it.
    pub(crate) reason: &'static str,
    pub(crate) detail: String,
    /// Exit status of the program.
    pub(crate) status: u8,
}

impl Engine {
    /// Ends everything, for the first reason that is given.
    pub(crate) fn finish(&self, over: Over) {
        self.inner.over.send_if_modified(|slot| {
            let is_first = slot.is_none();
            slot.get_or_insert(over);
            is_first
        });
    }

    /// Why everything ends, where it does.
    pub(super) fn over(&self) -> Option<Over> {
        self.inner.over.borrow().clone()
    }

    /// Waits until everything has to end, and ends it. Returns the program's exit status.
    pub(crate) async fn serve_until_over(&self) -> u8 {
        let mut over = self.inner.over.subscribe();
        let over = tokio::select! {
            found = over.wait_for(Option::is_some) => found.ok().and_then(|found| found.clone()),
            () = self.unwanted() => None,
        };
        let over = over.unwrap_or(Over {
            reason: "closed",
            detail: "the time without a link is over".to_owned(),
            status: 0,
        });
        self.finish(over.clone());
        self.end_everything(&over).await;
        over.status
    }

    /// Waits until there was no link for the time that everything is kept.
    async fn unwanted(&self) {
        let Some(keep) = &self.inner.keep else { return std::future::pending().await };
        loop {
            let away = self.present().away_since.map(|since| since.elapsed());
            let rest = keep.time.checked_sub(away.unwrap_or_default()).unwrap_or_default();
            if rest.is_zero() && away.is_some() {
                return;
            }
            tokio::time::sleep(rest.max(Duration::from_millis(5))).await;
        }
    }

    /// Ends runs, lets near know, closes sessions. Bounded, whatever near and its programs do.
    async fn end_everything(&self, over: &Over) {
        for channel in self.inner.channels.operations() {
            self.cancel(channel);
        }
        let runs = self.inner.channels.without_operations();
        drop(tokio::time::timeout(RUNS_BOUND, runs).await);
        let outgoing = &self.inner.outgoing;
        let flushed = tokio::time::timeout(FLUSH_BOUND, async {
            outgoing.drained().await;
            outgoing.put_control(None, bye(over.reason, Some(&over.detail)));
            outgoing.drained().await;
        });
        let sessions: Vec<_> = self.sessions().drain().map(|(_, session)| session).collect();
        let mut closing = JoinSet::new();
        for session in sessions {
            closing.spawn(async move { session.shell.close().await });
        }
        let closed = tokio::time::timeout(CLOSE_BOUND, async {
            while closing.join_next().await.is_some() {}
        });
        drop(tokio::join!(flushed, closed));
        self.leave_present(None);
    }
}
