//! Who reads a terminal that is quiet, as a plain object.

#[cfg(unix)]
use std::time::Duration;

use napi_derive::napi;
#[cfg(unix)]
use pi_shell::QuietReport;

/// A terminal on which nothing was written or typed for a while.
#[napi(object, object_from_js = false)]
pub struct QuietTerminal {
    /// Milliseconds since the last byte of output or input.
    pub quiet_ms: f64,
    /// Bytes that had been typed when it was looked at.
    pub typed_bytes: f64,
    /// Milliseconds for which the readers were seen in the same calls.
    pub held_ms: f64,
    /// Milliseconds for which nothing was seen to use a processor.
    pub idle_ms: f64,
    /// How the terminal treats what is typed. Absent: it cannot be asked.
    pub modes: Option<TerminalModes>,
    /// Programs of the foreground that are blocked in a call that reads the terminal.
    pub readers: Vec<TerminalReader>,
    /// Programs of the foreground that may not be looked at.
    pub denied: Vec<TerminalProgram>,
    /// Programs that are stopped outside of the foreground.
    pub stopped: Vec<TerminalProgram>,
    /// Something on the terminal runs.
    pub is_busy: bool,
    /// A program on the terminal listens on a TCP port.
    pub listens: bool,
}

/// How a terminal treats what is typed.
#[napi(object, object_from_js = false)]
pub struct TerminalModes {
    /// It is shown.
    pub echo: bool,
    /// The kernel edits a line, which is read when it is whole.
    pub canonical: bool,
}

/// A program on a terminal.
#[napi(object, object_from_js = false)]
pub struct TerminalProgram {
    /// Its process ID.
    pub pid: i32,
    /// Its short name, at most 15 bytes.
    pub name: String,
}

/// A program that reads a terminal.
#[napi(object, object_from_js = false)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TerminalReader {
    /// Its process ID.
    pub pid: i32,
    /// Its short name, at most 15 bytes.
    pub name: String,
    /// It is in `read`, and not in a call that waits for several descriptors.
    pub is_read: bool,
    /// It stops waiting by itself after a time.
    pub is_timed: bool,
    /// That time in milliseconds. Absent where it does not, and where its call does not say the time.
    pub timer_ms: Option<f64>,
    /// It waits for another machine or terminal as well.
    pub is_relay: bool,
    /// It waits for the terminal and nothing else.
    pub is_alone: bool,
}

#[cfg(unix)]
fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[cfg(unix)]
impl From<QuietReport> for QuietTerminal {
    fn from(report: QuietReport) -> Self {
        let program = |(pid, name)| TerminalProgram { pid, name };
        Self {
            quiet_ms: milliseconds(report.quiet),
            #[expect(clippy::cast_precision_loss, reason = "no one types more than 2^53 bytes")]
            typed_bytes: report.typed_bytes as f64,
            held_ms: milliseconds(report.held),
            idle_ms: milliseconds(report.idle),
            modes: report
                .modes
                .map(|modes| TerminalModes { echo: modes.echo, canonical: modes.canonical }),
            readers: report
                .readers
                .into_iter()
                .map(|reader| TerminalReader {
                    pid: reader.program.pid,
                    name: reader.program.name,
                    is_read: reader.is_read,
                    is_timed: reader.is_timed,
                    #[expect(clippy::cast_precision_loss, reason = "no timer is that long")]
                    timer_ms: reader.timer_ms.map(|time| time as f64),
                    is_relay: reader.is_relay,
                    is_alone: reader.is_alone,
                })
                .collect(),
            denied: report
                .denied
                .into_iter()
                .map(|found| program((found.pid, found.name)))
                .collect(),
            stopped: report
                .stopped
                .into_iter()
                .map(|found| program((found.pid, found.name)))
                .collect(),
            is_busy: report.is_busy,
            listens: report.listens,
        }
    }
}
