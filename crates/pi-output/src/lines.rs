//! Resolves each line to what a terminal would show of it, before it reaches the window.
//!
//! A carriage return moves the cursor to the beginning, a backspace moves it back, and what comes
//! then overwrites; escape sequences that edit the line are applied and all others are dropped.
//! So a progress bar is its last frame. A character is one column wide here: what a frame
//! overwrites is nearly always text of the same kind.

use memchr::{memchr, memrchr};
use pi_mask::{Masked, Masker};

use super::decode::Decoder;
use super::escape::{EscapeParser, LineEdit, Step};
use super::scan::{clean_prefix, ends_string, is_printable, unseen_prefix};
use super::shown::Shown;
use super::window::{Window, floor_boundary, is_continuation};

/// Bytes of the line under way that can still be overwritten. What stands before is past recall,
/// as on a terminal, whose cursor returns to the beginning of the last row of a wrapped line.
const MAX_LINE_BYTES: usize = 4096;

/// Text between colours that is put together before it is looked at further. It stays in a
/// processor's first cache.
const GATHERED_BYTES: usize = 8192;

/// Most blanks that a cursor movement past the end of a line stands for.
const MAX_PAD_COLUMNS: usize = 256;

const BLANKS: &[u8] = &[b' '; MAX_PAD_COLUMNS];

/// The line under way, and the sequence under way in it.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    /// `false`: nothing is resolved or dropped.
    is_plain: bool,
    parser: EscapeParser,
    line: Vec<u8>,
    /// Where the next character goes, in bytes of `line`.
    cursor: usize,
    /// Columns from the end of `line` to the cursor, where it was moved past the end.
    pad: usize,
    /// Something was overwritten or erased: blanks at the end of the line are leftovers.
    is_edited: bool,
    shown: Shown,
    /// Text without the colours in it, while it is put together; kept for its memory.
    gathered: Vec<u8>,
}

/// The plain text of a whole stream: decoded, lines resolved, sequences dropped.
pub fn plain_text(bytes: &[u8]) -> String {
    let mut window = Window::new(usize::MAX, 0);
    let mut lines = Lines::new(true, None, None);
    let mut decoder = Decoder::new();
    decoder.feed(bytes, |text| lines.push(text.as_bytes(), &mut window));
    let mut end = String::new();
    decoder.finish(&mut end);
    lines.push(end.as_bytes(), &mut window);
    lines.flush(&mut window);
    window.render(0).text
}

impl Lines {
    /// Resolves lines where `is_plain`, masks with `masker`, and cuts lines that are longer than `max_line` bytes.
    pub(super) fn new(is_plain: bool, max_line: Option<usize>, masker: Option<Masker>) -> Self {
        Self {
            is_plain,
            parser: EscapeParser::default(),
            line: Vec::new(),
            cursor: 0,
            pad: 0,
            is_edited: false,
            shown: Shown::new(masker, max_line),
            gathered: Vec::new(),
        }
    }

    /// Some line was cut.
    pub(super) fn has_cut(&self) -> bool {
        self.shown.has_cut()
    }

    /// What was masked.
    pub(super) fn masked(&self) -> Masked {
        self.shown.masked()
    }

