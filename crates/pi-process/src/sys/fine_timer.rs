//! A timer finer than the runtime's, which knows milliseconds only: a descriptor (`timerfd_create(2)`).

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::watch;

/// Runs once each time it is set.
pub struct FineTimer(AsyncFd<OwnedFd>);

impl FineTimer {
    /// A timer that does not run. Belongs to the runtime it is made in.
    ///
    /// # Errors
    /// `EMFILE` and `ENFILE` when no descriptor is left.
    pub fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self(watch(timer, Interest::READABLE)?))
    }

    /// Starts it again; it ends `after` that long, which is not zero and less than a second.
    pub fn set(&self, after: Duration) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let once = Timespec { tv_sec: 0, tv_nsec: after.subsec_nanos().into() };
        let spec = Itimerspec { it_interval: never, it_value: once };
        timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &spec)?;
        Ok(())
    }

    /// Waits for its end since it was set, where there was no wait for it already. Cancel-safe.
    pub async fn ended(&self) {
        while let Ok(mut ready) = self.0.readable().await {
            // The wake-up may be of an end before it was set again: then there is no count.
            let mut count = [0_u8; 8];
            if ready.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut count)?)).is_ok() {
                return;
            }
        }
    }
}
