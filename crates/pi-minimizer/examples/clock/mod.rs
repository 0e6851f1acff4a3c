//! The time a thread had a processor, in steps of a scheduler tick: what other programs take on a busy machine does not
//! count.

use std::fs;
use std::time::{Duration, Instant};

/// Time on a processor since the thread began, where the kernel tells it (Linux); time since `start` elsewhere.
pub(crate) fn busy(start: Instant) -> Duration {
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split(' ').next()?.parse().ok())
        .map_or_else(|| start.elapsed(), Duration::from_nanos)
}
