//! Keeps what a run writes, for the model: a bounded text, exact totals, updates, a file.
//!
//! The stages are in their own files; this one owns them, counts the raw bytes and decides when
//! the file is needed and when an update is due. Not here: reading pipes, timers, JavaScript.

use std::path::Path;
use std::time::{Duration, Instant};

use pi_mask::{Mask, Masked, Masker};

use super::backlog::{Backlog, PART_BYTES};
use super::decode::Decoder;
use super::late::LateRing;
use super::lines::Lines;
use super::spill::Spill;
use super::window::{Rendered, Window, count_newlines};
use crate::{LineRange, OutputSummary, SinkOptions, SinkUpdate};

/// Most bytes of late output appended to a spill file (64 MiB): a forgotten `yes &` must not fill
/// a disk for as long as its session lives.
pub const LATE_SPILL_BYTES: u64 = 64 * 1024 * 1024;

/// What a run writes, as far as it is kept. Feed it raw bytes as they are read.
///
/// A push may block on the spill file's disk: that is the backpressure which keeps memory bounded,
/// so the reader of the pipe calls it and waits.
#[derive(Debug)]
pub struct Sink {
    pub(super) options: SinkOptions,
    pub(super) decoder: Decoder,
    pub(super) lines: Lines,
    pub(super) window: Window,
    /// Raw bytes that `lines` and `window` were not given yet.
    pub(super) backlog: Backlog,
    spill: Spill,
    late: LateRing,
    /// Masks the late output.
    late_masker: Option<Masker>,
    late_bytes: u64,
    /// What was masked before the stages began again.
    pub(super) masked_before: Masked,
    total_bytes: u64,
    newlines: u64,
    ends_in_newline: bool,
    /// Newlines of what the window was given: those of the stream until a replacement.
    shown_newlines: u64,
    is_replaced: bool,
    /// When the first update is due: at once, so a moment that is past.
    created: Instant,
    last_update: Option<Instant>,
    has_news: bool,
    finished: Option<Finished>,
}

/// What the first `finish` was given.
#[derive(Debug)]
struct Finished {
    notice: Option<String>,
}

impl Sink {
    /// An empty sink. Touches no file.
    pub fn new(options: SinkOptions) -> Self {
        Self {
            decoder: Decoder::new(),
            lines: new_lines(&options),
            window: Window::new(options.max_bytes, options.head_bytes),
            backlog: Backlog::default(),
            spill: Spill::new(
                options.spill_path.clone(),
                options.spill_max_bytes,
                options.mask.as_ref().filter(|_| options.mask_spill).map(Mask::masker),
            ),
            late: LateRing::new(),
            late_masker: options.mask.as_ref().map(Mask::masker),
            late_bytes: 0,
            masked_before: Masked::default(),
            total_bytes: 0,
            newlines: 0,
            ends_in_newline: true,
            shown_newlines: 0,
            is_replaced: false,
            created: Instant::now(),
            last_update: None,
            has_news: false,
            finished: None,
            options,
        }
    }

    /// Takes the next raw bytes of the stream. After `finish` they are late output.
    pub fn push(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(PART_BYTES) {
            if self.note(part) {
                self.backlog.push(part);
                self.bound_backlog();
            }
        }
    }

    /// As `push` of the first `length` bytes of `buffer`, which are not copied where they can wait:
    /// then `buffer` is another one afterwards, of the same length and with whatever in it.
    pub fn push_buffer(&mut self, buffer: &mut Vec<u8>, length: usize) {
        let bytes = buffer.get(..length).unwrap_or_default();
        if self.note(bytes) {
            if self.fills_window(bytes) {
                self.backlog.clear();
            }
            self.backlog.push_buffer(buffer, length);
            self.bound_backlog();
        }
    }

