//! One inline run while nothing polls it, and who may take it then: the thread that began it, the clock, or a waker.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use pi_process::lock;
use tokio::runtime::Handle;

use super::runs::{InlineRuns, Run};

/// The place of one run.
pub(super) struct Slot {
    runtime: Handle,
    runs: Weak<InlineRuns>,
    /// Its number in the set.
    pub(super) number: u64,
    state: Mutex<State>,
}

enum State {
    /// It is being polled, or it has ended, or the runtime has it.
    Taken {
        is_woken: bool,
    },
    Parked {
        run: Run,
        since: Instant,
        report: Arc<OwnedFd>,
    },
}

/// What the clock finds.
pub(super) enum Late {
    /// A run that was parked too long, and what its report was expected on.
    Run(Run, Arc<OwnedFd>),
    /// It will have been in that time.
    In(Duration),
    /// None is parked here.
    Absent,
}

impl Slot {
    /// A slot whose run is about to be polled.
    pub(super) fn new(runtime: Handle, runs: Weak<InlineRuns>, number: u64) -> Self {
        Self { runtime, runs, number, state: Mutex::new(State::Taken { is_woken: false }) }
    }

    /// Wakes the run: it goes on in the runtime.
    pub(super) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    /// Parks the run. Returns it where it was woken since it was taken.
    pub(super) fn park(&self, run: Run, report: Arc<OwnedFd>, since: Instant) -> Option<Run> {
        let mut state = lock(&self.state);
        if matches!(*state, State::Taken { is_woken: true }) {
            return Some(run);
        }
        *state = State::Parked { run, since, report };
        None
    }

    /// Takes the run, which is to be polled, and what its report was expected on.
    pub(super) fn take(&self) -> Option<(Run, Arc<OwnedFd>)> {
        let taken = std::mem::replace(&mut *lock(&self.state), State::Taken { is_woken: false });
        match taken {
            State::Parked { run, report, .. } => Some((run, report)),
            State::Taken { .. } => None,
        }
    }

    /// Takes the run where it has been parked for `patience`.
    pub(super) fn take_late(&self, now: Instant, patience: Duration) -> Late {
        let since = match &*lock(&self.state) {
            State::Parked { since, .. } => *since,
            State::Taken { .. } => return Late::Absent,
        };
        let left = patience.saturating_sub(now.saturating_duration_since(since));
        if left.is_zero() {
            self.take().map_or(Late::Absent, |(run, report)| Late::Run(run, report))
        } else {
            Late::In(left)
        }
    }
}

impl Wake for Slot {
    fn wake(self: Arc<Self>) {
        let mut state = lock(&self.state);
        if let State::Taken { is_woken } = &mut *state {
            *is_woken = true;
            return;
        }
        drop(state);
        let Some((run, report)) = self.take() else { return };
        if let Some(runs) = self.runs.upgrade() {
            runs.forget(self.number, &report);
        }
        drop(self.runtime.spawn(run));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Longest wait for anything here.
    const LIMIT: Duration = Duration::from_secs(10);

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap()
    }

    #[test]
    fn a_parked_run_that_is_woken_goes_on_at_once_and_not_when_its_patience_is_over() {
        let runtime = runtime();
        let (tell, heard) = mpsc::channel();
        let slot = Arc::new(Slot::new(runtime.handle().clone(), Weak::new(), 0));
        let (report, _writer) = pi_process::sys::pipe().unwrap();
        let run: Run = Box::pin(async move { tell.send(()).unwrap() });
        assert!(slot.park(run, Arc::new(report), Instant::now()).is_none());

        // No clock runs here.
        slot.waker().wake();

        heard.recv_timeout(LIMIT).unwrap();
        assert!(matches!(slot.take_late(Instant::now(), Duration::ZERO), Late::Absent));
    }

    #[test]
    fn a_run_that_was_woken_while_it_was_polled_is_not_parked() {
        let runtime = runtime();
        let slot = Arc::new(Slot::new(runtime.handle().clone(), Weak::new(), 0));
        let (report, _writer) = pi_process::sys::pipe().unwrap();
        slot.waker().wake();

        assert!(slot.park(Box::pin(async {}), Arc::new(report), Instant::now()).is_some());
    }
}
