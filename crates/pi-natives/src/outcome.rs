//! What JavaScript is given: the core's results as plain objects.

use std::time::Duration;

use napi_derive::napi;
use pi_shell::mask::Masked;
use pi_shell::{
    ExitOutcome, InputWanted, LimitMet, LostWithShell, OutputSummary, ProcessInfo, ReadOnlyReport,
    ResourceUsage, RunResult, SinkUpdate,
};

use crate::error::Failure;
use crate::minimizer::MinimizedText;
use crate::quiet::QuietTerminal;
use crate::sandbox::SandboxFacts;
use crate::text::{JsText, Text};

/// Counts grow past 32 bits and never past 2^53, so a JavaScript number holds them.
pub(crate) fn count(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// What one operation has to say. Text comes before the update, the update before the end.
#[napi(object, object_from_js = false)]
pub struct Delivery {
    /// The operation's number.
    pub id: i64,
    /// The next piece of output, at most 64 KiB in memory.
    #[napi(ts_type = "string")]
    pub text: Option<JsText>,
    /// The next pieces of output are to be had from `takeText`, and this delivery has nothing else.
    pub has_texts: Option<bool>,
    /// The newest tail.
    pub update: Option<Update>,
    /// Who reads a terminal that is quiet.
    pub quiet: Option<QuietTerminal>,
    /// The operation is over, and its callbacks may hold the end back for so many milliseconds from now on. Alone: only
    /// an unacknowledged delivery holds it back.
    pub patience_ms: Option<f64>,
    /// The operation's end; the last delivery of this number.
    pub end: Option<End>,
}

impl Delivery {
    pub(crate) fn new(
        id: i64,
        text: Option<Text>,
        update: Option<Update>,
        end: Option<End>,
    ) -> Self {
        let text = text.map(JsText::from);
        Self { id, text, has_texts: None, update, quiet: None, patience_ms: None, end }
    }

    /// Texts that are taken one by one: their memory is used again, and they need no object.
    pub(crate) fn texts(id: i64) -> Self {
        Self { has_texts: Some(true), ..Self::new(id, None, None, None) }
    }

    pub(crate) fn ending(id: i64, patience: Duration) -> Self {
        Self::new(id, None, None, None).within(Some(patience))
    }

    /// The same, whose callbacks are not to hold the end back for longer, where that is said.
    pub(crate) fn within(self, patience: Option<Duration>) -> Self {
        Self { patience_ms: patience.map(|patience| patience.as_secs_f64() * 1_000.0), ..self }
    }

    pub(crate) fn is_last(&self) -> bool {
        self.end.is_some()
    }
}

/// A sink's state while the run goes on.
#[napi(object, object_from_js = false)]
pub struct Update {
    /// The text a sink would show now.
    #[napi(ts_type = "string")]
    pub tail: JsText,
    /// Bytes written so far.
    pub total_bytes: i64,
    /// Lines written so far.
    pub total_lines: i64,
}

impl From<SinkUpdate> for Update {
    fn from(update: SinkUpdate) -> Self {
        Self {
            tail: Text::from(update.tail).into(),
            total_bytes: count(update.total_bytes),
            total_lines: count(update.total_lines),
        }
    }
}

/// How an operation ended. Exactly one field is set; none for an operation without a result.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct End {
    /// The result of a run.
    pub run: Option<RunOutcome>,
    /// The answer of `liveBackgroundJobCount`.
    pub count: Option<i64>,
    /// Why the operation could not be done.
    pub failure: Option<Failure>,
}

impl End {
    /// How long callbacks may hold it back, where the run had this time.
    pub(crate) fn patience(&self, timeout: Option<Duration>) -> Duration {
        let (was_stopped, wall_time_ms) = self
            .run
            .as_ref()
            .map_or((false, 0.0), |run| (run.cancelled || run.timed_out, run.wall_time_ms));
        let wall_time = Duration::try_from_secs_f64(wall_time_ms / 1_000.0).unwrap_or_default();
        pi_shell::callback_patience(was_stopped, wall_time, timeout)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }
}

