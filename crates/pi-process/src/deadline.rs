//! When a command has to end, and how long the rest of its output is read then.

use std::time::Duration;

use tokio::time::Instant;

/// Lateness of a deadline that shows that the host itself was stopped or starved.
const LATE: Duration = Duration::from_millis(100);

/// Most time given to a command whose host was late, to tell that it had ended in time.
const LATE_EXTENSION: Duration = Duration::from_secs(1);

/// When a command has to end, if it has to.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Option<Instant>,
    may_extend: bool,
}

impl Deadline {
    /// One at `at`; `None`: the command may take as long as it likes.
    pub fn new(at: Option<Instant>) -> Self {
        Self { at, may_extend: true }
    }

    /// Whether there is one.
    pub fn is_set(self) -> bool {
        self.at.is_some()
    }

    /// Waits until it has come.
    pub async fn come(self) {
        until(self.at).await;
    }

    /// It has come. Moves it, once, where the host was late: the command may have ended in time (CC-11). Returns whether
    /// it did.
    pub fn extend_if_late(&mut self) -> bool {
        let late = self.at.map_or(Duration::ZERO, |at| at.elapsed());
        let extends = late > LATE && std::mem::take(&mut self.may_extend);
        if extends {
            self.at = Some(Instant::now() + late.min(LATE_EXTENSION));
        }
        extends
    }

    /// Until when the consumer may take what a command wrote that has ended by itself: `more` past the deadline.
    pub fn and(self, more: Duration) -> Option<Instant> {
        self.at.map(|at| at.max(Instant::now()) + more)
    }
}

/// Waits until an instant; for ever where there is none.
pub async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_deadline_that_a_stopped_host_missed_moves_once_and_no_further_than_its_bound() {
        let mut deadline = Deadline::new(Some(Instant::now() - seconds(3600)));
        assert!(deadline.is_set());

        let before = Instant::now();
        assert!(deadline.extend_if_late());
        let moved = deadline.at.unwrap();
        assert!(moved >= before + LATE_EXTENSION && moved <= Instant::now() + LATE_EXTENSION);

        deadline.at = Some(Instant::now() - seconds(3600));
        assert!(!deadline.extend_if_late(), "once");
    }

    #[test]
    fn a_deadline_that_is_little_late_moves_by_as_much() {
        let late = Duration::from_millis(500);
        let mut deadline = Deadline::new(Some(Instant::now() - late));

        let before = Instant::now();
        assert!(deadline.extend_if_late());
        assert!(deadline.at.is_some_and(|at| at >= before + late));
    }

    #[test]
    fn one_that_is_not_late_or_not_there_stays_and_may_move_later() {
        let at = Instant::now() + seconds(3600);
        let mut deadline = Deadline::new(Some(at));
        assert!(!deadline.extend_if_late());
        assert_eq!(deadline.at, Some(at));
        assert!(deadline.may_extend);

        let mut none = Deadline::new(None);
        assert!(!none.is_set() && !none.extend_if_late());
        assert_eq!(none.and(seconds(1)), None);
    }

    #[test]
    fn a_consumer_has_its_time_from_the_deadline_or_from_now_where_that_is_later() {
        let at = Instant::now() + seconds(3600);
        assert_eq!(Deadline::new(Some(at)).and(seconds(5)), Some(at + seconds(5)));

        let before = Instant::now();
        let missed = Deadline::new(Some(before - seconds(3600))).and(seconds(5)).unwrap();
        assert!(missed >= before + seconds(5));
    }

    #[tokio::test]
    async fn a_deadline_comes_when_it_is_there_and_else_never() {
        let soon = Instant::now() + Duration::from_millis(20);
        tokio::time::timeout(seconds(30), Deadline::new(Some(soon)).come()).await.unwrap();
        assert!(Instant::now() >= soon);

        let mut never = std::pin::pin!(Deadline::new(None).come());
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut never).await.is_err());
    }
}
