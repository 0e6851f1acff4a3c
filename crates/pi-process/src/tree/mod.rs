//! Who belongs to whom: the process tree as a session sees it.
//!
//! Looking and signalling is the supervisor library's (`pi_supervisor::process`), shared so that
//! both ends of the socket name a process alike; here is what only a session needs: the
//! description of a survivor, and waking what is stopped. When to signal is `stop`'s.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use pi_supervisor::process;
#[cfg(target_os = "linux")]
pub use pi_supervisor::process::children_of_single_thread;
#[cfg(target_os = "linux")]
pub(crate) use pi_supervisor::process::queue_signal;
pub use pi_supervisor::process::{
    ProcessEntry, ProcessIdentity, ProcessState, descendants, identity_of, is_alive, signal,
};
pub(crate) use pi_supervisor::process::{entry_of, ignores};

use crate::ProcessInfo;

/// Longest command line of a description, in bytes.
const COMMAND_BYTES: usize = 4096;

/// What a process is, for a person; `None` when it is dead or gone.
///
/// The command line is read at once and belongs to this process, but it may have executed another
/// program since.
pub fn describe(identity: ProcessIdentity) -> Option<ProcessInfo> {
    let arguments = process::arguments_of(identity.pid, COMMAND_BYTES);
    let name = process::name_of(identity.pid);
    // After the reading, so that what was read is not another process's.
    if !is_alive(identity) {
        return None;
    }
    let command = arguments
        .map(|arguments| command_line(&arguments))
        .filter(|line| !line.is_empty())
        .unwrap_or_else(|| format!("[{}]", String::from_utf8_lossy(&name.unwrap_or_default())));
    let started_at_ms = process::started_at_ms(identity);
    Some(ProcessInfo { pid: identity.pid, command, started_at_ms })
}

/// Arguments joined by spaces, at most [`COMMAND_BYTES`].
fn command_line(arguments: &[u8]) -> String {
    let spaced: Vec<u8> =
        arguments.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
    // Each invalid byte becomes three, so the text can be longer than what was read.
    let mut line = String::from_utf8_lossy(spaced.trim_ascii_end()).into_owned();
    while line.len() > COMMAND_BYTES {
        line.pop();
    }
    line
}

