//! A thread's inline runs: begun, polled when their reports come, and given to the runtime when they are late.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use pi_process::lock;
use pi_process::sys::FineTimer;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::parked::{Late, Slot};
use super::place::{self, Polled};

/// Time that a run may be parked before the runtime goes on with it. Whatever takes longer is not a small program, and
/// its output is to be listened to. With 1 ms, `/bin/true` took 940 µs instead of 850: the clock woke a thread meanwhile.
const PATIENCE: Duration = Duration::from_millis(2);

/// Reports taken in by one system call; more of them come by the next.
const EVENTS_AT_ONCE: usize = 32;

/// A future that the runtime can take over.
pub(super) type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The runs that one thread polls inline.
pub struct InlineRuns {
    runtime: Handle,
    /// Descriptors on which parked runs expect a report, by the slot's number.
    reports: OwnedFd,
    slots: Mutex<HashMap<u64, Arc<Slot>>>,
    next: AtomicU64,
    patience: Arc<FineTimer>,
    is_timed: AtomicBool,
    clock: Mutex<Option<AbortHandle>>,
}

impl InlineRuns {
    /// An empty set, whose runs go on in `runtime`.
    ///
    /// # Errors
    /// `EMFILE` and the like where the system has no descriptor or watch left: then every run is the runtime's.
    pub fn new(runtime: &Handle) -> io::Result<Arc<Self>> {
        let _entered = runtime.enter();
        let runs = Arc::new(Self {
            runtime: runtime.clone(),
            reports: epoll::create(CreateFlags::CLOEXEC)?,
            slots: Mutex::default(),
            next: AtomicU64::new(0),
            patience: Arc::new(FineTimer::new()?),
            is_timed: AtomicBool::new(false),
            clock: Mutex::default(),
        });
        let clock = move_late_runs(Arc::downgrade(&runs), Arc::clone(&runs.patience));
        let clock = runtime.spawn(clock).abort_handle();
        *lock(&runs.clock) = Some(clock);
        Ok(runs)
    }

    /// Begins a run on this thread; it ends here or in the runtime. Must not be called within the runtime.
    pub fn begin(self: &Arc<Self>, run: impl Future<Output = ()> + Send + 'static) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(Slot::new(self.runtime.clone(), Arc::downgrade(self), number));
        self.poll(&slot, Box::pin(run));
    }

    /// Polls the runs whose reports have come. For the thread that began them, when [`Self::as_fd`] is readable.
    pub fn turn(self: &Arc<Self>) {
        let mut events =
            [Event { flags: EventFlags::empty(), data: EventData::new_u64(0) }; EVENTS_AT_ONCE];
        loop {
            // The set is non-empty in the usual case; where it is not, this costs a system call and no wait.
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            let found =
                epoll::wait(&self.reports, events.as_mut_slice(), Some(&at_once)).unwrap_or(0);
            for event in events.iter().take(found) {
                let slot = lock(&self.slots).remove(&event.data.u64());
                if let Some(slot) = slot
                    && let Some((run, _)) = slot.take()
                {
                    self.poll(&slot, run);
                }
            }
            if found < EVENTS_AT_ONCE {
                return;
            }
        }
    }

    /// As [`Self::turn`], once a report is there or `patience` is over; at once where no run is parked.
    pub fn turn_within(self: &Arc<Self>, patience: Duration) {
        let end = Instant::now() + patience;
        while self.has_parked() && Instant::now() < end {
            self.turn();
            std::hint::spin_loop();
        }
    }

    /// Whether a run waits for its report here.
    fn has_parked(&self) -> bool {
        !lock(&self.slots).is_empty()
    }

    /// Polls a run here, and sees to what it waits for.
    fn poll(self: &Arc<Self>, slot: &Arc<Slot>, mut run: Run) {
        let entered = self.runtime.enter();
        let polled = place::poll_inline(run.as_mut(), &slot.waker());
        drop(entered);
        match polled {
            Polled::Ended => {}
            Polled::Elsewhere => drop(self.runtime.spawn(run)),
            Polled::Report(descriptor) => {
                if self.expect_report(descriptor.as_fd(), slot.number).is_err() {
                    drop(self.runtime.spawn(run));
                    return;
                }
                lock(&self.slots).insert(slot.number, Arc::clone(slot));
                if let Some(woken) = slot.park(run, Arc::clone(&descriptor), Instant::now()) {
                    self.move_on(slot.number, woken, &descriptor);
                }
                self.set_clock(PATIENCE);
            }
        }
    }

    /// Has the set tell of the next report on `descriptor`, once.
    fn expect_report(&self, descriptor: BorrowedFd<'_>, number: u64) -> io::Result<()> {
        let (data, flags) = (EventData::new_u64(number), EventFlags::IN | EventFlags::ONESHOT);
        match epoll::modify(&self.reports, descriptor, data, flags) {
            Err(rustix::io::Errno::NOENT) => {
                Ok(epoll::add(&self.reports, descriptor, data, flags)?)
            }
            result => Ok(result?),
        }
    }

    /// Gives a parked run to the runtime.
    fn move_on(&self, number: u64, run: Run, report: &OwnedFd) {
        self.forget(number, report);
        drop(self.runtime.spawn(run));
    }

    /// A run is not parked here any more: its report does not wake this thread.
    pub(super) fn forget(&self, number: u64, report: &OwnedFd) {
        lock(&self.slots).remove(&number);
        // The entry stays, for the session's next run. Gone already is as good.
        let (nothing, unused) = (EventFlags::ONESHOT, EventData::new_u64(number));
        epoll::modify(&self.reports, report, unused, nothing).ok();
    }

    /// Gives the runs to the runtime that were parked too long. Returns when the next one will have been.
    fn move_late(&self, now: Instant) -> Option<Duration> {
        let mut next: Option<Duration> = None;
        let slots: Vec<Arc<Slot>> = lock(&self.slots).values().map(Arc::clone).collect();
        for slot in slots {
            match slot.take_late(now, PATIENCE) {
                Late::Run(run, report) => self.move_on(slot.number, run, &report),
                Late::In(left) => next = Some(next.map_or(left, |next| next.min(left))),
                Late::Absent => {}
            }
        }
        next
    }

    /// Starts the clock, where it does not run.
    fn set_clock(&self, after: Duration) {
        if !self.is_timed.swap(true, Ordering::SeqCst) {
            // Cannot fail with a span that is neither negative nor zero.
            drop(self.patience.set(after.max(Duration::from_micros(1))));
        }
    }
}

impl AsFd for InlineRuns {
    /// Readable when a report came for one of the runs.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reports.as_fd()
    }
}

impl Drop for InlineRuns {
    fn drop(&mut self) {
        if let Some(clock) = lock(&self.clock).take() {
            clock.abort();
        }
        // Each of them settles, with or without the thread that began it.
        let slots: Vec<Arc<Slot>> = lock(&self.slots).drain().map(|(_, slot)| slot).collect();
        for (run, _) in slots.iter().filter_map(|slot| slot.take()) {
            drop(self.runtime.spawn(run));
        }
    }
}

/// The clock of a set: gives late runs to the runtime, as long as the set is there.
async fn move_late_runs(runs: Weak<InlineRuns>, patience: Arc<FineTimer>) {
    loop {
        patience.ended().await;
        let Some(runs) = runs.upgrade() else { return };
        runs.is_timed.store(false, Ordering::SeqCst);
        if let Some(next) = runs.move_late(Instant::now()) {
            runs.set_clock(next);
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