impl From<RunOutcome> for End {
    fn from(outcome: RunOutcome) -> Self {
        Self { run: Some(outcome), ..Self::default() }
    }
}

impl From<usize> for End {
    fn from(value: usize) -> Self {
        Self { count: Some(count(value)), ..Self::default() }
    }
}

/// The result of one run.
#[napi(object, object_from_js = false)]
pub struct RunOutcome {
    /// Exit status, 0 to 255; absent when a signal ended the shell or the run was stopped.
    pub exit_code: Option<u8>,
    /// Number of the signal that ended the command's shell, on this platform.
    pub signal_number: Option<i32>,
    /// The caller, or the session's end, stopped it; or it was ended for `inputWanted`.
    pub cancelled: bool,
    /// Its deadline stopped it.
    pub timed_out: bool,
    /// The session's directory afterwards. Bytes that are not UTF-8 become U+FFFD.
    pub working_dir: Option<String>,
    /// State was lost: a fresh or rolled-back shell stands in the session.
    pub session_reset: bool,
    /// What a new shell lacks besides. Absent: nothing.
    #[napi(ts_type = "Array<'jobs' | 'descriptors'>")]
    pub lost_with_shell: Option<Vec<String>>,
    /// Processes of this run that still live.
    pub survivors: Vec<Survivor>,
    /// Milliseconds from the command's start to its end, by a clock that is never set.
    pub wall_time_ms: f64,
    /// What the sink kept, where one was asked for.
    pub output: Option<Summary>,
    /// The output rewritten, where that was asked for and the text changed.
    pub minimized: Option<MinimizedText>,
    /// The sandbox it ran in, where one was asked for.
    pub sandbox: Option<SandboxFacts>,
    /// Limits that were met while it ran. Absent: none.
    #[napi(ts_type = "Array<'memory' | 'processes' | 'cpu-time' | 'file-size'>")]
    pub limits_met: Option<Vec<String>>,
    /// What it was kept from, where it ran read-only.
    pub read_only: Option<ReadOnlyFacts>,
    /// A program of it that waits for input that cannot come. Absent: none was seen.
    pub input_wanted: Option<WantedInput>,
    /// What it used, where that was asked for and is known.
    pub usage: Option<Usage>,
}

/// What a command used.
#[napi(object, object_from_js = false)]
pub struct Usage {
    /// Milliseconds of processor time outside of the kernel.
    pub user_ms: f64,
    /// Milliseconds of processor time inside of the kernel.
    pub system_ms: f64,
    /// Largest resident set of one process. Absent: not known.
    pub peak_memory_bytes: Option<i64>,
}

impl From<ResourceUsage> for Usage {
    fn from(usage: ResourceUsage) -> Self {
        let (user_ms, system_ms) = usage.times_ms();
        Self { user_ms, system_ms, peak_memory_bytes: usage.peak_memory_bytes.map(count) }
    }
}

/// A program of a command waits for a person's input, and the command has no terminal.
#[napi(object, object_from_js = false)]
pub struct WantedInput {
    /// Its process ID, valid while it lives.
    pub pid: i32,
    /// Its short name.
    pub program: String,
    /// The command was ended for it.
    pub ended: bool,
}

/// A command ran where the kernel kept it from changing anything.
#[napi(object, object_from_js = false)]
pub struct ReadOnlyFacts {
    /// What this kernel cannot hold, by name.
    pub degraded: Vec<String>,
    /// It changed the shell's state, and that went with the copy.
    pub state_dropped: bool,
}

impl From<ReadOnlyReport> for ReadOnlyFacts {
    fn from(report: ReadOnlyReport) -> Self {
        Self {
            degraded: report.degraded.into_iter().map(str::to_owned).collect(),
            state_dropped: report.state_dropped,
        }
    }
}

