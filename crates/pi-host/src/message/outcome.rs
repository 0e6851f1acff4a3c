//! What near is given: the core's results as JSON, and how one that is too large for a frame is made to fit.

use pi_shell::mask::Masked;
use pi_shell::{
    ExitOutcome, InputWanted, LimitMet, LostWithShell, NetworkRefusal, OutputSummary, Plant,
    ProcessInfo, PtyResult, ReadOnlyReport, ResourceUsage, RunResult, SandboxNetwork,
    SandboxReport, SinkUpdate,
};
use serde::Serialize;
use std::time::Duration;

use super::json;

/// Longest command line of a survivor where the whole does not fit, in bytes.
const SHORT_COMMAND_BYTES: usize = 128;

/// Most survivors that are named where the whole does not fit.
const FEW_SURVIVORS: usize = 256;

/// A sink's state while the run goes on.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Update<'a> {
    tail: &'a str,
    total_bytes: u64,
    total_lines: u64,
}

impl<'a> Update<'a> {
    /// The end of its tail, in at most `room` bytes of JSON.
    pub(crate) fn new(update: &'a SinkUpdate, room: usize) -> Self {
        let SinkUpdate { tail, total_bytes, total_lines } = update;
        let tail = shortened(tail, room);
        Self { tail, total_bytes: *total_bytes, total_lines: *total_lines }
    }
}

/// The result of one run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunOutcome {
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal_number: Option<i32>,
    cancelled: bool,
    timed_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_dir: Option<String>,
    session_reset: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_with_shell: Vec<&'static str>,
    survivors: Vec<Survivor>,
    wall_time_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits_met: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only: Option<ReadOnlyFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_wanted: Option<WantedInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

/// What the command used.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    user_ms: f64,
    system_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_memory_bytes: Option<u64>,
}

impl From<ResourceUsage> for Usage {
    fn from(usage: ResourceUsage) -> Self {
        let (user_ms, system_ms) = usage.times_ms();
        Self { user_ms, system_ms, peak_memory_bytes: usage.peak_memory_bytes }
    }
}

/// A program of the command that waits for input that cannot come; `ended`: the command was ended for it.
#[derive(Debug, Serialize)]
struct WantedInput {
    pid: i32,
    program: String,
    ended: bool,
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
            lost_with_shell: names(&result.lost_with_shell, LostWithShell::name),
            survivors: result.survivors.into_iter().map(Survivor::from).collect(),
            output: result.output.map(Summary::from),
            sandbox: result.sandbox.map(SandboxFacts::from),
            limits_met: names(&result.limits_met, LimitMet::name),
            read_only: result.read_only.map(ReadOnlyFacts::from),
            input_wanted: result.input_wanted.map(wanted),
            usage: result.usage.map(Usage::from),
        }
    }
}

impl RunOutcome {
    /// A run of a session in all that a terminal's program has too.
    pub(crate) fn of_terminal(result: PtyResult, wall_time: Duration) -> Self {
        result.into_run(wall_time).into()
    }

    /// Whether it was ended by us.
    pub(crate) fn is_stopped(&self) -> bool {
        self.cancelled || self.timed_out
    }

    /// Its JSON, in at most `room` bytes. Where the whole has more, long names of survivors go first, then the beginning of
    /// the text, which says so by `truncated`.
    pub(crate) fn into_json(mut self, room: usize) -> Vec<u8> {
        let whole = json(&self);
        if whole.len() <= room {
            return whole;
        }
        self.survivors.truncate(FEW_SURVIVORS);
        for survivor in &mut self.survivors {
            survivor.command = prefix(&survivor.command, SHORT_COMMAND_BYTES).to_owned();
        }
        if let Some(facts) = &mut self.sandbox {
            facts.planted.truncate(FEW_SURVIVORS);
            facts.refused.truncate(FEW_SURVIVORS);
        }
        if let Some(output) = &mut self.output {
            let text = std::mem::take(&mut output.text);
            let rest = json(&self).len();
            if let Some(output) = &mut self.output {
                shortened(&text, room.saturating_sub(rest)).clone_into(&mut output.text);
                output.truncated |= output.text.len() < text.len();
            }
        }
        json(&self)
    }
}

