//! Cuts lines that are too long in the middle, on their way into the window.
//!
//! One line of minified code would push everything else out of the window, and no one reads its
//! middle. Only the text shown is cut: the spill file has the line whole.

use memchr::{memchr, memrchr};

use super::window::{Window, ceil_boundary, elided, floor_boundary};

/// Room kept for the marker inside a line: its longest form, with 20 digits.
const MARKER_ROOM: usize = 44;

/// Limits from here on have room for a marker with a count; lower ones get a lone `…`.
const LEAST_COUNTED: usize = 2 * MARKER_ROOM;

/// The lowest limit: `…` between two short characters needs some bytes.
const LEAST_LIMIT: usize = 16;

/// The line under way, and how long lines may be.
#[derive(Debug, Clone)]
pub(super) struct LineCutter {
    /// Most bytes of a line, the marker among them. `None`: lines pass through as they come.
    max: Option<usize>,
    /// Beginning of the line, until it is longer than `max`; then what is shown of it.
    head: Vec<u8>,
    /// End of the line, once it is longer than `max`.
    tail: Vec<u8>,
    /// Bytes of the line, while it is longer than `max`; 0 otherwise.
    long: u64,
    has_cut: bool,
}

impl LineCutter {
    /// Cuts lines of more than `max` bytes, or none.
    pub(super) fn new(max: Option<usize>) -> Self {
        let max = max.map(|max| max.max(LEAST_LIMIT));
        Self { max, head: Vec::new(), tail: Vec::new(), long: 0, has_cut: false }
    }

    /// Some line was cut.
    pub(super) fn has_cut(&self) -> bool {
        self.has_cut
    }

    /// Adds to the line under way. `piece` is whole characters and has no newline.
    pub(super) fn push(&mut self, piece: &[u8], window: &mut Window) {
        let Some(max) = self.max else { return window.push(piece) };
        if self.long > 0 {
            self.long += piece.len() as u64;
            self.tail.extend_from_slice(piece);
            self.trim_tail(max);
            return;
        }
        self.head.extend_from_slice(piece);
        if self.head.len() > max {
            self.has_cut = true;
            self.long = self.head.len() as u64;
            let end = floor_boundary(&self.head, half(max));
            self.tail = self.head.split_off(end);
            self.trim_tail(max);
        }
    }

    /// Ends the line under way.
    pub(super) fn newline(&mut self, window: &mut Window) {
        self.flush(window);
        window.push(b"\n");
    }

    /// Adds whole lines; the last byte is a newline, and no line is under way.
    pub(super) fn push_lines(&mut self, lines: &[u8], window: &mut Window) {
        let Some(max) = self.max else { return window.push(lines) };
        let mut rest = lines;
        while !rest.is_empty() {
            let short = short_lines(rest, max);
            let (now, after) = rest.split_at(short);
            window.push(now);
            let Some(end) = memchr(b'\n', after) else { return };
            let (line, after) = after.split_at(end);
            self.push(line, window);
            self.newline(window);
            rest = after.get(1..).unwrap_or_default();
        }
    }

    /// Gives what is held of the line under way to the window, as if it ended here.
    pub(super) fn flush(&mut self, window: &mut Window) {
        window.push(&self.head);
        if self.long > 0 {
            let start = ceil_boundary(&self.tail, self.tail.len() - self.tail_bytes());
            let end = self.tail.get(start..).unwrap_or_default();
            let missing = self.long - (self.head.len() + end.len()) as u64;
            window.push(self.marker(missing).as_bytes());
            window.push(end);
        }
        self.head.clear();
        self.tail.clear();
        self.long = 0;
    }

    fn marker(&self, missing: u64) -> String {
        if self.max.is_some_and(|max| max >= LEAST_COUNTED) {
            elided(missing, "bytes")
        } else {
            "…".to_owned()
        }
    }

    fn tail_bytes(&self) -> usize {
        self.tail.len().min(self.max.map_or(0, half))
    }

    /// Drops what cannot be shown any more, once it is worth a move.
    fn trim_tail(&mut self, max: usize) {
        // Three bytes more than are shown, so that the place of the cut does not depend on when
        // the rest was dropped: a character that begins before it is seen to begin.
        let keep = half(max) + 3;
        if self.tail.len() > 4 * keep {
            self.tail.drain(..self.tail.len() - keep);
        }
    }
}

/// Bytes shown of each end of a line that is cut to `max`.
fn half(max: usize) -> usize {
    max.saturating_sub(if max >= LEAST_COUNTED { MARKER_ROOM } else { "…".len() }) / 2
}

/// Length of the longest beginning of `lines` in which each line, without its newline, has at most
/// `max` bytes. Looks at one newline in `max` bytes, not at each.
fn short_lines(lines: &[u8], max: usize) -> usize {
    let mut end = 0;
    while let Some(rest) = lines.get(end..)
        && let Some(newline) = memrchr(b'\n', rest.get(..=max).unwrap_or(rest))
    {
        end += newline + 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, max: usize) -> String {
        let mut cutter = LineCutter::new(Some(max));
        let mut window = Window::new(usize::MAX, 0);
        cutter.push(line.as_bytes(), &mut window);
        cutter.flush(&mut window);
        window.render(0).text
    }

    #[test]
    fn a_line_over_its_limit_shows_both_ends_and_a_count_where_there_is_room_for_one() {
        let x = |count| "x".repeat(count);
        for (line, max, shown) in [
            (x(88), 88, x(88)),
            (x(89), 88, format!("{}[… 45 bytes elided …]{}", x(22), x(22))),
            (x(88), 87, format!("{}…{}", x(42), x(42))),
            (x(16), 16, x(16)),
            (x(17), 0, "xxxxxx…xxxxxx".to_owned()),
            ("é".repeat(100), 21, "éééé…éééé".to_owned()),
        ] {
            assert_eq!(cut(&line, max), shown, "{} bytes, limit {max}", line.len());
        }
    }

    #[test]
    fn what_is_kept_of_a_line_that_never_ends_is_bounded() {
        let mut cutter = LineCutter::new(Some(100));
        let mut window = Window::new(usize::MAX, 0);
        for _ in 0..100 {
            cutter.push(&[b'x'; 50], &mut window);

            let kept = cutter.head.len() + cutter.tail.len();
            assert!(kept <= 3 * 100, "{kept} bytes of a line that shows 100");
        }
    }
}
