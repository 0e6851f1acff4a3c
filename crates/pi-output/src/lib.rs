//! What becomes of the bytes a command writes: text for the model, totals, and a file of the whole.
//!
//! Plain data structures that are fed bytes; nothing here waits, spawns or knows a session. The
//! engine reads the pipe, gives the same bytes to a `Decoder` (chunks for the observer) and to a
//! `Sink`, and asks the sink for updates and for the summary.
//!
//! # Theory of operation
//! ```text
//! bytes ─┬─ totals ── spill (raw bytes, from the first one on)
//!        └─ decode ── lines (what a terminal shows of a line) ── mask (secrets) ── cut (long lines) ── window
//! ```
//! Lines are resolved before the window, so ten thousand frames of a progress bar take the place
//! of one line. Each stage keeps a bounded amount, and no stage looks at where one push ends and
//! the next begins: any split of the same bytes gives the same text. `docs/output.md` has the
//! grammar of the text and the measurements.

mod backlog;
mod cut;
mod decode;
mod escape;
mod flood;
mod late;
mod lines;
mod options;
mod scan;
mod shown;
mod sink;
mod spill;
mod summary;
mod sys;
mod utf16;
mod window;

#[cfg(test)]
mod bounds_cases;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod masked_cases;
#[cfg(test)]
mod spill_cases;

pub use decode::Decoder;
#[cfg(test)]
use late::{LATE_RING_BYTES, LateRing};
pub use lines::plain_text;
pub use options::{DEFAULT_MAX_BYTES, DEFAULT_UPDATE_INTERVAL, SinkOptions};
pub use sink::{LATE_SPILL_BYTES, Sink};
pub use summary::{LineRange, OutputSummary, SinkUpdate};
pub use utf16::utf16_prefix;
