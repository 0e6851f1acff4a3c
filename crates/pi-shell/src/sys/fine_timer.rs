//! A timer finer than the runtime's, which knows milliseconds only.
//!
//! Linux has one that is a descriptor. Elsewhere there is none, and whoever asks does without.

use std::io;
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use linux::FineTimer;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{Duration, io};
    use crate::sys::watch;

    /// Runs once each time it is set.
    pub(crate) struct FineTimer(AsyncFd<OwnedFd>);

    impl FineTimer {
        /// A timer that does not run. Belongs to the runtime it is made in.
        ///
        /// # Errors
        /// `EMFILE` and `ENFILE` when no descriptor is left.
        pub(crate) fn new() -> io::Result<Self> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            Ok(Self(watch(timer, Interest::READABLE)?))
        }

        /// Starts it anew; it ends `after` that long, which is not zero and less than a second.
        pub(crate) fn set(&self, after: Duration) -> io::Result<()> {
            let never = Timespec { tv_sec: 0, tv_nsec: 0 };
            let once = Timespec { tv_sec: 0, tv_nsec: after.subsec_nanos().into() };
            let spec = Itimerspec { it_interval: never, it_value: once };
            timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &spec)?;
            Ok(())
        }

        /// Waits for its end since it was set, where there was no wait for it already. Cancel-safe.
        pub(crate) async fn ended(&self) {
            while let Ok(mut ready) = self.0.readable().await {
                // What was told may be an end from before it was set anew: then there is no count.
                let mut count = [0_u8; 8];
                if ready.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut count)?)).is_ok()
                {
                    return;
                }
            }
        }
    }
}

/// Stands for the timer where the system has none.
#[cfg(not(target_os = "linux"))]
pub(crate) enum FineTimer {}

#[cfg(not(target_os = "linux"))]
impl FineTimer {
    /// Always `Unsupported`.
    pub(crate) fn new() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There is none to set.
    pub(crate) fn set(&self, _after: Duration) -> io::Result<()> {
        match *self {}
    }

    /// There is none to wait for.
    #[expect(clippy::unused_async, reason = "the same form as on Linux")]
    pub(crate) async fn ended(&self) {
        match *self {}
    }
}