impl From<RunResult> for RunOutcome {
    fn from(result: RunResult) -> Self {
        let ended = result.ended_for_input();
        let wanted = |InputWanted { pid, program }| WantedInput { pid, program, ended };
        Self {
            exit_code: result.outcome.exit_code(),
            signal_number: result.outcome.signal(),
            wall_time_ms: result.wall_time_ms(),
            cancelled: matches!(result.outcome, ExitOutcome::Cancelled | ExitOutcome::Unanswered),
            timed_out: result.outcome == ExitOutcome::TimedOut,
            working_dir: result.working_dir.map(|path| path.to_string_lossy().into_owned()),
            session_reset: result.session_reset,
            lost_with_shell: names_of(&result.lost_with_shell, LostWithShell::name),
            survivors: result.survivors.into_iter().map(Survivor::from).collect(),
            output: result.output.map(Summary::from),
            minimized: None,
            sandbox: result.sandbox.map(SandboxFacts::from),
            limits_met: names_of(&result.limits_met, LimitMet::name),
            read_only: result.read_only.map(ReadOnlyFacts::from),
            input_wanted: result.input_wanted.map(wanted),
            usage: result.usage.map(Usage::from),
        }
    }
}

fn names_of<T: Copy>(found: &[T], name: fn(T) -> &'static str) -> Option<Vec<String>> {
    let names = || found.iter().map(|each| name(*each).to_owned()).collect();
    (!found.is_empty()).then(names)
}

/// A process that outlived the command that started it.
#[napi(object, object_from_js = false)]
pub struct Survivor {
    /// Its id, valid while it lives.
    pub pid: i32,
    /// Its command line, arguments joined by spaces, at most 4 KiB.
    pub command: String,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_at_ms: i64,
}

impl From<ProcessInfo> for Survivor {
    fn from(process: ProcessInfo) -> Self {
        Self {
            pid: process.pid,
            command: process.command,
            started_at_ms: count(process.started_at_ms),
        }
    }
}

/// What a sink kept.
#[napi(object, object_from_js = false)]
pub struct Summary {
    /// The text for the model: all of it, or head and tail windows with a marker between.
    #[napi(ts_type = "string")]
    pub text: JsText,
    /// Some bytes of the output are not in `text`.
    pub truncated: bool,
    /// Bytes written by the command.
    pub total_bytes: i64,
    /// Lines written by the command; a last line without a newline counts.
    pub total_lines: i64,
    /// Bytes of `text` that came from the command.
    pub output_bytes: i64,
    /// Lines of `text` that came from the command.
    pub output_lines: i64,
    /// The spill file holds every byte.
    pub spilled: bool,
    /// Why the spill file is missing or short.
    pub spill_error: Option<String>,
    /// First line of the whole output that the tail window shows, counted from 1; 0 for none.
    pub start_line: i64,
    /// Last line of the whole output that the tail window shows; 0 for none.
    pub end_line: i64,
    /// Bytes that background children wrote after the command ended, as far as seen.
    pub late_output_bytes: i64,
    /// What was masked. Absent: nothing.
    pub masked: Option<MaskedSecrets>,
}

/// Secrets that were masked in an output.
#[napi(object, object_from_js = false)]
pub struct MaskedSecrets {
    /// Markers that stand for them.
    pub count: i64,
    /// Names in those, each once.
    pub names: Vec<String>,
}

impl From<Masked> for MaskedSecrets {
    fn from(masked: Masked) -> Self {
        Self { count: count(masked.count), names: masked.names.into_iter().collect() }
    }
}

impl From<OutputSummary> for Summary {
    fn from(summary: OutputSummary) -> Self {
        Self {
            text: Text::from(summary.text).into(),
            truncated: summary.truncated,
            total_bytes: count(summary.total_bytes),
            total_lines: count(summary.total_lines),
            output_bytes: count(summary.output_bytes),
            output_lines: count(summary.output_lines),
            spilled: summary.spilled,
            spill_error: summary.spill_error,
            start_line: count(summary.shown_range.start_line),
            end_line: count(summary.shown_range.end_line),
            late_output_bytes: count(summary.late_output_bytes),
            masked: (summary.masked.count > 0).then(|| summary.masked.into()),
        }
    }
}
