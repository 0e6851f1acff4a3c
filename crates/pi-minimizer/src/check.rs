//! Verifies a rewritten output against the text it came from, before anyone sees it.
//!
//! Filters are code and formats drift, so no result is trusted. By construction what no filter marked
//! stands in place; what remains to be shown is that nothing a reader needs went with the rest, and
//! that no replacement says what the program did not. The checks know no family: they compare words.
//! A failed check costs tokens (the lossless text is used), never a fact.

use crate::doc::{Doc, Mark};
use crate::marker::{self, Kind};
use crate::text::any_of::AnyOf;
use crate::text::lines;
use crate::text::words::{self, FixedSet, Words};
use regex::Regex;
use std::sync::LazyLock;

/// Why a result is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Nothing is left of a text that said something.
    Empty,
    /// An error, warning or failure is gone, with the line.
    LostError(String),
    /// A `file:line` of such a line is gone, with the location.
    LostLocation(String),
    /// A replacement contains a word the text does not have.
    InventedWord(String),
    /// The result is not enough shorter to be worth a notice.
    NoGain,
}

/// What a family's rewriting may do to numbers and places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Repeated events may differ in numbers and identifiers: words with digits are not compared.
    pub(crate) masked: bool,
    /// Locations of removed lines must stay in one piece.
    pub(crate) locations: bool,
}

impl Policy {
    /// Exact words, locations in one piece.
    pub(crate) const STRICT: Self = Self { masked: false, locations: true };
    /// Exact words; paths are factored out into headings.
    pub(crate) const REGROUPED: Self = Self { masked: false, locations: false };
    /// Events by template.
    pub(crate) const MASKED: Self = Self { masked: true, locations: false };

    /// The weaker of two, where two families worked on one text.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { masked: self.masked || other.masked, locations: self.locations && other.locations }
    }
}

/// Bytes a lossy result must save: about 64 tokens, which a notice and the doubt are worth.
const MIN_SAVED_BYTES: usize = 192;

/// Parts of which one stands in every line that a pattern below matches: most lines have none, and are asked no further.
/// None has a letter that another script writes as well (`K` of Kelvin, the long `s`).
static MAYBE: AnyOf<22> = AnyOf::folded([
    "error",
    "fail",
    "fatal",
    "panic",
    "exception",
    "tracebac",
    "warn",
    "undefined",
    "conflict",
    "reject",
    "ed by",
    "illed",
    "egmentation",
    "egfault",
    "cannot",
    "an't",
    "ould not",
    "denied",
    "not found",
    "unre",
    "abort",
    "out of mem",
]);

/// Words by which a line says that something is wrong, wherever in a word they stand.
static TROUBLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)error|fail|fatal|panic|exception|traceback|warn|undefined reference|conflict|reject|caused by|killed|segmentation|segfault|cannot|can't|could not|denied|not found|unresolved|abort|out of memory",
    )
    .ok()
});

/// The same as whole words, for lines that name packages and files: `thiserror` is no error.
static TROUBLE_WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[\s\[(])(?:error|errors|failed|failure|failures|fatal|panicked|exception|traceback|conflict|rejected|killed|denied|aborted|cannot|unresolved|warn|warning|warnings)(?:$|[\s:\])!,.])",
    )
    .ok()
});

/// A message in the first column, whatever the line was taken for.
static ALARM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?i:error|fatal|warning|panic|failed|failure)(?:\[\w+\])?:").ok()
});

/// Verifies the rendering `text` of `doc`.
pub(crate) fn verify(doc: &Doc<'_>, text: &str, policy: Policy) -> Result<(), Doubt> {
    if text.trim().is_empty() && doc.lines.iter().any(|line| !line.is_empty()) {
        return Err(Doubt::Empty);
    }
    no_invented_word(doc)?;
    let suspects: Vec<&str> = (0..doc.len())
        .filter(|at| is_suspect(doc.mark(*at), doc.line(*at)))
        .map(|at| doc.line(at))
        .collect();
    let compared = |word: &&str| !(policy.masked && word.bytes().any(|b| b.is_ascii_digit()));
    let words = |line| words::words(without_percentage(line)).filter(compared);
    // What the suspects say is struck off while the result says it: it is the shorter of the two lists, and mostly
    // ends before the result does.
    let mut lost: FixedSet<&str> = suspects.iter().copied().flat_map(words).collect();
    strike(&mut lost, words::words(text));
    let mut astray: FixedSet<&str> = FixedSet::default();
    if policy.locations {
        astray.extend(suspects.iter().copied().flat_map(locations));
        strike(&mut astray, locations(text));
    }
    if lost.is_empty() && astray.is_empty() {
        return Ok(());
    }
    for line in suspects {
        if words(line).any(|word| lost.contains(word)) {
            return Err(Doubt::LostError(line.to_owned()));
        }
        if let Some(place) = locations(line).find(|place| astray.contains(place)) {
            return Err(Doubt::LostLocation(place.to_owned()));
        }
    }
    Ok(())
}

