//! When a command has to end, and how long the rest of its output is read then.

use std::time::Duration;

use tokio::time::Instant;

/// Lateness of a deadline that shows that the host itself was stopped or starved.
const LATE: Duration = Duration::from_millis(100);

/// Most time given to a command whose host was late, to tell that it had ended in time.
const LATE_EXTENSION: Duration = Duration::from_secs(1);

/// When a command has to end, if it has to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    may_extend: bool,
}

impl Deadline {
    pub(crate) fn new(at: Option<Instant>) -> Self {
        Self { at, may_extend: true }
    }

    /// Whether there is one.
    pub(crate) fn is_set(self) -> bool {
        self.at.is_some()
    }

    /// Waits until it has come.
    pub(crate) async fn come(self) {
        until(self.at).await;
    }

    /// It has come. Moves it, once, where the host was late: the command may have ended in time (CC-11). Returns whether
    /// it did.
    pub(crate) fn extend_if_late(&mut self) -> bool {
        let late = self.at.map_or(Duration::ZERO, |at| at.elapsed());
        let extends = late > LATE && std::mem::take(&mut self.may_extend);
        if extends {
            self.at = Some(Instant::now() + late.min(LATE_EXTENSION));
        }
        extends
    }

    /// Until when the consumer may take what a command wrote that has ended by itself: `more` past the deadline.
    pub(crate) fn and(self, more: Duration) -> Option<Instant> {
        self.at.map(|at| at.max(Instant::now()) + more)
    }
}

/// Waits until an instant; for ever where there is none.
pub(crate) async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