fn names<T: Copy>(found: &[T], name: fn(T) -> &'static str) -> Vec<&'static str> {
    found.iter().map(|each| name(*each)).collect()
}

/// A process that outlived the command that started it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Survivor {
    pid: i32,
    command: String,
    started_at_ms: u64,
}

impl From<ProcessInfo> for Survivor {
    fn from(process: ProcessInfo) -> Self {
        let ProcessInfo { pid, command, started_at_ms } = process;
        Self { pid, command, started_at_ms }
    }
}

/// What a sink kept.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    text: String,
    truncated: bool,
    total_bytes: u64,
    total_lines: u64,
    output_bytes: u64,
    output_lines: u64,
    spilled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    spill_error: Option<String>,
    start_line: u64,
    end_line: u64,
    late_output_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<MaskedSecrets>,
}

impl From<OutputSummary> for Summary {
    fn from(summary: OutputSummary) -> Self {
        Self {
            text: summary.text,
            truncated: summary.truncated,
            total_bytes: summary.total_bytes,
            total_lines: summary.total_lines,
            output_bytes: summary.output_bytes,
            output_lines: summary.output_lines,
            spilled: summary.spilled,
            spill_error: summary.spill_error,
            start_line: summary.shown_range.start_line,
            end_line: summary.shown_range.end_line,
            late_output_bytes: summary.late_output_bytes,
            masked: (summary.masked.count > 0).then(|| summary.masked.into()),
        }
    }
}

#[derive(Debug, Serialize)]
struct MaskedSecrets {
    count: u64,
    names: Vec<String>,
}

impl From<Masked> for MaskedSecrets {
    fn from(masked: Masked) -> Self {
        Self { count: masked.count, names: masked.names.into_iter().collect() }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadOnlyFacts {
    degraded: Vec<&'static str>,
    state_dropped: bool,
}

impl From<ReadOnlyReport> for ReadOnlyFacts {
    fn from(report: ReadOnlyReport) -> Self {
        let ReadOnlyReport { degraded, state_dropped } = report;
        Self { degraded, state_dropped }
    }
}

/// The sandbox that a command ran in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SandboxFacts {
    mode: &'static str,
    backend: &'static str,
    network: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_rules: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<Refused>,
    degraded: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    planted: Vec<Planted>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partly_searched: bool,
}

#[derive(Debug, Serialize)]
struct Refused {
    target: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

#[derive(Debug, Serialize)]
struct Planted {
    path: String,
    kind: &'static str,
}

impl From<SandboxReport> for SandboxFacts {
    fn from(report: SandboxReport) -> Self {
        let refused = |NetworkRefusal { target, reason, rule }| Refused { target, reason, rule };
        let planted = |Plant { path, kind }: Plant| Planted {
            path: path.to_string_lossy().into_owned(),
            kind: kind.name(),
        };
        Self {
            mode: report.mode.name(),
            backend: report.backend.name(),
            network: report.network == SandboxNetwork::Host,
            network_rules: match &report.network {
                SandboxNetwork::Rules(rules) => Some(rules.texts().to_vec()),
                SandboxNetwork::None | SandboxNetwork::Host => None,
            },
            refused: report.refused.into_iter().map(refused).collect(),
            degraded: report.degraded,
            planted: report.planted.into_iter().map(planted).collect(),
            partly_searched: report.partly_searched,
        }
    }
}

/// The end of `text` whose JSON has at most `room` bytes, without the quotes around it.
pub(crate) fn shortened(text: &str, room: usize) -> &str {
    let mut left = room;
    for (at, character) in text.char_indices().rev() {
        let size = match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            other => other.len_utf8(),
        };
        if size > left {
            return text.get(at + character.len_utf8()..).unwrap_or_default();
        }
        left -= size;
    }
    text
}

/// The beginning of `text` that has at most so many bytes.
pub(crate) fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
