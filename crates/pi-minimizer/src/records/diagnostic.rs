//! Diagnostics: a place and a message. The same message at many places is said once with all places.
//!
//! The first occurrence stays as the tool printed it; the places of the others follow on one line,
//! each in one piece, so that `file:line` can be found, clicked and passed on. Messages that differ in
//! one character are different messages.

use super::frame;
use crate::doc::{Doc, OverBudget};
use crate::marker::Kind;
use crate::text::lines;
use crate::text::words::{FixedMap, FixedSet};

/// One parsed line: `src/a.c:3:4: warning: x`, `src/a.ts(3,4): error TS1: x`, `src/a.ts:3:4 - error TS1: x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Diagnostic<'a> {
    /// `src/a.c:3:4` or `src/a.ts(3,4)`.
    pub(crate) place: &'a str,
    /// Everything after it: severity, code, text.
    pub(crate) message: &'a str,
}

/// How a line begins that belongs to the message above or below it, and means nothing without it.
const CONTEXT: [&str; 9] = [
    "note: ",
    "note ",
    "required ",
    "recursively required",
    "In ",
    "in ",
    "declared here",
    "previous ",
    "instantiated",
];

/// Messages shorter than this are not worth a second line.
const MIN_MESSAGE: usize = 12;

/// Reads a diagnostic off a line; nothing where it is none.
pub(crate) fn parse(line: &str) -> Option<Diagnostic<'_>> {
    let body = lines::body(line);
    let at = memchr::memchr2(b':', b'(', body.as_bytes())?;
    // `C:\a.c:3:4` of Windows.
    let at = if at == 1 && body.as_bytes().get(2) == Some(&b'\\') {
        2 + lines::from(body, 2).find([':', '('])?
    } else {
        at
    };
    // Asked of every line of a report: what follows the path is the quicker question.
    if !body.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let path = lines::upto(body, at);
    if path.is_empty() || lines::has_blank(path) || !path.contains(['.', '/']) {
        return None;
    }
    let (_, rest) = lines::number(lines::from(body, at + 1))?;
    let rest = if body.as_bytes().get(at) == Some(&b'(') {
        let rest = rest.strip_prefix(',').and_then(lines::number).map_or(rest, |(_, rest)| rest);
        rest.strip_prefix(')')?
    } else {
        let rest = rest
            .strip_prefix([':', '-', '.'])
            .and_then(lines::number)
            .map_or(rest, |(_, rest)| rest);
        // A range, as in `3:4-9` or `3:4:9`.
        rest.strip_prefix(['-', ':']).and_then(lines::number).map_or(rest, |(_, rest)| rest)
    };
    let message = rest.strip_prefix(": ").or_else(|| rest.strip_prefix(" - "))?.trim_start();
    let place = lines::upto(body, body.len() - rest.len());
    (!message.is_empty()).then_some(Diagnostic { place, message })
}

/// True for a line that begins another run of a tool: messages of two runs are not folded into one.
pub(crate) fn is_barrier(line: &str) -> bool {
    line.starts_with("> ")
        || line.starts_with("make[")
        || line.starts_with("$ ")
        || line.starts_with("FAILED: ")
}

/// What to do with the quoted source of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// The source line stays, carets go.
    Keep,
    /// Source goes as well: the place says where it is.
    Drop,
}

/// Folds equal messages of the whole text, run by run.
pub(crate) fn fold(doc: &mut Doc<'_>, quotes: Quotes) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let mut groups: FixedMap<&str, Vec<usize>> = FixedMap::default();
    let mut order: Vec<&str> = Vec::new();
    for at in 0..doc.len() {
        let line = doc.line(at);
        if is_barrier(line) {
            flush(doc, &mut groups, &mut order);
        }
        if !doc.is_kept(at) {
            continue;
        }
        if let Some(diagnostic) = parse(line)
            && diagnostic.message.len() >= MIN_MESSAGE
            && !lines::starts_with_any(diagnostic.message, &CONTEXT)
        {
            let group = groups.entry(diagnostic.message).or_default();
            if group.is_empty() {
                order.push(diagnostic.message);
            }
            group.push(at);
            let drop = quotes == Quotes::Drop && !is_error(diagnostic.message);
            frame::thin(doc, at + 1, drop);
        }
    }
    flush(doc, &mut groups, &mut order);
    Ok(())
}

