//! Keeps the head and the tail of a text, never more than a given number of bytes together.
//!
//! The end of a log says why a command failed, its beginning says what ran; what lies between is
//! in the spill file. The tail is a ring: a push copies its bytes once and moves no others.

use std::fmt::Display;

/// Room kept for the marker between head and tail: its longest form, with 20 digits, and the
/// newlines around it.
const MARKER_ROOM: usize = 48;

/// Stands before the rest of a line whose beginning is not shown.
const REST_MARK: &str = "…";

/// The text to show, and what it has.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rendered {
    /// The text, with its marker.
    pub(super) text: String,
    /// Bytes of it that are not the marker.
    pub(super) shown_bytes: usize,
    /// Lines of it that are not the marker's.
    pub(super) shown_lines: u64,
    /// Newlines in the tail, or in the whole where nothing is missing.
    pub(super) tail_newlines: u64,
    /// The tail, or the whole where nothing is missing, is empty.
    pub(super) tail_is_empty: bool,
}

/// The first and the last bytes of a text. Each piece pushed is well-formed UTF-8.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// Most bytes shown.
    max: usize,
    head_max: usize,
    head: Vec<u8>,
    /// A piece did not fit into the head; all later ones belong to the tail.
    head_is_closed: bool,
    /// Grows to `max + 1` bytes, then its oldest byte is at `start`.
    ring: Vec<u8>,
    start: usize,
    /// Bytes pushed.
    total: u64,
}

impl Window {
    /// A window of at most `max` bytes, of which up to `head` are taken from the beginning: no
    /// more than half, and none where a marker would leave no room.
    pub(super) fn new(max: usize, head: usize) -> Self {
        let head_max = if max / 2 < MARKER_ROOM { 0 } else { head.min(max / 2) };
        Self {
            max,
            head_max,
            head: Vec::new(),
            head_is_closed: head_max == 0,
            ring: Vec::new(),
            start: 0,
            total: 0,
        }
    }

    /// Nothing of the beginning is kept.
    pub(super) fn is_tail_only(&self) -> bool {
        self.head_max == 0
    }

    /// Some of what was pushed is not shown.
    pub(super) fn overflowed(&self) -> bool {
        self.total > self.max as u64
    }

    /// Allows `bytes` more, from now on.
    pub(super) fn widen(&mut self, bytes: usize) {
        self.ring = self.tail();
        self.start = 0;
        self.max = self.max.saturating_add(bytes);
    }

    /// Takes back what `widen` allowed. Nothing is pushed any more.
    pub(super) fn narrow(&mut self, bytes: usize) {
        self.max = self.max.saturating_sub(bytes);
    }

    /// Adds a piece of text.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.total += piece.len() as u64;
        let mut rest = piece;
        if !self.head_is_closed {
            let room = self.head_max.saturating_sub(self.head.len());
            let (head, tail) = piece.split_at(floor_boundary(piece, room));
            self.head.extend_from_slice(head);
            self.head_is_closed = !tail.is_empty();
            rest = tail;
        }
        self.push_tail(rest);
    }

    fn push_tail(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        // One byte more than is shown tells whether what is shown begins a line.
        let room = self.max.saturating_add(1);
        let newest = piece.get(piece.len().saturating_sub(room)..).unwrap_or_default();
        if newest.len() == room {
            self.ring.clear();
            self.start = 0;
        }
        let (grow, wrap) = newest.split_at(newest.len().min(room.saturating_sub(self.ring.len())));
        self.ring.extend_from_slice(grow);
        let mut wrap = wrap;
        while !wrap.is_empty() {
            let until_end = wrap.len().min(self.ring.len() - self.start);
            let (now, later) = wrap.split_at(until_end);
            if let Some(slot) = self.ring.get_mut(self.start..self.start + until_end) {
                slot.copy_from_slice(now);
            }
            self.start = (self.start + until_end) % self.ring.len();
            wrap = later;
        }
    }

    /// The tail in order. It may begin inside a character.
    fn tail(&self) -> Vec<u8> {
        let (newer, older) = self.ring.split_at(self.start);
        let mut tail = Vec::with_capacity(self.ring.len());
        tail.extend_from_slice(older);
        tail.extend_from_slice(newer);
        tail
    }

    /// The text to show, of a stream that has `newlines` newlines.
    pub(super) fn render(&self, newlines: u64) -> Rendered {
        let tail = self.tail();
        if !self.overflowed() {
            return Rendered::whole([self.head.as_slice(), &tail].concat());
        }
        if self.head.is_empty() {
            return Rendered::end(&Ending::of(&tail, self.max));
        }
        let room = self.max.saturating_sub(self.head.len() + MARKER_ROOM);
        let ending = Ending::of(&tail, room);
        let (head, shown) = (beginning(&self.head), ending.bytes);
        let lines = newlines.saturating_sub(count_newlines(head) + count_newlines(shown));
        let bytes = self.total.saturating_sub((head.len() + shown.len()) as u64);
        Rendered::around(head, lines, bytes, &ending)
    }
}

