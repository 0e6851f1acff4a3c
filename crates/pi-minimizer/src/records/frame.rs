//! Quoted source below a diagnostic or an assertion: the lines a tool shows around a place.
//!
//! ```text
//!     2 | before            3   return sum;              |
//!   > 3 | the line              ~~~~~~               3 | the line
//!       |  ^                                           |  ^^^ label
//! ```
//! The line the place points at stays where it is worth its tokens; neighbours and bare carets go. A
//! caret line with words is a label and stays.

use crate::doc::Doc;
use crate::marker::Kind;
use crate::text::lines;

/// Lines a frame may have; a table in a program's output is longer or has no caret.
const MAX_LINES: usize = 24;

/// What a line of a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `  12 | source`, with a `>` in front where the tool points at it.
    Source { pointed: bool },
    /// `     | ^^^^`, nothing but carets.
    Carets,
    /// `     | ^^^ label`.
    Label,
}

/// Thins the frame that begins at line `start` (blank lines before it allowed); `all` drops its source too.
///
/// Returns the line after the frame.
pub(crate) fn thin(doc: &mut Doc<'_>, start: usize, all: bool) -> usize {
    thin_parts(doc, start, all, |doc, at| part(doc.line(at)))
}

/// Thins a frame whose parts someone reads.
fn thin_parts(
    doc: &mut Doc<'_>,
    start: usize,
    all: bool,
    read: impl Fn(&Doc<'_>, usize) -> Option<Part>,
) -> usize {
    let mut at = start;
    while doc.line(at).is_empty() && at < doc.len() && at < start + 2 {
        at += 1;
    }
    if is_tilde(doc.line(at + 1)) && lines::number(lines::body(doc.line(at))).is_some() {
        return thin_tildes(doc, start, at);
    }
    let first = at;
    let (mut pointed, mut underlined) = (false, false);
    while at < doc.len().min(first + MAX_LINES)
        && let Some(part) = read(doc, at)
    {
        match part {
            Part::Source { pointed: here } => pointed |= here,
            Part::Carets | Part::Label => underlined = true,
        }
        at += 1;
    }
    if !pointed && !underlined {
        return start;
    }
    for here in first..at {
        let aimed = match read(doc, here) {
            Some(Part::Source { pointed: true } | Part::Label) => true,
            Some(Part::Source { pointed: false }) if !pointed && here + 1 < at => {
                matches!(read(doc, here + 1), Some(Part::Carets | Part::Label))
            }
            _ => false,
        };
        if !aimed || all {
            doc.drop_line(here, Kind::Excerpt);
        }
    }
    at
}

/// The frame of tsc: a numbered line, and a line of tildes below it.
fn thin_tildes(doc: &mut Doc<'_>, start: usize, first: usize) -> usize {
    let mut at = first;
    while lines::number(lines::body(doc.line(at))).is_some() && is_tilde(doc.line(at + 1)) {
        doc.drop_lines(start..at + 2, Kind::Excerpt);
        at += 2;
    }
    at
}

fn is_tilde(line: &str) -> bool {
    let body = lines::body(line);
    body.starts_with('~') && body.bytes().all(|b| b == b'~')
}

fn part(line: &str) -> Option<Part> {
    let body = lines::body(line);
    // Every line of a report is asked, and nearly all begin with a letter. The last two begin `❯`, `│` and `·`.
    if !matches!(body.as_bytes().first()?, b'0'..=b'9' | b'>' | b'|' | b':' | b'`' | 0xe2 | 0xc2) {
        return None;
    }
    let (pointed, body) = match body.strip_prefix(['>', '❯', '→']) {
        Some(rest) => (true, lines::body(rest)),
        None => (false, body),
    };
    if let Some((_, rest)) = lines::number(body) {
        let rest = lines::body(rest);
        return rest.starts_with(['|', '│']).then_some(Part::Source { pointed });
    }
    // miette draws `   : ^^^`, `   · ───` and closes with a corner.
    let closing = lines::starts_with_any(body, &["`----", "╰────"]);
    let rest = if closing { "" } else { body.strip_prefix(['|', '│', ':', '·'])? };
    if body.starts_with([':', '·']) && body.len() == line.len() {
        return None;
    }
    if line.starts_with(['|', '│']) && pointed {
        return None;
    }
    Some(if has_letters(rest) { Part::Label } else { Part::Carets })
}

fn has_letters(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphanumeric())
        || !text.is_ascii() && text.contains(char::is_alphanumeric)
}

/// Thins every frame of a text in which a tool points at a line or underlines it.
pub(crate) fn thin_everywhere(doc: &mut Doc<'_>) {
    // Read once: of a long table each line could begin a frame, and none does.
    let parts: Vec<Option<Part>> = doc.lines.iter().map(|line| part(line)).collect();
    let read = |_: &Doc<'_>, at: usize| parts.get(at).copied().flatten();
    let mut at = 0;
    while at < doc.len() {
        let end = if read(doc, at).is_some() { thin_parts(doc, at, false, read) } else { at };
        at = end.max(at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::thin_everywhere;
    use crate::doc::Doc;

    fn thinned(text: &str) -> String {
        let mut doc = Doc::new(text);
        thin_everywhere(&mut doc);
        doc.render(true)
    }

    #[test]
    fn the_line_a_tool_points_at_stays() {
        assert_eq!(thinned("x\n  2 | a\n> 3 | b\n    | ^\n  4 | c\n"), "x\n> 3 | b\n");
    }

    #[test]
    fn the_underlined_line_and_its_label_stay() {
        assert_eq!(thinned("x\n   |\n 3 | b\n   | ^^ bad\n   |\n"), "x\n 3 | b\n   | ^^ bad\n");
    }

    #[test]
    fn a_table_is_no_frame() {
        let table = "1 | a\n2 | b\n";
        assert_eq!(thinned(table), table);
    }
}
