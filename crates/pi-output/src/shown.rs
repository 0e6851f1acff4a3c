//! What stands between the lines and the window: secrets are masked, then long lines are cut.
//!
//! In this order, because a cut through a secret would leave two parts that are not found. Lines are resolved before, so
//! a secret that was overwritten piece by piece, or that has a colour in its middle, is found where it shows.

use memchr::memchr;
use pi_mask::{Masked, Masker};

use super::cut::LineCutter;
use super::window::Window;

/// The two stages, for one stream.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    masker: Option<Masker>,
    cutter: LineCutter,
}

impl Shown {
    /// Masks with `masker`, where there is one, and cuts lines of more than `max_line` bytes.
    pub(super) fn new(masker: Option<Masker>, max_line: Option<usize>) -> Self {
        Self { masker, cutter: LineCutter::new(max_line) }
    }

    /// Some line was cut.
    pub(super) fn has_cut(&self) -> bool {
        self.cutter.has_cut()
    }

    /// What was masked.
    pub(super) fn masked(&self) -> Masked {
        self.masker.as_ref().map(Masker::masked).unwrap_or_default()
    }

    /// Adds to the line under way. `piece` is whole characters and has no newline.
    pub(super) fn push(&mut self, piece: &[u8], window: &mut Window) {
        match &mut self.masker {
            None => self.cutter.push(piece, window),
            Some(masker) => masker.push(piece, |text| push_text(&mut self.cutter, text, window)),
        }
    }

    /// Ends the line under way.
    pub(super) fn newline(&mut self, window: &mut Window) {
        match &mut self.masker {
            None => self.cutter.newline(window),
            Some(masker) => masker.push(b"\n", |text| push_text(&mut self.cutter, text, window)),
        }
    }

    /// Adds whole lines; the last byte is a newline, and no line is under way.
    pub(super) fn push_lines(&mut self, lines: &[u8], window: &mut Window) {
        match &mut self.masker {
            None => self.cutter.push_lines(lines, window),
            Some(masker) => masker.push(lines, |text| push_text(&mut self.cutter, text, window)),
        }
    }

    /// The stream is over: gives what is held to the window.
    pub(super) fn flush(&mut self, window: &mut Window) {
        if let Some(masker) = &mut self.masker {
            masker.finish(|text| push_text(&mut self.cutter, text, window));
        }
        self.cutter.flush(window);
    }

    /// Gives to the window what may be shown of what is held while the stream goes on. For a copy that is dropped then.
    pub(super) fn flush_begun(&mut self, window: &mut Window) {
        if let Some(masker) = &mut self.masker {
            masker.show_begun(|text| push_text(&mut self.cutter, text, window));
        }
        self.cutter.flush(window);
    }
}

/// Gives text with newlines anywhere to `cutter`.
fn push_text(cutter: &mut LineCutter, text: &[u8], window: &mut Window) {
    let Some(first) = memchr(b'\n', text) else { return cutter.push(text, window) };
    let last = memchr::memrchr(b'\n', text).unwrap_or(first);
    cutter.push(text.get(..first).unwrap_or_default(), window);
    cutter.newline(window);
    cutter.push_lines(text.get(first + 1..=last).unwrap_or_default(), window);
    cutter.push(text.get(last + 1..).unwrap_or_default(), window);
}
