//! What a sink does with a flood: bytes wait in a backlog, and only the end of a full one is looked at.
//!
//! Of more bytes than the window has room for only the last ones can be seen. So most of a flood is counted, written to
//! its file and dropped. Not here: counting and files (`sink.rs`), the buffers (`backlog.rs`).

use memchr::memchr;
use pi_mask::MAX_SECRET_BYTES;

use super::backlog::Backlog;
use super::scan::is_printable;
use super::sink::Sink;
use super::window::Window;

/// Most bytes of a flood that wait to be resolved. Of a full backlog only the end can be seen, so
/// the rest of it is never looked at.
const BACKLOG_BYTES: usize = 1024 * 1024;

/// Raw bytes of a backlog that are resolved to fill a window of one byte: colours and other
/// sequences take their part.
const RAW_PER_SHOWN: usize = 2;

/// Length of the line that the end of a read is expected to begin in, of which only a part is there.
const FIRST_LINE_BYTES: usize = 1024;

impl Sink {
    /// Whether nothing before `bytes` can be seen any more, and `resolve_end` finds that out from them alone: their end
    /// is more lines than the window has room for, shown as they are. The buffers that a flood of plain text
    /// goes through are few then, and stay in the processor's cache.
    pub(super) fn fills_window(&self, bytes: &[u8]) -> bool {
        let shown = self.options.max_bytes.saturating_add(FIRST_LINE_BYTES).min(self.reach());
        let from = bytes.len().checked_sub(shown).filter(|from| *from >= self.look_back());
        let end = from.and_then(|from| bytes.get(from..)).unwrap_or_default();
        let lines = memchr(b'\n', end).and_then(|first| end.get(first..)).unwrap_or_default();
        lines.len() > self.options.max_bytes
            && self.options.max_line_bytes.is_none()
            && is_printable(lines)
    }

    /// Raw bytes at the end of a backlog that are resolved before the rest of it is.
    fn reach(&self) -> usize {
        self.options.max_bytes.saturating_mul(RAW_PER_SHOWN)
    }

    /// Raw bytes before those that the masker has to see: a secret may have begun in them.
    fn look_back(&self) -> usize {
        if self.options.mask.is_some() { MAX_SECRET_BYTES } else { 0 }
    }

    pub(super) fn bound_backlog(&mut self) {
        if self.backlog.len() >= BACKLOG_BYTES {
            self.resolve();
        }
    }

    /// As `feed`, from the first newline on that stands in `bytes` or before.
    fn feed_lines(&mut self, bytes: &[u8], has_begun: &mut bool) {
        let start = if *has_begun { Some(0) } else { memchr(b'\n', bytes) };
        if let Some(start) = start {
            *has_begun = true;
            self.feed(bytes.get(start..).unwrap_or_default());
        }
    }

    /// Gives the backlog to the stages.
    pub(super) fn resolve(&mut self) {
        if self.backlog.len() == 0 {
            return;
        }
        let mut backlog = std::mem::take(&mut self.backlog);
        if !self.resolve_end(&backlog) {
            backlog.bytes_in(0..backlog.len()).for_each(|bytes| self.feed(bytes));
        }
        backlog.clear();
        self.backlog = backlog;
    }

    /// Gives only the end of `backlog` to stages that begin again, where that fills the window, and
    /// says whether it did.
    ///
    /// It is the same: a newline ends whatever a stage is in the middle of (a character, a
    /// sequence, a line that is overwritten), so nothing before one changes what comes after.
    fn resolve_end(&mut self, backlog: &Backlog) -> bool {
        let shown = backlog.len().saturating_sub(self.reach());
        let from = shown.saturating_sub(self.look_back());
        if from == 0 {
            return false;
        }
        // Its stages are fed, and nothing else: it writes no file.
        let mut end = Self::new(self.options.clone());
        let mut has_begun = false;
        for bytes in backlog.bytes_in(from..shown) {
            // Also the rest of the line that they begin in: a secret may begin in it, and none of it is shown.
            end.feed(bytes);
            has_begun |= memchr(b'\n', bytes).is_some();
        }
        if from < shown && !has_begun {
            return false;
        }
        // What is shown has to fill the window by itself.
        end.window = Window::new(self.options.max_bytes, self.options.head_bytes);
        for bytes in backlog.bytes_in(shown..backlog.len()) {
            end.feed_lines(bytes, &mut has_begun);
        }
        if !end.window.overflowed() {
            return false;
        }
        self.masked_before.add(self.lines.masked());
        (self.decoder, self.lines, self.window) = (end.decoder, end.lines, end.window);
        true
    }
}
