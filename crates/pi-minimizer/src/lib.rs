//! Rewrites a command's output so that a model reads fewer tokens and loses no fact.
//!
//! # Theory of operation
//! ```text
//! gate → lossless core → families and rules mark lines → check → notice
//!   ↓raw       ↑_____________________ doubt ________________↓
//! ```
//! The *gate* leaves alone what is short, too long, meant for a program, or a file that is read to be
//! edited. The *lossless core* renders terminal control and folds exact repeats. *Families* recognise
//! the formats of tools, by the command or by the text, and only mark lines they know. The *check*
//! compares words of the result with the original; on doubt the lossless text stands, on a panic or
//! an exhausted step budget the raw one. A lossy result ends with one notice line (see `marker.rs`).
//!
//! Pure: no clock, no environment, no files, no threads; the same input gives the same output.
//!
//! Map: `gate`, `text` (lossless), `invocation` (what ran), `registry`, `family`, `signatures`, `filters`
//! and `records` (families), `rules` (declarative), `check`, `marker`, `explain`. Contract: docs/minimizer.md.

mod check;
mod doc;
mod explain;
mod family;
mod filters;
mod gate;
mod invocation;
mod marker;
mod options;
mod pipeline;
mod records;
mod registry;
mod rules;
mod signatures;
mod text;

pub use explain::{Explanation, Stage, explain};
pub use invocation::{Command, Invocation};
pub use options::{DEFAULT_MAX_CAPTURE_BYTES, MIN_CHARACTERS, Options, SourceOutline};
pub use rules::{RuleError, Rules, Verified, verify_built_in_rules, verify_rules};

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A rewritten output. There is one only where the text really changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimized {
    /// What worked on it: `lossless`, or family names joined by `+`.
    pub filter: String,
    /// The text for the model.
    pub text: String,
    /// Bytes of the original.
    pub input_bytes: usize,
    /// Bytes of `text`.
    pub output_bytes: usize,
}

/// Minimizes the output of one command; nothing where the original is to be used as it is.
///
/// Never fails and never panics: whatever goes wrong inside, the answer is "use the original".
pub fn minimize(
    command: Command<'_>,
    output: &str,
    exit_code: i32,
    options: &Options,
) -> Option<Minimized> {
    // The closure only reads its captures, so a panic leaves nothing half-written.
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        pipeline::run(command, output, exit_code, options, &mut pipeline::Silent)
    }));
    let (filter, text) = attempt.ok().flatten()?;
    Some(Minimized { filter, input_bytes: output.len(), output_bytes: text.len(), text })
}

/// One top-level segment of a chain such as `a && b`, with the bytes it printed.
#[derive(Debug, Clone)]
pub struct Segment<'a> {
    /// What ran.
    pub command: Command<'a>,
    /// Its part of the output, in bytes; segments are in order and do not overlap.
    pub range: Range<usize>,
    /// Its own exit status.
    pub exit_code: i32,
}

/// Minimizes each segment of a chain by itself; bytes outside all segments stay as they are.
///
/// Segments are never fused: each has its own notice. Nothing where no segment changed or the ranges
/// do not fit the output.
pub fn minimize_segments(
    segments: &[Segment<'_>],
    output: &str,
    options: &Options,
) -> Option<Minimized> {
    let mut text = String::with_capacity(output.len());
    let mut filters: Vec<String> = Vec::new();
    let mut at = 0;
    for segment in segments {
        text.push_str(output.get(at..segment.range.start)?);
        let raw = output.get(segment.range.clone())?;
        match minimize(segment.command, raw, segment.exit_code, options) {
            Some(minimized) => {
                text.push_str(&minimized.text);
                filters.push(minimized.filter);
            }
            None => text.push_str(raw),
        }
        at = segment.range.end;
    }
    text.push_str(output.get(at..)?);
    filters.dedup();
    (!filters.is_empty()).then(|| Minimized {
        filter: filters.join(","),
        input_bytes: output.len(),
        output_bytes: text.len(),
        text,
    })
}
