//! Renders terminal control sequences to the text a person would have been left with.
//!
//! A progress bar is hundreds of frames of which the terminal shows the last; a spinner walks the
//! cursor up and repaints. So a pattern that strips escape sequences is not enough: this is a small
//! screen with an unbounded scroll-back, and it is linear in the input whatever the sequences say.
//! Colours, titles, hyperlinks and character sets vanish. Clearing the whole screen does not: what
//! was printed before it was printed.

use memchr::memchr3;
use std::borrow::Cow;

/// Columns one sequence may move right: wider than any terminal, small enough to bound padding.
const MAX_MOVE: usize = 1024;

/// Returns the final state of `text` on a terminal; borrowed where it holds no control character.
pub(crate) fn render(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr3(0x1b, b'\r', 0x08, bytes).is_none() && memchr3(0x07, 0x0e, 0x0f, bytes).is_none() {
        return Cow::Borrowed(text);
    }
    if memchr3(0x1b, 0x08, 0x07, bytes).is_none() && !has_lone_return(bytes) {
        // Windows line ends alone need no screen.
        return Cow::Owned(text.replace("\r\n", "\n"));
    }
    if let Some(plain) = strip(text) {
        return Cow::Owned(plain);
    }
    let mut screen = Screen::new(text.len());
    let mut rest = text;
    loop {
        let (run, after) = split_run(rest);
        screen.put(run);
        let (step, after) = step(after);
        match step {
            Step::End => return Cow::Owned(screen.finish()),
            step => screen.take(step),
        }
        rest = after;
    }
}

/// The text without its sequences, where none of them moves the cursor back: colours, titles and links need no screen.
fn strip(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let (run, after) = split_run(rest);
        plain.push_str(run);
        let (step, after) = step(after);
        match step {
            Step::End => return Some(plain),
            Step::LineFeed => plain.push('\n'),
            // The cursor is behind everything: what would be erased is not there.
            Step::None | Step::EraseInLine(0) | Step::EraseBelow => {}
            Step::Return if after.starts_with(['\r', '\n']) => {}
            _ => return None,
        }
        rest = after;
    }
}

/// Splits off the characters before the next control character that means something here.
fn split_run(text: &str) -> (&str, &str) {
    // None of them is part of a longer character, and no other character is worth stopping for.
    let controls = |byte: &u8| matches!(byte, 0x07..=0x08 | b'\n' | b'\r' | 0x0e..=0x0f | 0x1b);
    let end = text.as_bytes().iter().position(controls).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// What a control character or a sequence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nothing that is seen.
    None,
    /// The text is over.
    End,
    LineFeed,
    Return,
    Backspace,
    Up(usize),
    Down(usize),
    Right(usize),
    Left(usize),
    /// To the column, counted from 0.
    Column(usize),
    /// Everything from the cursor on (0), up to the cursor (1), or the whole line.
    EraseInLine(usize),
    /// Everything behind the cursor and all rows below it.
    EraseBelow,
    /// Somewhere on a cleared screen.
    Elsewhere,
    NextLine(usize),
    PreviousLine(usize),
}

/// Reads the control character or sequence at the front of `text`, and returns what follows it.
fn step(text: &str) -> (Step, &str) {
    let after = text.get(1..).unwrap_or("");
    match text.as_bytes().first() {
        None => (Step::End, ""),
        Some(0x1b) => escape(after),
        Some(b'\n') => (Step::LineFeed, after),
        Some(b'\r') => (Step::Return, after),
        Some(0x08) => (Step::Backspace, after),
        Some(_) => (Step::None, after),
    }
}

/// Interprets what follows an ESC and returns the text after the sequence.
fn escape(text: &str) -> (Step, &str) {
    let after = |n: usize| text.get(n..).unwrap_or("");
    match text.as_bytes().first() {
        Some(b'[') => control_sequence(after(1)),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => (Step::None, string_sequence(after(1))),
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%' | b' ') => {
            let skipped = text.chars().take(2).map(char::len_utf8).sum();
            (Step::None, after(skipped))
        }
        Some(byte) if byte.is_ascii_graphic() => (Step::None, after(1)),
        _ => (Step::None, text),
    }
}

fn control_sequence(text: &str) -> (Step, &str) {
    let bytes = text.as_bytes();
    let parameters = bytes.iter().take_while(|b| (0x20..0x40).contains(*b)).count();
    let Some(&last) = bytes.get(parameters) else { return (Step::None, "") };
    if !(0x40..0x7f).contains(&last) {
        // Not a sequence after all: what was read is dropped as a terminal drops it.
        return (Step::None, text.get(parameters..).unwrap_or(""));
    }
    let after = text.get(parameters + 1..).unwrap_or("");
    // Colours, nearly all there is.
    if last == b'm' {
        return (Step::None, after);
    }
    let digits = text.get(..parameters).unwrap_or("");
    let number = digits.split(';').next().and_then(|d| d.parse::<usize>().ok());
    let count = number.unwrap_or(1).clamp(1, MAX_MOVE);
    let step = match last {
        b'A' => Step::Up(count),
        b'B' => Step::Down(count),
        b'C' => Step::Right(count),
        b'D' => Step::Left(count),
        b'E' => Step::NextLine(count),
        b'F' => Step::PreviousLine(count),
        b'G' => Step::Column(count - 1),
        b'K' => Step::EraseInLine(number.unwrap_or(0)),
        b'J' if number.unwrap_or(0) == 0 => Step::EraseBelow,
        b'H' | b'f' | b'J' => Step::Elsewhere,
        _ => Step::None,
    };
    (step, after)
}