    /// Adds text, which is whole characters. What is complete goes to `window`, the line under way
    /// stays.
    pub(super) fn push(&mut self, text: &[u8], window: &mut Window) {
        let mut rest = text;
        if !self.is_plain {
            return self.push_clean(rest, window);
        }
        while !rest.is_empty() {
            let taken = if self.parser.is_on_ground() {
                match self.push_text(rest, window) {
                    0 => self.push_control(rest, window),
                    text => text,
                }
            } else {
                self.push_sequence(rest, window)
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// Adds `bytes` if they are printable ASCII, newlines and tabs alone, and says whether they
    /// were. Most output is, and this one look at it replaces decoding and the look at controls.
    pub(super) fn push_printable(&mut self, bytes: &[u8], window: &mut Window) -> bool {
        let is_taken = self.parser.is_on_ground() && is_printable(bytes);
        if is_taken {
            self.push_clean(bytes, window);
        }
        is_taken
    }

    /// Gives the line under way to `window`, as if the stream ended here.
    pub(super) fn flush(&mut self, window: &mut Window) {
        self.commit_line(window);
        self.shown.flush(window);
    }

    /// As `flush`, while the stream goes on: what may be the beginning of a secret stays out. For a copy of the lines.
    pub(super) fn flush_begun(&mut self, window: &mut Window) {
        self.commit_line(window);
        self.shown.flush_begun(window);
    }

    /// Adds the text that `rest` begins with, without what shows nothing in it; returns the length
    /// of both. Colours stand every few characters, so the text between them is put together first:
    /// most of the time went into beginning with each piece.
    fn push_text(&mut self, rest: &[u8], window: &mut Window) -> usize {
        let mut at = clean_prefix(rest);
        let (text, after) = rest.split_at(at);
        if unseen_prefix(after) == 0 {
            self.push_clean(text, window);
            return at;
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.extend_from_slice(text);
        while gathered.len() < GATHERED_BYTES
            && let Some(after) = rest.get(at..)
            && let unseen @ 1.. = unseen_prefix(after)
            && let Some(after) = after.get(unseen..)
        {
            let clean = clean_prefix(after);
            gathered.extend_from_slice(after.get(..clean).unwrap_or_default());
            at += unseen + clean;
        }
        self.push_clean(&gathered, window);
        gathered.clear();
        self.gathered = gathered;
        at
    }

    /// Adds text without control characters other than newline and tab.
    fn push_clean(&mut self, text: &[u8], window: &mut Window) {
        let (Some(first), Some(last)) = (memchr(b'\n', text), memrchr(b'\n', text)) else {
            return self.write(text, window);
        };
        let (lines, open) = text.split_at(last + 1);
        let (line, whole) = lines.split_at(first + 1);
        self.write(line.get(..first).unwrap_or_default(), window);
        self.newline(window);
        self.shown.push_lines(whole, window);
        self.write(open, window);
    }

    /// Takes the control character that `rest` begins with; returns its length.
    fn push_control(&mut self, rest: &[u8], window: &mut Window) -> usize {
        match *rest {
            // NUL alone comes by the megabyte, from holes in files and from devices.
            [0, ..] => return rest.iter().take_while(|byte| **byte == 0).count(),
            [0x1b, ..] => self.parser.begin(),
            [b'\r', ..] => self.move_to(0),
            [0x08, ..] => self.move_left(1),
            [0xc2, last @ 0x80..=0x9f, ..] => {
                self.parser.begin_c1(last);
                return 2;
            }
            // The other characters that begin so are text: U+00A0 to U+00BF.
            [0xc2, _, ..] => {
                self.write(rest.get(..2).unwrap_or_default(), window);
                return 2;
            }
            _ => {}
        }
        1
    }

    /// Takes a part of the sequence under way; returns its length, 0 where it ended before.
    fn push_sequence(&mut self, rest: &[u8], window: &mut Window) -> usize {
        let room = self.parser.string_room();
        match *rest {
            [b'\n', ..] => {
                self.parser.reset();
                self.newline(window);
                1
            }
            [0x07 | 0x18 | 0x1a, ..] => {
                self.parser.reset();
                1
            }
            [0x1b, ..] => {
                self.parser.begin();
                1
            }
            [0xc2, last @ 0x80..=0x9f, ..] => {
                self.parser.begin_c1(last);
                2
            }
            [_, ..] if room > 0 => {
                let end = rest.iter().skip(1).position(|byte| ends_string(*byte));
                let skipped = floor_boundary(rest, room.min(end.map_or(rest.len(), |end| end + 1)));
                if skipped == 0 {
                    self.parser.reset();
                }
                self.parser.skip_string(skipped);
                skipped
            }
            [first, ..] => match self.parser.step(first) {
                Step::Taken => 1,
                Step::Edit(edit) => {
                    self.edit(edit);
                    1
                }
                Step::Text => 0,
            },
            [] => 0,
        }
    }

    fn newline(&mut self, window: &mut Window) {
        self.commit_line(window);
        self.shown.newline(window);
    }

    /// Gives the line as it stands to the next stage, and begins with an empty one.
    fn commit_line(&mut self, window: &mut Window) {
        if self.is_edited {
            let blanks = self.line.iter().rev().take_while(|byte| **byte == b' ').count();
            self.line.truncate(self.line.len() - blanks);
        }
        self.is_edited = false;
        self.pad = 0;
        self.pass_on(window);
    }

    /// Gives the line to the next stage while it goes on.
    fn pass_on(&mut self, window: &mut Window) {
        self.shown.push(&self.line, window);
        self.line.clear();
        self.cursor = 0;
    }

    /// Puts `run` at the cursor. It has no newline.
    fn write(&mut self, run: &[u8], window: &mut Window) {
        if run.is_empty() {
            return;
        }
        let pad = std::mem::take(&mut self.pad);
        self.append(BLANKS.get(..pad).unwrap_or(BLANKS), window);
        if self.cursor == self.line.len() {
            return self.append(run, window);
        }
        self.is_edited = true;
        if self.overwrite_ascii(run) {
            return;
        }
        let (mut from, mut to) = (0, self.cursor);
        while from < run.len() && to < self.line.len() {
            from = next_character(run, from);
            to = next_character(&self.line, to);
        }
        let (over, beyond) = run.split_at(from);
        self.line.splice(self.cursor..to, over.iter().copied());
        self.cursor += over.len();
        self.append(beyond, window);
    }

    /// Overwrites bytes in place where they are one column each on both sides and `run` does not
    /// reach beyond the line, as with most frames of a progress bar.
    fn overwrite_ascii(&mut self, run: &[u8]) -> bool {
        let end = self.cursor + run.len();
        let Some(old) = self.line.get_mut(self.cursor..end) else { return false };
        let is_ascii = old.is_ascii() && run.is_ascii();
        // What follows must not be the rest of a character that is replaced: it is not, because
        // an ASCII byte is a whole character.
        if is_ascii {
            old.copy_from_slice(run);
            self.cursor = end;
        }
        is_ascii
    }

    /// Puts `run` at the end of the line, where the cursor is.
    fn append(&mut self, run: &[u8], window: &mut Window) {
        let mut rest = run;
        while !rest.is_empty() {
            if self.line.is_empty() && rest.len() > MAX_LINE_BYTES {
                // It would be passed on for the next character: no need to copy it in between.
                let (now, later) = rest.split_at(floor_boundary(rest, MAX_LINE_BYTES));
                self.shown.push(now, window);
                rest = later;
                continue;
            }
            let fits = floor_boundary(rest, MAX_LINE_BYTES.saturating_sub(self.line.len()));
            if fits == 0 {
                self.pass_on(window);
                continue;
            }
            let (now, later) = rest.split_at(fits);
            self.line.extend_from_slice(now);
            self.cursor = self.line.len();
            rest = later;
        }
    }

    fn edit(&mut self, edit: LineEdit) {
        match edit {
            LineEdit::EraseToEnd => {
                self.is_edited |= self.cursor < self.line.len();
                self.line.truncate(self.cursor);
            }
            LineEdit::EraseToStart => {
                let column = self.column();
                let end = next_character(&self.line, self.cursor);
                let blanks = column + usize::from(end > self.cursor);
                self.line.splice(..end, std::iter::repeat_n(b' ', blanks));
                self.cursor = column;
                self.is_edited = true;
            }
            LineEdit::EraseLine => {
                let column = self.column() + self.pad;
                self.line.clear();
                self.cursor = 0;
                self.pad = column.min(MAX_PAD_COLUMNS);
                self.is_edited = true;
            }
            LineEdit::Column(column) => self.move_to(column),
            LineEdit::Right(columns) => self.move_right(columns),
            LineEdit::Left(columns) => self.move_left(columns),
        }
    }

    fn column(&self) -> usize {
        let before = self.line.iter().take(self.cursor);
        before.filter(|byte| !is_continuation(**byte)).count()
    }

    fn move_to(&mut self, column: usize) {
        self.cursor = 0;
        self.pad = 0;
        self.move_right(column);
    }

    fn move_right(&mut self, columns: usize) {
        let mut left = columns;
        while left > 0 && self.cursor < self.line.len() {
            self.cursor = next_character(&self.line, self.cursor);
            left -= 1;
        }
        self.pad = self.pad.saturating_add(left).min(MAX_PAD_COLUMNS);
    }

    fn move_left(&mut self, columns: usize) {
        let padded = columns.min(self.pad);
        self.pad -= padded;
        for _ in padded..columns {
            if self.cursor == 0 {
                return;
            }
            self.cursor = floor_boundary(&self.line, self.cursor - 1);
        }
    }
}

/// Where the character after the one at `at` begins; `text.len()` at the end.
fn next_character(text: &[u8], at: usize) -> usize {
    let after = text.get(at + 1..).unwrap_or_default();
    (at + 1 + after.iter().take_while(|byte| is_continuation(**byte)).count()).min(text.len())
}
