//! Who reads a terminal that is quiet, as it crosses a link. Members are named as in the native surface.

use std::time::Duration;

use pi_shell::QuietReport;
use serde::Serialize;

/// A terminal on which nothing was written or typed for a while.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Quiet<'a> {
    #[serde(rename = "quietMs")]
    since_ms: u64,
    typed_bytes: u64,
    held_ms: u64,
    idle_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<Modes>,
    readers: Vec<Reader<'a>>,
    denied: Vec<Program<'a>>,
    stopped: Vec<Program<'a>>,
    is_busy: bool,
    listens: bool,
}

#[derive(Debug, Serialize)]
struct Modes {
    echo: bool,
    canonical: bool,
}

#[derive(Debug, Serialize)]
struct Program<'a> {
    pid: i32,
    name: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Reader<'a> {
    pid: i32,
    name: &'a str,
    is_read: bool,
    is_timed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    timer_ms: Option<u64>,
    is_relay: bool,
    is_alone: bool,
}

/// Most programs of each kind that cross: who reads after so many tells nothing more.
const MAX_PROGRAMS: usize = 32;

impl<'a> From<&'a QuietReport> for Quiet<'a> {
    fn from(report: &'a QuietReport) -> Self {
        let milliseconds =
            |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let programs = |found: &'a [pi_shell::TerminalProgram]| {
            let shown = found.iter().take(MAX_PROGRAMS);
            shown.map(|program| Program { pid: program.pid, name: &program.name }).collect()
        };
        let readers = report.readers.iter().take(MAX_PROGRAMS).map(|reader| Reader {
            pid: reader.program.pid,
            name: &reader.program.name,
            is_read: reader.is_read,
            is_timed: reader.is_timed,
            timer_ms: reader.timer_ms,
            is_relay: reader.is_relay,
            is_alone: reader.is_alone,
        });
        Self {
            since_ms: milliseconds(report.quiet),
            typed_bytes: report.typed_bytes,
            held_ms: milliseconds(report.held),
            idle_ms: milliseconds(report.idle),
            modes: report.modes.map(|modes| Modes { echo: modes.echo, canonical: modes.canonical }),
            readers: readers.collect(),
            denied: programs(&report.denied),
            stopped: programs(&report.stopped),
            is_busy: report.is_busy,
            listens: report.listens,
        }
    }
}