/// The head that is shown: up to the end of a line where that costs less than half of it.
fn beginning(head: &[u8]) -> &[u8] {
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole > 0 && whole >= head.len() / 2 { head.get(..whole).unwrap_or_default() } else { head }
}

/// The end of a text that is shown.
struct Ending<'a> {
    bytes: &'a [u8],
    /// It begins inside of a line, and is marked so.
    is_rest: bool,
}

impl<'a> Ending<'a> {
    /// The last bytes of a text, `max` with the mark: from the beginning of a line where that costs less than half of
    /// them, else from a character's beginning.
    fn of(text: &'a [u8], max: usize) -> Self {
        let bytes = last_bytes(text, max);
        let before = text.len() - bytes.len();
        if before == 0 || text.get(before - 1) == Some(&b'\n') {
            return Self { bytes, is_rest: false };
        }
        let next_line =
            bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        if next_line <= bytes.len() / 2 {
            return Self { bytes: bytes.get(next_line..).unwrap_or_default(), is_rest: false };
        }
        match max.checked_sub(REST_MARK.len()) {
            Some(room) if room > 0 => Self { bytes: last_bytes(text, room), is_rest: true },
            _ => Self { bytes, is_rest: false },
        }
    }

    fn mark(&self) -> &'static [u8] {
        if self.is_rest { REST_MARK.as_bytes() } else { b"" }
    }
}

impl Rendered {
    /// The end of the text.
    fn end(ending: &Ending<'_>) -> Self {
        let shown = Self::whole(ending.bytes.to_vec());
        Self { text: into_text([ending.mark(), ending.bytes].concat()), ..shown }
    }

    /// All of the text.
    fn whole(text: Vec<u8>) -> Self {
        Self {
            shown_bytes: text.len(),
            shown_lines: count_lines(&text),
            tail_newlines: count_newlines(&text),
            tail_is_empty: text.is_empty(),
            text: into_text(text),
        }
    }

    /// Head and tail around a marker for what is missing: `newlines` of `bytes` bytes.
    fn around(head: &[u8], newlines: u64, bytes: u64, ending: &Ending<'_>) -> Self {
        let tail = ending.bytes;
        let marker = if newlines > 1 { elided(newlines, "lines") } else { elided(bytes, "bytes") };
        let is_open = head.last() != Some(&b'\n');
        let line_end = if is_open { "…\n".as_bytes() } else { b"" };
        // A line that begins in the head and goes on in the tail is one line.
        let shared = u64::from(is_open && newlines == 0 && !tail.is_empty());
        Self {
            shown_bytes: head.len() + tail.len(),
            shown_lines: count_lines(head) + count_lines(tail) - shared,
            tail_newlines: count_newlines(tail),
            tail_is_empty: tail.is_empty(),
            text: into_text(
                [head, line_end, marker.as_bytes(), b"\n", ending.mark(), tail].concat(),
            ),
        }
    }
}

/// The one grammar for what is missing: between head and tail, in a long line, and at the end of a
/// spill file that reached its limit.
pub(super) fn elided(count: impl Display, unit: &str) -> String {
    format!("[… {count} {unit} elided …]")
}

/// The last of `text` that fits into `max` bytes, from a character's beginning. The text may begin inside of one.
fn last_bytes(text: &[u8], max: usize) -> &[u8] {
    let last = text.get(text.len().saturating_sub(max)..).unwrap_or_default();
    let inside = last.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
    last.get(inside..).unwrap_or_default()
}

/// The greatest index up to `index` where a character of `text` begins or the text ends.
pub(super) fn floor_boundary(text: &[u8], index: usize) -> usize {
    if index >= text.len() {
        return text.len();
    }
    (index.saturating_sub(3)..=index)
        .rev()
        .find(|at| text.get(*at).is_some_and(|byte| !is_continuation(*byte)))
        .unwrap_or(index)
}

/// The least index from `index` on where a character of `text` begins or the text ends.
pub(super) fn ceil_boundary(text: &[u8], index: usize) -> usize {
    let rest = text.get(index..).unwrap_or_default();
    index.min(text.len()) + rest.iter().take_while(|byte| is_continuation(**byte)).count()
}

/// Whether `byte` goes on with a character that began before it.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Newlines in `text`. All output goes through here: `bytecount` takes half the time of counting what `memchr` finds.
pub(super) fn count_newlines(text: &[u8]) -> u64 {
    bytecount::count(text, b'\n') as u64
}

/// Lines in `text`; a last one without a newline counts.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    count_newlines(text) + u64::from(text.last().is_some_and(|byte| *byte != b'\n'))
}

/// Makes a string of bytes that were put together from whole characters.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