fn is_error(message: &str) -> bool {
    message.starts_with("error") || message.starts_with("fatal") || message.contains(" error: ")
}

fn flush<'a>(
    doc: &mut Doc<'a>,
    groups: &mut FixedMap<&'a str, Vec<usize>>,
    order: &mut Vec<&'a str>,
) {
    for message in order.drain(..) {
        let Some(group) = groups.remove(message) else { continue };
        let Some((&first, others)) = group.split_first() else { continue };
        if others.is_empty() {
            continue;
        }
        let mut places: Vec<&str> = Vec::new();
        let mut known: FixedSet<&str> = FixedSet::default();
        let first_place = parse(doc.line(first)).map_or("", |diagnostic| diagnostic.place);
        for &at in others {
            let place = parse(doc.line(at)).map_or("", |diagnostic| diagnostic.place);
            if place != first_place && known.insert(place) {
                places.push(place);
            }
            // A message at a known place is a repeat, as a header prints it for every file that includes it.
            doc.fold(at);
            let after = frame::thin(doc, at + 1, true);
            fold_notes(doc, first, after);
        }
        if !places.is_empty() {
            doc.state("also");
            let line = doc.line(first);
            let indent = lines::upto(line, lines::indent(line));
            doc.replace(first, format!("{line}\n{indent}  also {}", places.join(" ")));
        }
    }
}

/// Lines below a message in which its notes are looked for.
const MAX_NOTES: usize = 60;

/// Drops the notes below a folded message where the first one has the same: their places differ as the
/// places of the message do.
fn fold_notes(doc: &mut Doc<'_>, first: usize, mut at: usize) {
    let mut known: Vec<&str> = Vec::new();
    for below in first + 1..doc.len().min(first + MAX_NOTES) {
        match parse(doc.line(below)) {
            Some(note) if note.message.starts_with("note: ") => known.push(note.message),
            Some(_) => break,
            None => {}
        }
    }
    while parse(doc.line(at)).is_some_and(|note| known.contains(&note.message)) {
        doc.drop_line(at, Kind::Note);
        at = frame::thin(doc, at + 1, true).max(at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Quotes, fold, parse};
    use crate::doc::Doc;

    #[test]
    fn places_are_read_in_three_spellings() {
        for (line, place, message) in [
            ("src/a.c:3:4: warning: x", "src/a.c:3:4", "warning: x"),
            ("src/a.ts(3,4): error TS1: x", "src/a.ts(3,4)", "error TS1: x"),
            ("src/a.ts:3:4 - error TS1: x", "src/a.ts:3:4", "error TS1: x"),
            ("a.py:3: error: x", "a.py:3", "error: x"),
            (r"C:\w\a.c:3:4: error: x", r"C:\w\a.c:3:4", "error: x"),
        ] {
            let found = parse(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.place, found.message), (place, message));
        }
        for line in [
            "error: x",
            "12:30:01 x",
            "http://a.b:80: x",
            "a b.c:3: x",
            "make: *** [x:3: y] Error 1",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn one_message_at_three_places_is_said_once() {
        let text = "a.ts(1,2): error TS1: bad thing here\nb.ts(3,4): error TS1: bad thing here\nb.ts(3,9): error TS1: bad thing here\n";
        let mut doc = Doc::new(text);
        fold(&mut doc, Quotes::Keep).unwrap();
        assert_eq!(
            doc.render(true),
            "a.ts(1,2): error TS1: bad thing here\n  also b.ts(3,4) b.ts(3,9)\n"
        );
    }

    #[test]
    fn runs_of_a_tool_are_not_fused() {
        let text = "a.ts(1,2): error TS1: bad thing here\n> app@1 test\na.ts(1,2): error TS1: bad thing here\n";
        let mut doc = Doc::new(text);
        fold(&mut doc, Quotes::Keep).unwrap();
        assert_eq!(doc.render(true), text);
    }
}