    /// Counts bytes, and writes them to the file. Says whether they are to wait in the backlog;
    /// where not, the stages have them already.
    fn note(&mut self, bytes: &[u8]) -> bool {
        let Some(last) = bytes.last() else { return false };
        if self.finished.is_some() {
            self.note_late(bytes);
            return false;
        }
        self.total_bytes += bytes.len() as u64;
        let newlines = count_newlines(bytes);
        self.newlines += newlines;
        self.shown_newlines += newlines;
        self.ends_in_newline = *last == b'\n';
        self.has_news = true;
        self.spill.push(bytes, self.options.spill_from_start || self.is_over());
        let may_wait = self.is_over() && self.window.is_tail_only();
        if !may_wait {
            self.feed(bytes);
        }
        may_wait
    }

    /// Gives bytes to the stages.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let (lines, window) = (&mut self.lines, &mut self.window);
        if self.decoder.pending_len() == 0 && lines.push_printable(bytes, window) {
            return;
        }
        self.decoder.decode_pieces(bytes, |text| lines.push(text.as_bytes(), window));
    }

    /// Shows `text` instead of all that was pushed, as the minimizer asks. Totals and the spill
    /// file stay those of the raw stream, and so does `truncated` where it already holds. What is
    /// pushed afterwards follows the text. Nothing happens after `finish`.
    pub fn replace(&mut self, text: &str) {
        if self.finished.is_some() {
            return;
        }
        self.decoder = Decoder::new();
        self.lines = new_lines(&self.options);
        self.window = Window::new(self.options.max_bytes, self.options.head_bytes);
        self.backlog.clear();
        self.shown_newlines = count_newlines(text.as_bytes());
        self.masked_before = Masked::default();
        if let Some(mask) = &self.options.mask {
            let (text, masked) = mask.text(text);
            self.window.push(text.as_bytes());
            self.masked_before = masked;
        } else {
            self.window.push(text.as_bytes());
        }
        self.is_replaced = true;
        self.has_news = true;
    }

    /// The text as it stands, if there is something new and an update is due at `now`. The first
    /// is due at once, each later one `update_interval` after the one before.
    pub fn update(&mut self, now: Instant) -> Option<SinkUpdate> {
        if now < self.pending_update_at()? {
            return None;
        }
        self.resolve();
        self.has_news = false;
        self.last_update = Some(now);
        Some(SinkUpdate {
            tail: self.render().text,
            total_bytes: self.total_bytes,
            total_lines: self.total_lines(),
        })
    }

    /// When `update` next has something to give. `None`: nothing is new.
    pub fn pending_update_at(&self) -> Option<Instant> {
        let due = self.last_update.map_or(self.created, |last| last + self.interval());
        (self.has_news && self.finished.is_none()).then_some(due)
    }

    /// Ends the stream and returns what was kept. The spill file is complete and closed then.
    ///
    /// `notice` stands before the text as a line of its own, in brackets, and does not count as
    /// output. Called again, this returns the same summary, with late output counted so far.
    pub fn finish(&mut self, notice: Option<&str>) -> OutputSummary {
        if self.finished.is_none() {
            self.end_stream();
            self.finished = Some(Finished { notice: notice.map(str::to_owned) });
        }
        self.summary()
    }

    /// Makes the spill file with all there is, also where the window has room: someone will go on
    /// writing after the end. Nothing happens after `finish`, or where there is no path for it.
    pub fn require_spill(&mut self) {
        if self.finished.is_none() {
            self.spill.require();
        }
    }

    /// Counts output that background children wrote after the command ended, keeps the end of it
    /// (see `late_text`), and appends it to the spill file, where there is one, up to
    /// `LATE_SPILL_BYTES` of it.
    pub fn note_late(&mut self, bytes: &[u8]) {
        self.late_bytes += bytes.len() as u64;
        match &mut self.late_masker {
            Some(masker) => masker.push(bytes, |bytes| self.late.push(bytes)),
            None => self.late.push(bytes),
        }
        if self.late_bytes <= LATE_SPILL_BYTES {
            self.spill.append_late(bytes);
        }
    }

    /// No more late output comes: keeps what was held back of it.
    pub fn end_late(&mut self) {
        if let Some(masker) = &mut self.late_masker {
            masker.finish(|bytes| self.late.push(bytes));
        }
        self.spill.end_late();
    }

    /// The last of the late output, as plain text.
    pub fn late_text(&self) -> String {
        self.late.text()
    }

    /// Lines pushed before `finish`; a last one without a newline counts.
    pub fn total_lines(&self) -> u64 {
        self.newlines + u64::from(!self.ends_in_newline)
    }

    /// Whether the spill file is made or written when `more` bytes come and the stream ends. In doubt it is.
    pub fn needs_file_for(&self, more: usize) -> bool {
        let options = &self.options;
        let shown =
            options.max_line_bytes.map_or(options.max_bytes, |line| line.min(options.max_bytes));
        let total = self.total_bytes.saturating_add(more as u64);
        options.spill_path.is_some() && (options.spill_from_start || total > shown as u64)
    }

    /// Where the spill file is made when it is needed.
    pub fn spill_path(&self) -> Option<&Path> {
        self.options.spill_path.as_deref()
    }

    /// The stream has more bytes than the window.
    fn is_over(&self) -> bool {
        self.total_bytes > self.options.max_bytes as u64
    }

    fn is_truncated(&self) -> bool {
        self.is_over() || self.window.overflowed() || self.lines.has_cut()
    }

    fn interval(&self) -> Duration {
        self.options.update_interval
    }

    fn end_stream(&mut self) {
        self.resolve();
        self.backlog = Backlog::default();
        let unfinished = self.decoder.take_pending();
        if unfinished > 0 {
            // The U+FFFD may be longer than what it stands for. Output of exactly `max_bytes`
            // bytes is whole by definition, so it must not lose its beginning to that.
            let longer = char::REPLACEMENT_CHARACTER.len_utf8() - unfinished;
            self.window.widen(longer);
            self.lines.push("\u{fffd}".as_bytes(), &mut self.window);
            self.lines.flush(&mut self.window);
            if self.is_over() || self.window.overflowed() {
                self.window.narrow(longer);
            }
        }
        self.lines.flush(&mut self.window);
        if self.options.spill_from_start || self.is_truncated() {
            self.spill.require();
        }
        self.spill.close();
    }

    /// The text of the window and of the line under way.
    fn render(&self) -> Rendered {
        let (mut lines, mut window) = (self.lines.clone(), self.window.clone());
        lines.flush_begun(&mut window);
        window.render(self.shown_newlines)
    }

    fn summary(&self) -> OutputSummary {
        let rendered = self.window.render(self.shown_newlines);
        let shown_range = self.shown_range(&rendered);
        let notice = self.finished.as_ref().and_then(|finished| finished.notice.as_deref());
        let text = match notice {
            Some(notice) => format!("[{notice}]\n{}", rendered.text),
            None => rendered.text,
        };
        OutputSummary {
            text,
            truncated: self.is_truncated(),
            total_bytes: self.total_bytes,
            total_lines: self.total_lines(),
            output_bytes: rendered.shown_bytes.min(self.options.max_bytes) as u64,
            output_lines: rendered.shown_lines,
            spilled: self.spill.is_whole(),
            spill_error: self.spill.error().map(str::to_owned),
            shown_range,
            late_output_bytes: self.late_bytes,
            masked: self.masked(),
        }
    }

    /// What was masked in the text, and in the file. Of a flood, only what can be shown was looked at for the text.
    fn masked(&self) -> Masked {
        let mut masked = self.masked_before.clone();
        masked.add(self.lines.masked());
        masked.union(self.spill.masked())
    }

    /// Each newline of the stream is one of the text, so lines are counted from the end.
    fn shown_range(&self, rendered: &Rendered) -> LineRange {
        if rendered.tail_is_empty || self.total_lines() == 0 {
            return LineRange::default();
        }
        let before = self.shown_newlines.saturating_sub(rendered.tail_newlines);
        let start_line = if self.is_replaced { 1 } else { before + 1 };
        LineRange { start_line, end_line: self.total_lines() }
    }
}

fn new_lines(options: &SinkOptions) -> Lines {
    let masker = options.mask.as_ref().map(Mask::masker);
    Lines::new(options.plain_text, options.max_line_bytes, masker)
}
