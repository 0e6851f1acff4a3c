//! One look at a terminal and at who is on it.

use std::os::fd::AsFd;

use rustix::termios::{LocalModes, SpecialCodeIndex};

use crate::program::Program;
use crate::terminal::TerminalIdentity;

/// How the terminal treats what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    /// What is typed is shown (`ECHO`).
    pub echo: bool,
    /// A line is edited by the kernel and read when it is whole (`ICANON`).
    pub canonical: bool,
    /// A `read` that finds nothing returns by itself (`VMIN` 0).
    pub timed_read: bool,
}

/// A thread of the foreground that is blocked in a call that reads the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Reader {
    /// Its process.
    pub program: Program,
    /// Its number in `/proc`.
    pub thread: i32,
    /// It is in `read` or its kind, and not in a call that waits for several descriptors.
    pub is_read: bool,
    /// It stops waiting by itself after a time.
    pub is_timed: bool,
    /// That time in milliseconds, as far as the call says it.
    pub timer_ms: Option<u64>,
    /// It waits for another machine or terminal as well, whose text it passes on.
    pub is_relay: bool,
    /// It waits for the terminal and nothing else.
    pub is_alone: bool,
    /// The call as the kernel shows it: the same text in two looks is the same wait.
    pub call: String,
}

/// What one look saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// How the terminal treats what is typed. Absent: it cannot be asked.
    pub modes: Option<Modes>,
    /// Who in the foreground reads it.
    pub readers: Vec<Reader>,
    /// Who in the foreground may not be looked at: set-uid programs, and every program where calls are not shown.
    pub denied: Vec<Program>,
    /// Who is stopped outside of the foreground: it may want the terminal.
    pub stopped: Vec<Program>,
    /// A thread below the root runs, or waits where no signal reaches it. Also true where there are more than can be looked at.
    pub is_busy: bool,
    /// A program below the root listens on a TCP port. Looked at only where there are readers.
    pub listens: bool,
    /// Processor time of everything below the root, in clock ticks.
    pub ticks: u64,
}

/// Most threads that are looked at, of all processes together.
#[cfg(target_os = "linux")]
pub(crate) const MAX_THREADS: usize = 4096;

/// Looks at everything below `root`, and at `terminal`, whose controller is `controller`. It takes a tenth of a millisecond for a
/// few processes, and waits for nothing; a caller that must not be held up at all does it on a thread that may be.
pub fn look(controller: impl AsFd, terminal: &TerminalIdentity, root: i32) -> Look {
    let modes = rustix::termios::tcgetattr(&controller).ok().map(|attributes| {
        let canonical = attributes.local_modes.contains(LocalModes::ICANON);
        Modes {
            echo: attributes.local_modes.contains(LocalModes::ECHO),
            canonical,
            timed_read: !canonical && attributes.special_codes[SpecialCodeIndex::VMIN] == 0,
        }
    });
    let foreground =
        rustix::termios::tcgetpgrp(&controller).ok().map(|group| group.as_raw_nonzero().get());
    let mut found = Look { modes, ..Look::default() };
    fill(&mut found, terminal, root, foreground);
    found
}

#[cfg(target_os = "linux")]
fn fill(found: &mut Look, terminal: &TerminalIdentity, root: i32, foreground: Option<i32>) {
    use pi_supervisor::process::{self, ProcessState};

    let mut threads_left = MAX_THREADS;
    let entries = process::descendants(root);
    for entry in &entries {
        let pid = entry.identity.pid;
        let Some(activity) = process::activity_of(pid) else { continue };
        found.ticks = found.ticks.saturating_add(activity.ticks);
        let is_foreground = Some(entry.group) == foreground;
        if entry.state == ProcessState::Stopped && !is_foreground {
            found.stopped.push(program(pid));
        }
        let threads = process::threads_of(pid, threads_left);
        threads_left = threads_left.saturating_sub(threads.len());
        if threads_left == 0 {
            found.is_busy = true;
            return;
        }
        let is_busy = |state| matches!(state, ProcessState::Running | ProcessState::Waiting);
        found.is_busy |= threads.iter().any(|(_, state)| is_busy(*state));
        if is_foreground {
            look_at(found, terminal, pid, &threads, terminal.controls(activity.terminal));
        }
    }
    if !found.readers.is_empty() {
        let pids = entries.iter().map(|entry| entry.identity.pid);
        found.listens = !crate::ports::of_processes(pids).is_empty();
    }
}

#[cfg(target_os = "linux")]
fn look_at(
    found: &mut Look,
    terminal: &TerminalIdentity,
    pid: i32,
    threads: &[(i32, pi_supervisor::process::ProcessState)],
    controls: bool,
) {
    use crate::thread::{self, Seen};

    let Some(shown) = pi_supervisor::process::proc_pid(pid) else { return };
    for (thread, _) in threads {
        match thread::look(pid, shown, *thread, terminal, controls) {
            Seen::Elsewhere => {}
            Seen::Denied => {
                // One thread stands for the process: the right to look is the process's.
                found.denied.push(program(pid));
                return;
            }
            Seen::Reads(wait) => {
                let gives_up = wait.is_read && found.modes.is_some_and(|modes| modes.timed_read);
                found.readers.push(Reader {
                    program: program(pid),
                    thread: *thread,
                    is_read: wait.is_read,
                    is_timed: wait.is_timed || gives_up,
                    timer_ms: wait.timer_ms,
                    is_relay: wait.is_relay,
                    is_alone: wait.is_alone,
                    call: wait.call,
                });
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn program(pid: i32) -> Program {
    let name = pi_supervisor::process::name_of(pid).unwrap_or_default();
    Program { pid, name: String::from_utf8_lossy(&name).into_owned() }
}

/// Elsewhere the terminal's own modes are all that is known, and whoever is in the foreground counts as denied.
#[cfg(not(target_os = "linux"))]
fn fill(found: &mut Look, _: &TerminalIdentity, root: i32, foreground: Option<i32>) {
    use pi_supervisor::process;

    let in_front =
        process::descendants(root).into_iter().filter(|entry| Some(entry.group) == foreground);
    found.denied = in_front
        .map(|entry| {
            let pid = entry.identity.pid;
            let name = process::name_of(pid).unwrap_or_default();
            Program { pid, name: String::from_utf8_lossy(&name).into_owned() }
        })
        .collect();
}