/// Takes what is `found` off a list, until nothing is on it.
fn strike<'a>(list: &mut FixedSet<&'a str>, found: impl Iterator<Item = &'a str>) {
    let mut found = found;
    while !list.is_empty()
        && let Some(item) = found.next()
    {
        list.remove(item);
    }
}

/// True where a result of this size is worth the notice.
pub(crate) fn gains(before: usize, after: usize) -> bool {
    before.saturating_sub(after) >= MIN_SAVED_BYTES.max(before / 10)
}

/// A line without the progress column at its end, as in `tests/a.py::b FAILED  [ 97%]`.
fn without_percentage(line: &str) -> &str {
    match line.strip_suffix("%]").and_then(|front| front.rsplit_once('[')) {
        Some((front, digits)) if digits.trim().bytes().all(|b| b.is_ascii_digit()) => front,
        _ => line,
    }
}

/// Does the removal of this line have to be justified?
fn is_suspect(mark: &Mark, line: &str) -> bool {
    let pattern = match mark {
        Mark::Drop(Kind::Passing) => {
            // TAP's `not ok` has the mark of a success in it.
            let failed = lines::body(line).starts_with("not ok");
            return failed
                || MAYBE.stands_in(line) && matches(&TROUBLE, line) && !SUCCESS.stands_in(line);
        }
        // Quoted source, library frames and generated bodies are productions of their own: a word in
        // them is a name, not a message.
        Mark::Keep | Mark::Drop(Kind::Generated | Kind::Body) => return false,
        Mark::Drop(Kind::Excerpt | Kind::Frame | Kind::Hint | Kind::Note | Kind::Entry) => {
            // The pattern begins with one of these letters, and most lines do not.
            if !line.starts_with(['e', 'E', 'f', 'F', 'w', 'W', 'p', 'P']) {
                return false;
            }
            &ALARM
        }
        // A replacement says its line again; only a message in it has to be there word for word.
        Mark::Drop(Kind::Progress | Kind::Header | Kind::Trailer | Kind::Deduped)
        | Mark::Replace(_) => &TROUBLE_WORD,
        Mark::Drop(_) | Mark::Folded => &TROUBLE,
    };
    MAYBE.stands_in(line) && matches(pattern, line)
}

fn matches(pattern: &LazyLock<Option<Regex>>, line: &str) -> bool {
    // A pattern that does not compile would disarm the check: then everything is suspect.
    pattern.as_ref().is_none_or(|pattern| pattern.is_match(line))
}

/// An oracle of its own for "this passed", apart from the filters that say so.
static SUCCESS: AnyOf<17> = AnyOf::new([
    "✓",
    "✔",
    "√",
    "PASSED",
    "PASS",
    "... ok",
    "Passed",
    "passed",
    "ok ",
    "[ OK ]",
    "[       OK ]",
    "SUCCESS",
    "ok\t",
    " ok",
    "[  PASSED  ]",
    "[----------]",
    "Failures: 0, Errors: 0",
]);

fn no_invented_word(doc: &Doc<'_>) -> Result<(), Doubt> {
    let mut said: FixedSet<&str> = FixedSet::default();
    for at in 0..doc.len() {
        if let Mark::Replace(text) = doc.mark(at) {
            // Most replacements leave out words of their own line and add few.
            let mut own = words::words(doc.line(at));
            for line in text.lines().filter(|line| !marker::is_marker(line)) {
                let other = words::words(line).filter(|word| !skip_to(&mut own, word));
                said.extend(other.filter(|word| !is_count(word) && !doc.states(word)));
            }
        }
    }
    strike(&mut said, doc.lines.iter().flat_map(|line| words::words(line)));
    match said.into_iter().min() {
        Some(word) => Err(Doubt::InventedWord(word.to_owned())),
        None => Ok(()),
    }
}