/// The number that a process has in its own pid namespace; `None` when it is gone.
#[cfg(target_os = "linux")]
pub fn pid_in_its_namespace(identity: ProcessIdentity) -> Option<i32> {
    let shown = process::proc_pid(identity.pid)?;
    let status = std::fs::read_to_string(format!("/proc/{shown}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    // A kernel without such namespaces shows none.
    let pid = numbers
        .map_or(Some(identity.pid), |numbers| numbers.split_whitespace().next_back()?.parse().ok());
    pid.filter(|_| is_alive(identity))
}

/// The inode in `pipe:[inode]`, or of what else the kernel names so (`proc_pid_fd(5)`); `kind`: what stands before the
/// number, such as `pipe:[`.
pub fn inode_of(link: &Path, kind: &str) -> Option<u64> {
    link.to_str()?.strip_prefix(kind)?.strip_suffix(']')?.parse().ok()
}

/// Time on a processor after which a process that was forked will not become another program: it
/// is a subshell that computes. Less than a millisecond is what an exec takes.
const EXEC_RUN_TIME: Duration = Duration::from_millis(20);

/// The same by the clock, where the system does not tell the time on a processor.
const EXEC_CLOCK_TIME: Duration = Duration::from_millis(100);

/// How often such a process is looked at.
const SETTLE_LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// Whether a process is between its fork and its program: it has no command line in the middle of
/// an exec, and that of the shell before; a subshell has that too, but it waits or computes.
///
/// `state` is from before the command line was read. Read afterwards it could be that of the
/// program, which sleeps, beside the command line of the shell, which is no more.
fn is_becoming(
    one: &ProcessInfo,
    state: ProcessState,
    shell: Option<&str>,
    waited: Duration,
) -> bool {
    let in_exec = one.command.starts_with('[');
    let forked = shell == Some(one.command.as_str());
    let has_not_run = || match run_time_of(one.pid) {
        Some(time) => time < EXEC_RUN_TIME,
        None => waited < EXEC_CLOCK_TIME,
    };
    // An exec whose file is read from a disk waits in the kernel.
    let is_busy = matches!(state, ProcessState::Running | ProcessState::Waiting);
    (in_exec || (forked && is_busy)) && has_not_run()
}

/// Time that a process's first thread spent on processors; `None` where the system does not tell.
#[cfg(target_os = "linux")]
fn run_time_of(pid: i32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{}/schedstat", process::proc_pid(pid)?));
    text.ok()?.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// No one tells.
#[cfg(not(target_os = "linux"))]
fn run_time_of(_pid: i32) -> Option<Duration> {
    None
}

/// Whether a process was sent SIGKILL and is still to die of it, which on a busy machine takes its
/// turn on a processor, or more than one.
#[cfg(target_os = "linux")]
fn is_dying(pid: i32) -> bool {
    // In this order: the signal is no longer pending when the end begins.
    has_kill_pending(pid) || is_exiting(pid)
}

/// Whether a process has begun to die of a signal, or to exit.
#[cfg(target_os = "linux")]
fn is_exiting(pid: i32) -> bool {
    /// `PF_EXITING` and `PF_SIGNALED` (`include/linux/sched.h`).
    const EXITING: u64 = 0x4 | 0x400;
    /// Place of `flags` behind the name, which is in parentheses and may have some (`proc_pid_stat(5)`).
    const FLAGS: usize = 6;
    let stat =
        process::proc_pid(pid).map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")));
    let Some(Ok(stat)) = stat else { return false };
    let flags = stat.rsplit_once(") ").and_then(|(_, fields)| fields.split(' ').nth(FLAGS));
    flags.and_then(|flags| flags.parse().ok()).is_some_and(|flags: u64| flags & EXITING != 0)
}

/// Whether SIGKILL waits for a process.
#[cfg(target_os = "linux")]
fn has_kill_pending(pid: i32) -> bool {
    let status =
        process::proc_pid(pid).map(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")));
    matches!(status, Some(Ok(status)) if shows_kill_pending(&status))
}

/// Whether SIGKILL is among the pending signals of a `status` (`proc_pid_status(5)`).
#[cfg(target_os = "linux")]
fn shows_kill_pending(status: &str) -> bool {
    const KILL_BIT: u64 = 1 << (libc::SIGKILL - 1);
    let is_kill =
        |mask: &str| u64::from_str_radix(mask.trim(), 16).is_ok_and(|m| m & KILL_BIT != 0);
    status
        .lines()
        .filter_map(|line| line.strip_prefix("SigPnd:").or_else(|| line.strip_prefix("ShdPnd:")))
        .any(is_kill)
}

/// No one tells.
#[cfg(not(target_os = "linux"))]
fn is_dying(_pid: i32) -> bool {
    false
}

/// Describes processes; waits a moment for those that were forked and are not yet their program,
/// and for those that were killed and are not yet dead.
/// `shell` is the command line of the shell that forked them, `patience` the longest of such moments.
pub async fn describe_settled(
    found: &[ProcessEntry],
    shell: Option<&str>,
    patience: Duration,
) -> Vec<ProcessInfo> {
    let start = Instant::now();
    loop {
        let described: Vec<(ProcessState, ProcessInfo)> = found
            .iter()
            .filter_map(|entry| {
                let state = entry_of(entry.identity.pid)?.state;
                Some((state, describe(entry.identity)?))
            })
            .collect();
        let waited = start.elapsed();
        let settled = described
            .iter()
            .all(|(state, one)| !is_becoming(one, *state, shell, waited) && !is_dying(one.pid));
        if settled || waited > patience {
            return described.into_iter().map(|(_, one)| one).collect();
        }
        tokio::time::sleep(SETTLE_LOOK_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests;