fn has_lone_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
        || memchr3(0x0e, 0x0f, 0x07, bytes).is_some()
}

/// Rows that were printed, and a cursor that may move among them.
struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// Blanks that cursor movement may still create: bounds memory by the size of the input.
    padding: usize,
    capacity: usize,
}

impl Screen {
    fn new(capacity: usize) -> Self {
        Self { rows: vec![Vec::new()], row: 0, column: 0, padding: capacity, capacity }
    }

    fn line(&mut self) -> &mut Vec<char> {
        while self.rows.len() <= self.row {
            self.rows.push(Vec::new());
        }
        let row = self.row;
        &mut self.rows[row]
    }

    /// Writes a run of characters at the cursor.
    fn put(&mut self, run: &str) {
        if run.is_empty() {
            return;
        }
        let length = self.line().len();
        if self.column > length {
            let blanks = self.column - length;
            if blanks > self.padding {
                self.column = length;
            } else {
                self.padding -= blanks;
                let column = self.column;
                self.line().resize(column, ' ');
            }
        }
        let column = self.column;
        let line = self.line();
        let mut run = run.chars();
        let mut written = 0;
        for (cell, c) in line.iter_mut().skip(column).zip(&mut run) {
            *cell = c;
            written += 1;
        }
        let before = line.len();
        line.extend(run);
        written += line.len() - before;
        self.column += written;
    }

    /// Does what a sequence asks for.
    fn take(&mut self, step: Step) {
        match step {
            Step::None | Step::End => {}
            Step::LineFeed => self.line_feed(),
            Step::Return => self.column = 0,
            Step::Backspace => self.column = self.column.saturating_sub(1),
            Step::Up(count) => self.row = self.row.saturating_sub(count),
            Step::Down(count) => self.row = (self.row + count).min(self.rows.len() - 1),
            Step::Right(count) => {
                self.column = (self.column + count).min(self.column.max(MAX_MOVE));
            }
            Step::Left(count) => self.column = self.column.saturating_sub(count),
            Step::NextLine(count) => {
                self.row = (self.row + count).min(self.rows.len() - 1);
                self.column = 0;
            }
            Step::PreviousLine(count) => {
                self.row = self.row.saturating_sub(count);
                self.column = 0;
            }
            Step::Column(column) => self.column = column,
            Step::EraseInLine(how) => self.erase_in_line(how),
            Step::EraseBelow => {
                self.erase_in_line(0);
                let keep = self.row + 1;
                self.rows.truncate(keep);
            }
            Step::Elsewhere => self.fresh_row(),
        }
    }

    fn line_feed(&mut self) {
        self.row += 1;
        self.column = 0;
        self.line();
    }

    /// Starts a row below everything printed, where the cursor is somewhere in a picture.
    fn fresh_row(&mut self) {
        self.row = self.rows.len() - 1;
        if !self.line().is_empty() {
            self.row += 1;
        }
        self.column = 0;
        self.line();
    }

    fn erase_in_line(&mut self, how: usize) {
        let column = self.column;
        let line = self.line();
        match how {
            0 => line.truncate(column),
            1 => line.iter_mut().take(column + 1).for_each(|cell| *cell = ' '),
            _ => line.clear(),
        }
    }

    fn finish(self) -> String {
        let mut text = String::with_capacity(self.capacity);
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            text.extend(row.iter());
        }
        text
    }
}

/// Skips a title, hyperlink or device string up to BEL or ST; an unterminated one ends with its line.
fn string_sequence(text: &str) -> &str {
    let bytes = text.as_bytes();
    let Some(at) = memchr3(0x07, 0x1b, b'\n', bytes) else { return "" };
    let skipped = match bytes.get(at) {
        Some(0x07) => at + 1,
        Some(0x1b) if bytes.get(at + 1) == Some(&b'\\') => at + 2,
        _ => at,
    };
    text.get(skipped..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn a_progress_line_is_its_last_frame() {
        assert_eq!(render("get:  1%\rget: 50%\rget: 100%\ndone\n"), "get: 100%\ndone\n");
    }

    #[test]
    fn a_repainted_block_is_its_last_picture() {
        assert_eq!(render("a\nb\n\x1b[2A\x1b[2Kc\n\x1b[2Kd\n"), "c\nd\n");
    }

    #[test]
    fn colours_titles_links_and_character_sets_vanish() {
        assert_eq!(
            render(
                "\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b(B\n"
            ),
            "red link\n"
        );
    }

    #[test]
    fn windows_line_ends_are_line_ends() {
        assert_eq!(render("a\r\nb\r\n"), "a\nb\n");
    }

    #[test]
    fn clearing_the_screen_keeps_what_was_printed() {
        assert_eq!(render("first\n\x1b[2J\x1b[Hsecond\n"), "first\nsecond\n");
    }

    #[test]
    fn movement_cannot_create_more_blanks_than_the_input_has_bytes() {
        let text = "\x1b[1000Cx\n".repeat(1000);
        assert!(render(&text).len() <= 3 * text.len());
    }
}
