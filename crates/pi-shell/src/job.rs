//! One call of `run` and its time, for every kind of session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_process::deadline::Deadline;
use tokio_util::sync::CancellationToken;

use crate::observer::Observer;
use crate::request::RunOptions;

/// One call of `run`.
pub(crate) struct Job {
    pub(crate) options: RunOptions,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) cancel: CancellationToken,
}

impl Job {
    /// It has its turn: its time begins.
    pub(crate) fn begin(&self) -> Clock {
        self.observer.started();
        Clock::start(self.options.timeout)
    }
}

/// When a command began and when it has to end.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    timeout: Option<Duration>,
}

impl Clock {
    pub(crate) fn start(timeout: Option<Duration>) -> Self {
        Self { start: Instant::now(), timeout }
    }

    pub(crate) fn deadline(&self) -> Deadline {
        let end = |timeout| tokio::time::Instant::from_std(self.start + timeout);
        Deadline::new(self.timeout.map(end))
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_command_runs_from_its_start_to_its_deadline() {
        let second = Duration::from_secs(1);
        let before = tokio::time::Instant::now();
        let clock = Clock::start(Some(7 * second));
        let started = Instant::now();
        while started.elapsed().is_zero() {
            std::thread::yield_now();
        }

        let least = started.elapsed();
        assert!(clock.elapsed() >= least);
        let end = clock.deadline().and(Duration::ZERO).unwrap();
        assert!(end >= before + 7 * second && end <= tokio::time::Instant::now() + 7 * second);
        assert!(!Clock::start(None).deadline().is_set());
    }
}