/// Words of a line that a replacement may leave out at one place and still be read beside it.
const LEFT_OUT: usize = 12;

/// Moves `words` behind the next `word`; false, and nothing moves, where it does not come soon.
fn skip_to(words: &mut Words<'_>, word: &str) -> bool {
    let mut ahead = words.clone();
    let found = ahead.by_ref().take(LEFT_OUT).any(|own| own == word);
    if found {
        *words = ahead;
    }
    found
}

/// `x12`, the count of a repeat.
fn is_count(word: &str) -> bool {
    word.strip_prefix('x')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The places a line names, in one piece: `src/a.rs:3:14`, `a.ts(3,14)`, `app.py:12`.
pub(crate) fn locations(line: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '[' | ']' | '<' | '>');
    memchr::memchr2_iter(b':', b'(', line.as_bytes()).filter_map(move |at| {
        let place = lines::from(line, at + 1);
        if !place.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        // No further back than to the sign before: a long text without blanks is not read again for each of its places.
        let front = lines::upto(line, at);
        let path = front.rsplit(|c: char| ends(c) || matches!(c, ':' | '(')).next().unwrap_or("");
        let before = lines::upto(front, front.len() - path.len()).trim_end_matches('(');
        if !before.is_empty() && !before.ends_with(ends) {
            return None;
        }
        let named = path.contains('.')
            && !path.contains("//")
            && path.bytes().any(|b| b.is_ascii_alphabetic());
        if !named {
            return None;
        }
        let digits =
            place.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b':' | b',')).count();
        let end = at + 1 + digits;
        line.get(at - path.len()..end).map(|place| place.trim_end_matches([':', ',']))
    })
}

#[cfg(test)]
mod tests {
    use super::{Doubt, Policy, locations, verify};
    use crate::doc::Doc;
    use crate::marker::Kind;

    fn verdict(text: &str, edit: impl Fn(&mut Doc<'_>)) -> Result<(), Doubt> {
        let mut doc = Doc::new(text);
        edit(&mut doc);
        verify(&doc, &doc.render(true), Policy::STRICT)
    }

    #[test]
    fn a_dropped_error_is_noticed_unless_its_words_stand_elsewhere() {
        let lost = verdict("error: bad thing\nok\n", |doc| doc.drop_line(0, Kind::Line));
        assert_eq!(lost, Err(Doubt::LostError("error: bad thing".to_owned())));
        let repeated =
            verdict("error: bad\nbad error again\n", |doc| doc.drop_line(0, Kind::Repeat));
        assert_eq!(repeated, Ok(()));
    }

    #[test]
    fn a_dropped_not_ok_is_no_pass() {
        let lost = verdict("not ok 2 - top level\nx\n", |doc| doc.drop_line(0, Kind::Passing));
        assert_eq!(lost, Err(Doubt::LostError("not ok 2 - top level".to_owned())));
    }

    #[test]
    fn progress_that_names_an_error_crate_is_no_error() {
        let verdict =
            verdict("   Compiling thiserror v2.0.0\nx\n", |doc| doc.drop_line(0, Kind::Progress));
        assert_eq!(verdict, Ok(()));
    }

    #[test]
    fn a_location_may_not_fall_apart() {
        let verdict = verdict("a.c:3:4: error: x\n", |doc| doc.replace(0, "error: x\n a.c 3 4"));
        assert_eq!(verdict, Err(Doubt::LostLocation("a.c:3:4".to_owned())));
    }

    #[test]
    fn a_replacement_may_not_invent() {
        let verdict = verdict("3 tests failed\n", |doc| doc.replace(0, "3 tests passed"));
        assert_eq!(verdict, Err(Doubt::InventedWord("passed".to_owned())));
    }

    #[test]
    fn nothing_left_is_a_doubt() {
        assert_eq!(verdict("x\n", |doc| doc.drop_line(0, Kind::Progress)), Err(Doubt::Empty));
    }

    #[test]
    fn locations_are_read_in_the_spellings_of_tools() {
        let found: Vec<&str> =
            locations("at f (src/a.ts:3:14) b.ts(6,34): app.py:12: http://x.y:80 v1.2:3").collect();
        assert_eq!(found, ["src/a.ts:3:14", "b.ts(6,34", "app.py:12", "v1.2:3"]);
    }
}
