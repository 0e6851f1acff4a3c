//! How a run ended and what it left: plain data that the binding turns into JavaScript objects.

use std::path::PathBuf;
use std::time::Duration;

use pi_output::OutputSummary;
#[cfg(unix)]
use pi_process::supervisor::ChildExit;
use pi_process::{ProcessInfo, ResourceUsage};
use pi_sandbox::SandboxReport;

/// How a run ended. A run ends exactly once, so exactly one of these is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitOutcome {
    /// The command returned a status.
    Exited {
        /// 0 to 255.
        code: u8,
    },
    /// A signal that was not ours ended the shell of the command.
    Signaled {
        /// Number of the signal on this platform.
        signal: i32,
    },
    /// We ended it: its deadline came.
    TimedOut,
    /// We ended it: the caller asked for it, or the session was closed.
    Cancelled,
    /// We ended it: one of its programs waits for input that cannot come (`RunResult::input_wanted`).
    Unanswered,
}

/// What a shell adds to the number of a signal to make a status.
const SIGNAL_STATUS_BASE: i32 = 128;

impl ExitOutcome {
    /// The status that the command returned; `None` where a signal ended its shell, or we did.
    pub fn exit_code(self) -> Option<u8> {
        match self {
            Self::Exited { code } => Some(code),
            Self::Signaled { .. } | Self::TimedOut | Self::Cancelled | Self::Unanswered => None,
        }
    }

    /// Number of the signal, not ours, that ended the command's shell.
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Signaled { signal } => Some(signal),
            Self::Exited { .. } | Self::TimedOut | Self::Cancelled | Self::Unanswered => None,
        }
    }

    /// What `$?` shows of it; nothing where we ended it.
    pub(crate) fn status(self) -> Option<i32> {
        match self {
            Self::Exited { code } => Some(code.into()),
            Self::Signaled { signal } => Some(SIGNAL_STATUS_BASE + signal),
            Self::TimedOut | Self::Cancelled | Self::Unanswered => None,
        }
    }

    /// Whether we ended it.
    pub(crate) fn is_stop(self) -> bool {
        matches!(self, Self::TimedOut | Self::Cancelled | Self::Unanswered)
    }
}

#[cfg(unix)]
impl From<ChildExit> for ExitOutcome {
    fn from(exit: ChildExit) -> Self {
        match exit {
            ChildExit::Exited(code) => Self::Exited { code },
            ChildExit::Signaled(signal) => Self::Signaled { signal },
            // With the supervisor its tree was killed. A status that is not known is never reported as a success.
            ChildExit::Lost => Self::Signaled { signal: libc::SIGKILL },
        }
    }
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    /// How it ended.
    pub outcome: ExitOutcome,
    /// The session's directory afterwards, where it is known.
    pub working_dir: Option<PathBuf>,
    /// State was lost: a fresh or rolled-back shell stands in the session.
    pub session_reset: bool,
    /// What a new shell lacks besides, where one stands in the session.
    pub lost_with_shell: Vec<LostWithShell>,
    /// Processes of this run that still live.
    pub survivors: Vec<ProcessInfo>,
    /// Time from the command's start to its end.
    pub wall_time: Duration,
    /// What the sink kept, where one was asked for.
    pub output: Option<OutputSummary>,
    /// The sandbox it ran in, where one was asked for.
    pub sandbox: Option<SandboxReport>,
    /// Limits that were met while it ran, as far as the system tells.
    pub limits_met: Vec<LimitMet>,
    /// What it was kept from, where it ran read-only.
    pub read_only: Option<ReadOnlyReport>,
    /// The program that waits for input that cannot come: we ended the command for it, or it was seen to wait last.
    pub input_wanted: Option<InputWanted>,
    /// What it used, where that was asked for and is known.
    pub usage: Option<ResourceUsage>,
}

/// A program of a command waits for a person's input, and the command has no terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputWanted {
    /// Its process ID, valid while it lives.
    pub pid: i32,
    /// Its short name, as the kernel keeps it: at most 15 bytes.
    pub program: String,
}

impl RunResult {
    /// Whether the command was ended because `input_wanted` waits.
    pub fn ended_for_input(&self) -> bool {
        self.outcome == ExitOutcome::Unanswered
    }

