//! Splits text into lines and measures them; the small vocabulary every filter is written in.
//!
//! Slicing here is total: an offset inside a character or past the end gives the empty string, so a
//! filter that miscounts keeps a line instead of ending the host.

/// The lines of `text` without their line ends and trailing blanks; a final newline adds no line.
pub(crate) fn split(text: &str) -> Vec<&str> {
    pieces(text, trimmed)
}

/// The lines of `text` with all their blanks; a final newline adds no line.
pub(crate) fn split_exactly(text: &str) -> Vec<&str> {
    pieces(text, |line| line)
}

/// Every line after `shape`. The search for line ends is a third of what a text without any format costs, hence `memchr`.
fn pieces<'a>(text: &'a str, shape: impl Fn(&'a str) -> &'a str) -> Vec<&'a str> {
    // Forty bytes are a usual line; a wrong guess costs one more allocation.
    let mut lines = Vec::with_capacity(text.len() / 40 + 1);
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        lines.push(shape(text.get(start..end).unwrap_or("")));
        start = end + 1;
    }
    if start < text.len() {
        lines.push(shape(from(text, start)));
    }
    lines
}

/// `line` without trailing blanks. Nearly every line ends in a byte that is no blank of any script.
fn trimmed(line: &str) -> &str {
    match line.as_bytes().last() {
        Some(byte) if byte.is_ascii_graphic() => line,
        _ => line.trim_end(),
    }
}

/// `line` without its leading blanks: `str::trim_start`, decided by bytes where the line begins in ASCII.
pub(crate) fn body(line: &str) -> &str {
    let bytes = line.as_bytes();
    let at = bytes.iter().position(|byte| *byte != b' ').unwrap_or(bytes.len());
    match bytes.get(at..) {
        // No blank begins like these: ASCII, and the signs that reports draw (U+2080 to U+2FFF).
        Some([b'!'..=b'~', ..] | [0xe2, 0x82..=0xff, ..]) => from(line, at),
        _ => line.trim_start(),
    }
}

/// Width of the leading blanks in bytes.
pub(crate) fn indent(line: &str) -> usize {
    line.len() - body(line).len()
}

/// `line` from byte `at` on.
pub(crate) fn from(line: &str, at: usize) -> &str {
    line.get(at..).unwrap_or("")
}

/// `line` up to byte `at`.
pub(crate) fn upto(line: &str, at: usize) -> &str {
    line.get(..at).unwrap_or("")
}

/// True where a blank of any script stands in `text`.
pub(crate) fn has_blank(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'\t'..=b'\r' | b' '))
        || !text.is_ascii() && text.contains(char::is_whitespace)
}

/// True where `line` begins with one of `prefixes`.
pub(crate) fn starts_with_any(line: &str, prefixes: &[&str]) -> bool {
    let first = line.as_bytes().first();
    // Most lines begin with none of them: one byte tells, without a call for each prefix.
    prefixes.iter().any(|prefix| prefix.as_bytes().first() == first && line.starts_with(prefix))
}

/// True where `line` contains one of `parts`.
pub(crate) fn contains_any(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.contains(part))
}

/// Splits a decimal number off the front.
pub(crate) fn number(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| (upto(text, digits), from(text, digits)))
}

/// Characters tools draw lines with. The first six also have other uses, so they count only where
/// a rule stands between blanks.
const ASCII_RULER: [char; 6] = ['=', '-', '_', '*', '#', '~'];
const DRAWN_RULER: [char; 6] = ['─', '━', '═', '⎯', '╌', '┄'];

/// Characters of a run that are a rule, and how many of them stay.
const RULE: usize = 6;
const SHORT_RULE: usize = 3;

/// A quick look whether a line can hold a rule at all: it is asked for every line of every report.
fn draws(line: &str) -> bool {
    let (mut last, mut run) = (0, 0);
    for byte in line.bytes() {
        if byte >= 0xe2 {
            return contains_any(
                line,
                &["──────", "━━━━━━", "══════", "⎯⎯⎯⎯⎯⎯", "╌╌╌╌╌╌", "┄┄┄┄┄┄"],
            ) || contains_any(
                line,
                &["------", "======", "______", "******", "######", "~~~~~~"],
            );
        }
        run = if byte == last { run + 1 } else { 1 };
        if run >= RULE && matches!(byte, b'=' | b'-' | b'_' | b'*' | b'#' | b'~') {
            return true;
        }
        last = byte;
    }
    false
}

/// Shortens drawn rules of six characters and more to three, as in `=== FAILURES ===`.
///
/// Returns nothing where the line draws none. `x=======y` and git's conflict markers stay.
pub(crate) fn shorten_rules(line: &str) -> Option<String> {
    if line.starts_with("_ _ _ _ _ _") {
        return Some("_ _ _".to_owned());
    }
    if !draws(line) || line == "=======" {
        return None;
    }
    let mut short = String::with_capacity(line.len());
    let mut changed = false;
    for (index, word) in line.split(' ').enumerate() {
        if index > 0 {
            short.push(' ');
        }
        let first = word.chars().next().unwrap_or(' ');
        let plain = ASCII_RULER.contains(&first) && word.chars().all(|c| c == first);
        let mut run = ('\0', 0);
        for c in word.chars() {
            run = if c == run.0 { (c, run.1 + 1) } else { (c, 1) };
            // Three stay of a run that turns out to be long enough.
            if run.1 > SHORT_RULE && (plain && word.len() >= RULE || DRAWN_RULER.contains(&c)) {
                changed = true;
            } else {
                short.push(c);
            }
        }
    }
    changed.then_some(short)
}

#[cfg(test)]
mod tests {
    use super::{shorten_rules, split};

    #[test]
    fn a_final_newline_adds_no_line_and_a_blank_line_stays() {
        assert_eq!(split("a \n\nb\n"), ["a", "", "b"]);
        assert_eq!(split("a"), ["a"]);
        assert!(split("").is_empty());
    }

    #[test]
    fn drawn_rules_shrink_and_conflict_markers_do_not() {
        assert_eq!(
            shorten_rules("========= FAILURES =========").as_deref(),
            Some("=== FAILURES ===")
        );
        assert_eq!(shorten_rules("======="), None);
        assert_eq!(shorten_rules("a=======b"), None);
    }
}
