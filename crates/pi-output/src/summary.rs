//! What a sink says of an output: while it is under way, and at its end.

use pi_mask::Masked;

/// A tail of the output as it stands, for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkUpdate {
    /// The text a sink would show now.
    pub tail: String,
    /// Bytes written so far.
    pub total_bytes: u64,
    /// Lines written so far.
    pub total_lines: u64,
}

/// The lines of the whole output that the summary's text shows, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineRange {
    /// First line shown; 0 when there is none.
    pub start_line: u64,
    /// Last line shown; 0 when there is none.
    pub end_line: u64,
}

/// What a sink kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputSummary {
    /// The text for the model: all of it, or head and tail windows with a marker between.
    pub text: String,
    /// Some bytes of the output are not in `text`.
    pub truncated: bool,
    /// Bytes written by the command.
    pub total_bytes: u64,
    /// Lines written by the command; a last line without a newline counts.
    pub total_lines: u64,
    /// Bytes of `text` that came from the command.
    pub output_bytes: u64,
    /// Lines of `text` that came from the command.
    pub output_lines: u64,
    /// The spill file holds every byte.
    pub spilled: bool,
    /// Why the spill file is missing or short.
    pub spill_error: Option<String>,
    /// The lines shown from the tail window, or the whole.
    pub shown_range: LineRange,
    /// Bytes that background children wrote after the command ended, as far as seen.
    pub late_output_bytes: u64,
    /// Secrets that were masked in the text and, with `mask_spill`, in the file.
    pub masked: Masked,
}
