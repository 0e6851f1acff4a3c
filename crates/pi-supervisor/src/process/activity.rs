//! What a process and its threads are busy with, from `/proc`: processor time, controlling terminal, states of threads.

use std::fs;

use super::ProcessState;
use super::linux::{Stat, proc_pid};

/// What a process has used, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Processor time of all its threads, also of those that have ended, in clock ticks.
    pub ticks: u64,
    /// Device number of its controlling terminal, as the kernel encodes it in field 7 of `proc_pid_stat(5)`; 0 without one.
    pub terminal: u32,
    /// It is in the foreground process group of that terminal.
    pub is_foreground: bool,
}

/// What a process has used; `None` when it is gone.
pub fn activity_of(pid: i32) -> Option<Activity> {
    let stat = Stat::of(&format!("/proc/{}/stat", proc_pid(pid)?))?;
    Some(Activity { ticks: stat.ticks, terminal: stat.terminal, is_foreground: stat.is_foreground })
}

/// The threads of a process, at most `limit`: their numbers in `/proc`, and what they do.
pub fn threads_of(pid: i32, limit: usize) -> Vec<(i32, ProcessState)> {
    let Some(shown) = proc_pid(pid) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(format!("/proc/{shown}/task")) else { return Vec::new() };
    let threads = entries.flatten().filter_map(|entry| {
        let thread = entry.file_name().to_str()?.parse().ok()?;
        let stat = Stat::of(&format!("/proc/{shown}/task/{thread}/stat"))?;
        Some((thread, stat.state))
    });
    threads.take(limit).collect()
}
