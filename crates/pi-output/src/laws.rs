//! What holds for any output, however it is split: properties, checked against a naive model.

use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{Decoder, Sink, plain_text};
use crate::{OutputSummary, SinkOptions};

/// A piece of output, of the kinds that have a meaning of their own.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => "[ -~]{1,12}".prop_map(String::into_bytes),
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\r".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\x08".to_vec()),
        1 => Just(b"\t".to_vec()),
        3 => "[é€日🙂°\u{a0}\u{feff}]{1,4}".prop_map(String::into_bytes),
        2 => "\x1b\\[[0-9;?]{0,4}[A-Za-z]".prop_map(String::into_bytes),
        1 => "\x1b\\[[0-3]?K".prop_map(String::into_bytes),
        1 => "\x1b\\[[0-9]?[GCD]".prop_map(String::into_bytes),
        1 => "\x1b\\][0-9];[a-z]{0,6}(\x07|\x1b\\\\|)".prop_map(String::into_bytes),
        1 => "\x1bP[a-z]{0,6}".prop_map(String::into_bytes),
        1 => "\x1b[(][AB0]".prop_map(String::into_bytes),
        1 => "[\u{80}-\u{9f}]".prop_map(String::into_bytes),
        1 => vec(0_u8..0x20, 1..3),
        2 => vec(any::<u8>(), 1..5),
        1 => Just("🙂".as_bytes().split_at(2).0.to_vec()),
    ]
}

fn output(pieces: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

/// Some longer runs, which reach the limits of the stages.
fn long_output() -> impl Strategy<Value = Vec<u8>> {
    let long = prop_oneof![
        (piece(), 1_usize..3000).prop_map(|(piece, times)| piece.repeat(times)),
        output(60),
        Just([b"\x1b]0;".to_vec(), b"y".repeat(5000)].concat()),
    ];
    vec(long, 1..5).prop_map(|pieces| pieces.concat())
}

/// Lines of plain text, as most floods are, and lines that show little of what they are.
fn flood() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => "[ -~\t]{0,60}",
        1 => "[ -~]{500,2000}",
        1 => "(\x1b\\[3[0-7]m){1,40}",
        1 => "[a-z]{1,9}(\r|\x08){1,60}",
    ];
    let lines = (line, 1_usize..60);
    let lines = lines.prop_map(|(line, times)| format!("{line}\n").repeat(times).into_bytes());
    vec(prop_oneof![9 => lines, 1 => output(8)], 1..20).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = SinkOptions> {
    let limits = prop_oneof![0_usize..200, 200_usize..4000, Just(50 * 1024)];
    let lines = prop_oneof![Just(None), (0_usize..300).prop_map(Some)];
    (limits, 0_usize..2000, lines, any::<bool>()).prop_map(
        |(max_bytes, head_bytes, max_line_bytes, plain_text)| SinkOptions {
            max_bytes,
            head_bytes,
            max_line_bytes,
            plain_text,
            ..SinkOptions::default()
        },
    )
}

fn summary(bytes: &[u8], options: &SinkOptions) -> OutputSummary {
    let mut sink = Sink::new(options.clone());
    sink.push(bytes);
    sink.finish(None)
}

