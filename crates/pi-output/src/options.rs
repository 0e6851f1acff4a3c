//! How much of an output is kept, and where.

use std::path::PathBuf;
use std::time::Duration;

use pi_mask::Mask;

/// Bytes of output that stay in memory for the model, from the end of the stream (50 KiB).
///
/// Source: the specification's default window, `bash` tool, "50 KB tail".
pub const DEFAULT_MAX_BYTES: usize = 51_200;

/// Least time between two updates of a sink. Faster repaints are not seen and cost the host.
pub const DEFAULT_UPDATE_INTERVAL: Duration = Duration::from_millis(50);

/// How much of the output a sink keeps, and where the whole goes.
#[derive(Debug, Clone)]
pub struct SinkOptions {
    /// Most bytes of text kept for the summary, head and tail together. Default 51,200.
    pub max_bytes: usize,
    /// Bytes kept from the beginning. Default 0; at most half of `max_bytes` is used.
    pub head_bytes: usize,
    /// Longest line shown, in bytes; longer ones are cut in the middle. `None`: no limit.
    /// The spill file has them whole.
    pub max_line_bytes: Option<usize>,
    /// File for the raw bytes, made when the output exceeds `max_bytes`, and for a shorter one when
    /// survivors go on writing. `None`: no file.
    pub spill_path: Option<PathBuf>,
    /// The file is made with the first byte instead, and is there at the end even if nothing was
    /// written: for readers that follow it, and for late output. Default `false`.
    pub spill_from_start: bool,
    /// Most bytes written to the spill file; past it the file says so in its last line.
    /// `None`: no limit.
    pub spill_max_bytes: Option<u64>,
    /// Least time between two updates. Default 50 ms.
    pub update_interval: Duration,
    /// The text is what a terminal would show of each line: escape sequences and control
    /// characters removed, carriage returns and backspaces applied. `false` keeps the decoded
    /// text as it is. The spill file and the chunks are raw either way. Default `true`.
    pub plain_text: bool,
    /// Masks the text, the updates and the late text. `None`: nothing is masked.
    pub mask: Option<Mask>,
    /// With `mask`: masks the spill file too, which then has other bytes than the command wrote where there was a secret.
    /// Default `false`.
    pub mask_spill: bool,
}

impl Default for SinkOptions {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            head_bytes: 0,
            max_line_bytes: None,
            spill_path: None,
            spill_from_start: false,
            spill_max_bytes: None,
            update_interval: DEFAULT_UPDATE_INTERVAL,
            plain_text: true,
            mask: None,
            mask_spill: false,
        }
    }
}
