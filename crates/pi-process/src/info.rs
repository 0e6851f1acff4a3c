//! What is known of processes, as plain data on every platform: what one is, and what some of them used.

use std::time::Duration;

/// A process that outlived the command that started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its id, valid while it lives.
    pub pid: i32,
    /// Its command line, arguments joined by spaces, at most 4 KiB.
    pub command: String,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_at_ms: u64,
}

/// What a command used: the processes that its shell waited for and, in a session, what the shell itself did for it.
/// Processes that outlive the command, and those that left the shell's care, are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Processor time outside of the kernel.
    pub user: Duration,
    /// Processor time inside of the kernel.
    pub system: Duration,
    /// Largest resident set of one process, in bytes. `None`: the session's shell has waited for a larger one before, and
    /// the kernel keeps only the largest (getrusage(2), `ru_maxrss`).
    pub peak_memory_bytes: Option<u64>,
}

impl ResourceUsage {
    /// From microseconds and KiB, as the kernel counts; 0 KiB: not known.
    pub fn counted(user_us: u64, system_us: u64, peak_kib: u64) -> Self {
        Self {
            user: Duration::from_micros(user_us),
            system: Duration::from_micros(system_us),
            peak_memory_bytes: (peak_kib > 0).then(|| peak_kib.saturating_mul(1024)),
        }
    }

    /// Processor times in milliseconds: outside of the kernel, and inside.
    pub fn times_ms(&self) -> (f64, f64) {
        (self.user.as_secs_f64() * 1_000.0, self.system.as_secs_f64() * 1_000.0)
    }
}