    /// `wall_time` in milliseconds, to whole microseconds: the clock is not finer, and neither should the number look so.
    pub fn wall_time_ms(&self) -> f64 {
        (self.wall_time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
    }
}

/// A command ran where the kernel kept it from changing anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOnlyReport {
    /// What this kernel cannot hold, by name; see docs/read-only.md. Empty: everything is held.
    pub degraded: Vec<&'static str>,
    /// It changed variables, functions, options, aliases or traps of the shell, and that went with the copy.
    pub state_dropped: bool,
}

/// What a shell cannot leave to the one that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostWithShell {
    /// The job table: `jobs`, `wait` and `%1` do not know what runs in the background.
    Jobs,
    /// Descriptors above 2 that earlier commands opened.
    Descriptors,
}

impl LostWithShell {
    /// As it is called in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Descriptors => "descriptors",
        }
    }
}

/// A limit of the session that something ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitMet {
    /// The kernel killed a process for the session's memory.
    Memory,
    /// A fork was refused for the session's number of processes.
    Processes,
    /// A process was ended for its processor time.
    CpuTime,
    /// A process was ended for the size of a file.
    FileSize,
}

impl LimitMet {
    /// As it is called in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::CpuTime => "cpu-time",
            Self::FileSize => "file-size",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_a_status_a_signal_or_was_ended_by_us() {
        for (outcome, code, signal, status) in [
            (ExitOutcome::Exited { code: 3 }, Some(3), None, Some(3)),
            (ExitOutcome::Signaled { signal: 9 }, None, Some(9), Some(137)),
            (ExitOutcome::TimedOut, None, None, None),
            (ExitOutcome::Cancelled, None, None, None),
            (ExitOutcome::Unanswered, None, None, None),
        ] {
            assert_eq!(outcome.exit_code(), code, "{outcome:?}");
            assert_eq!(outcome.signal(), signal, "{outcome:?}");
            assert_eq!(outcome.status(), status, "{outcome:?}");
            assert_eq!(outcome.is_stop(), status.is_none(), "{outcome:?}");
        }
    }

    #[test]
    fn usage_is_counted_in_microseconds_and_kib_and_shown_in_milliseconds_and_bytes() {
        let usage = ResourceUsage::counted(1_500, 250, 3);

        assert_eq!(usage.times_ms(), (1.5, 0.25));
        assert_eq!(usage.peak_memory_bytes, Some(3072));
        assert_eq!(ResourceUsage::counted(0, 0, 1).peak_memory_bytes, Some(1024));
        assert_eq!(ResourceUsage::counted(1, 1, 0).peak_memory_bytes, None);
    }

    #[test]
    fn a_result_has_whole_microseconds_and_says_whether_it_was_ended_for_input() {
        let result = |outcome, wall_time| RunResult {
            outcome,
            working_dir: None,
            session_reset: false,
            lost_with_shell: Vec::new(),
            survivors: Vec::new(),
            wall_time,
            output: None,
            sandbox: None,
            limits_met: Vec::new(),
            read_only: None,
            input_wanted: None,
            usage: None,
        };
        let ended = result(ExitOutcome::Unanswered, Duration::from_nanos(1_234_567));
        let other = result(ExitOutcome::Cancelled, Duration::from_secs(2));

        assert!(ended.ended_for_input() && !other.ended_for_input());
        assert!((ended.wall_time_ms() - 1.235).abs() < 1e-9, "{}", ended.wall_time_ms());
        assert!((other.wall_time_ms() - 2_000.0).abs() < 1e-9, "{}", other.wall_time_ms());
    }

    #[test]
    fn what_was_lost_and_which_limit_was_met_have_names() {
        let lost = [LostWithShell::Jobs, LostWithShell::Descriptors].map(LostWithShell::name);
        assert_eq!(lost, ["jobs", "descriptors"]);
        let met = [LimitMet::Memory, LimitMet::Processes, LimitMet::CpuTime, LimitMet::FileSize];
        assert_eq!(met.map(LimitMet::name), ["memory", "processes", "cpu-time", "file-size"]);
    }
}