/// Splits `bytes` after each of `lengths`, over and over.
fn split<'a>(bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut parts = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (part, after) = rest.split_at((*length).min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// What a terminal shows of each line, one character at a time, without any bound.
fn naive_plain_text(bytes: &[u8]) -> String {
    let characters: Vec<char> = String::from_utf8_lossy(bytes).chars().collect();
    let mut lines = vec![Row::default()];
    let mut at = 0;
    while let Some(character) = characters.get(at).copied() {
        let rest = &characters[at..];
        let row = lines.last_mut().expect("there is always a row");
        at += match character {
            '\n' => {
                lines.push(Row::default());
                1
            }
            '\u{1b}' | '\u{80}'..='\u{9f}' => row.sequence(rest),
            '\r' => row.go_to(0),
            '\u{8}' => row.go_to(row.column.saturating_sub(1)),
            '\t' => row.put(character),
            '\0'..='\u{1f}' | '\u{7f}' => 1,
            _ => row.put(character),
        };
    }
    lines.iter().map(Row::text).collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Row {
    cells: Vec<char>,
    column: usize,
    is_edited: bool,
}

impl Row {
    fn put(&mut self, character: char) -> usize {
        while self.cells.len() < self.column {
            self.cells.push(' ');
        }
        if self.column < self.cells.len() {
            self.cells[self.column] = character;
            self.is_edited = true;
        } else {
            self.cells.push(character);
        }
        self.column += 1;
        1
    }

    fn go_to(&mut self, column: usize) -> usize {
        self.column = column;
        1
    }

    /// Takes the sequence that `rest` begins with; returns its length.
    fn sequence(&mut self, rest: &[char]) -> usize {
        let mut at = 1;
        let kind = match rest[0] {
            '\u{9b}' => '[',
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => ']',
            '\u{80}'..='\u{9f}' => return 1,
            _ => {
                let intermediates = rest[1..].iter().take_while(|c| (' '..='/').contains(*c));
                let skipped = intermediates.count();
                at += skipped + 1;
                match rest.get(1 + skipped) {
                    Some('[') if skipped == 0 => '[',
                    Some(']' | 'P' | 'X' | '^' | '_') if skipped == 0 => ']',
                    Some('0'..='~' | '\u{18}' | '\u{1a}') => return at,
                    // Anything else is looked at on its own.
                    _ => return at - 1,
                }
            }
        };
        let body = &rest[at..];
        if kind == ']' {
            let ends = |c: &char| matches!(c, '\n' | '\u{1b}' | '\u{80}'..='\u{9f}');
            let stops = |c: &char| matches!(c, '\u{7}' | '\u{18}' | '\u{1a}');
            let length = body.iter().take_while(|c| !ends(c) && !stops(c)).count();
            return at + length + usize::from(body.get(length).is_some_and(stops));
        }
        let length = body.iter().take_while(|c| (' '..='?').contains(*c)).count();
        match body.get(length) {
            Some(last @ '@'..='~') => {
                let parameters: String = body[..length].iter().collect();
                self.edit(*last, &parameters);
                at + length + 1
            }
            Some('\u{18}' | '\u{1a}') => at + length + 1,
            _ => at + length,
        }
    }

    fn edit(&mut self, last: char, parameters: &str) {
        if parameters.contains(|c: char| !matches!(c, '0'..='9' | ';' | ':')) {
            return;
        }
        let first = parameters.split([';', ':']).next().unwrap_or_default();
        let value = first.parse::<usize>().unwrap_or(0);
        let count = value.max(1);
        match (last, value) {
            ('K' | 'J', 0) => {
                self.is_edited |= self.column < self.cells.len();
                self.cells.truncate(self.column);
            }
            ('K', 1) => {
                self.is_edited = true;
                let end = self.cells.len().min(self.column + 1);
                self.cells[..end].fill(' ');
            }
            ('K', 2) => {
                self.is_edited = true;
                self.cells.clear();
            }
            ('G' | '`', _) => self.column = count - 1,
            ('C', _) => self.column += count,
            ('D', _) => self.column = self.column.saturating_sub(count),
            _ => {}
        }
        // Documented: at most 256 blanks stand for a movement past the end.
        self.column = self.column.min(self.cells.len() + 256);
    }

    fn text(&self) -> String {
        let text: String = self.cells.iter().collect();
        if self.is_edited { text.trim_end_matches(' ').to_owned() } else { text }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_decodes_to_the_text_of_the_whole(
        bytes in output(40),
        lengths in vec(1_usize..9, 1..6),
    ) {
        let mut decoder = Decoder::new();
        let mut text = String::new();

        for part in split(&bytes, &lengths) {
            decoder.decode(part, &mut text);
        }
        decoder.finish(&mut text);

        prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_split_of_any_output_gives_the_same_summary(
        bytes in long_output(),
        lengths in vec(1_usize..700, 1..6),
        options in options(),
    ) {
        let mut sink = Sink::new(options.clone());
        for part in split(&bytes, &lengths) {
            sink.push(part);
        }

        prop_assert_eq!(sink.finish(None), summary(&bytes, &options));
    }

    #[test]
    fn a_flood_gives_the_same_summary_when_its_reads_are_kept_as_they_are(
        bytes in flood(),
        lengths in vec(1_usize..3000, 1..6),
        max_bytes in 0_usize..1500,
        options in options(),
    ) {
        let options = SinkOptions { max_bytes, head_bytes: 0, ..options };
        let mut sink = Sink::new(options.clone());
        let mut buffer = vec![b'?'; 3000];
        for part in split(&bytes, &lengths) {
            buffer[..part.len()].copy_from_slice(part);
            sink.push_buffer(&mut buffer, part.len());
            prop_assert_eq!(buffer.len(), 3000);
        }

        prop_assert_eq!(sink.finish(None), summary(&bytes, &options));
    }

    #[test]
    fn looking_at_the_text_on_the_way_does_not_change_it(
        bytes in output(60),
        lengths in vec(1_usize..20, 1..6),
        options in options(),
    ) {
        let options = SinkOptions { update_interval: std::time::Duration::ZERO, ..options };
        let mut sink = Sink::new(options.clone());
        for part in split(&bytes, &lengths) {
            sink.push(part);
            let update = sink.update(Instant::now());
            prop_assert!(update.is_some_and(|update| update.tail.len() <= options.max_bytes + 2));
        }

        prop_assert_eq!(sink.finish(None), summary(&bytes, &options));
    }

    #[test]
    fn plain_text_is_what_a_terminal_shows_of_each_line(bytes in output(60)) {
        prop_assert_eq!(plain_text(&bytes), naive_plain_text(&bytes));
    }

    #[test]
    fn totals_are_those_of_the_raw_stream(bytes in long_output(), options in options()) {
        let kept = summary(&bytes, &options);

        let newlines = bytes.split(|byte| *byte == b'\n').count() - 1;
        let open = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
        prop_assert_eq!(kept.total_bytes, bytes.len() as u64);
        prop_assert_eq!(kept.total_lines, (newlines + open) as u64);
    }

    #[test]
    fn the_text_is_bounded_and_the_end_of_the_whole(bytes in long_output(), max in 0_usize..3000) {
        let options = SinkOptions { max_bytes: max, ..SinkOptions::default() };

        let kept = summary(&bytes, &options);

        let whole = summary(&bytes, &SinkOptions { max_bytes: usize::MAX, ..options }).text;
        prop_assert!(kept.output_bytes <= max as u64);
        if kept.truncated {
            let rest = kept.text.strip_prefix('…').filter(|_| !whole.ends_with(&kept.text));
            let shown = rest.unwrap_or(&kept.text);
            prop_assert!(whole.ends_with(shown));
            prop_assert!(kept.text.len() <= max);
            prop_assert!(kept.text.len() + 3 >= max.min(whole.len()) / 2);
            // What is shown begins a line, or is marked as the rest of one; four bytes have no room for the mark.
            let before = whole.get(..whole.len() - shown.len()).unwrap_or_default();
            prop_assert!(rest.is_some() || before.is_empty() || before.ends_with('\n') || max < 4);
        } else {
            prop_assert_eq!(kept.text, whole);
        }
    }

    #[test]
    fn head_marker_and_tail_stay_within_the_limit(bytes in long_output(), options in options()) {
        let kept = summary(&bytes, &options);

        prop_assert!(kept.text.len() <= options.max_bytes + 2);
        prop_assert!(kept.output_lines <= kept.total_lines);
        prop_assert!(kept.shown_range.end_line <= kept.total_lines);
        prop_assert!(kept.shown_range.start_line <= kept.shown_range.end_line);
    }

    #[test]
    fn no_line_shown_is_longer_than_its_limit(bytes in long_output(), max in 16_usize..300) {
        let options = SinkOptions { max_line_bytes: Some(max), ..SinkOptions::default() };

        let text = summary(&bytes, &options).text;

        prop_assert!(text.split('\n').all(|line| line.len() <= max));
    }

    #[test]
    fn the_spill_file_is_the_input_byte_for_byte(
        bytes in long_output(),
        lengths in vec(1_usize..5000, 1..4),
        max in 0_usize..3000,
    ) {
        let folder = TempDir::new().expect("a scratch folder");
        let path = folder.path().join("spill");
        let options =
            SinkOptions { max_bytes: max, spill_path: Some(path.clone()), ..SinkOptions::default() };
        let mut sink = Sink::new(options);

        for part in split(&bytes, &lengths) {
            sink.push(part);
        }
        let kept = sink.finish(None);

        prop_assert_eq!(kept.spilled, kept.truncated);
        prop_assert_eq!(kept.spill_error, None);
        if kept.truncated {
            prop_assert_eq!(std::fs::read(&path).expect("the spill file"), bytes);
        } else {
            prop_assert!(!path.exists());
        }
    }
}
