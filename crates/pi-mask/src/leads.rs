//! Finds where something may begin, in text that is not looked at byte by byte.
//!
//! Values, labels and keys have a few bytes each that vector code searches for, all at once. Tokens have too many
//! beginnings for that, and letters of any text look like them; but a token is long, and words are not. So one byte in 25
//! is looked at, and where a run of that many characters of tokens stands around it, the places in it where one can begin
//! are compared with the beginnings of tokens. In the middle of a word none can.

use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use memchr::memmem::Finder;

use super::shapes::{SHAPES, Shape};
use super::{pem, url};

/// Length of the shortest token that is looked for as a run: `glrt-` and 20 characters.
const LEAST_TOKEN: usize = 25;

/// Bytes that the vector search looks for. With fewer, ordinary text looks like them.
const LEAD_BYTES: usize = 4;

/// Most beginnings that the vector search takes.
const MAX_LEADS: usize = 127;

/// Bytes at the beginning of a run that may belong to what stands before a token: the end of a colour (`31m`), of an
/// escape (`\n`), of an encoded character (`%3D`).
const MARGIN: usize = 5;

/// Bytes that are compared at once.
const BLOCK_BYTES: usize = 16;

/// Bytes at the end of a text that may be a part of a label, of the beginning of a key, or of a token.
const TAIL_BYTES: usize = 24;

const _: () = assert!(LEAST_TOKEN <= TAIL_BYTES + 1);

/// The bytes of each label, and of the shortest tokens, that are rarest in texts, by their place.
const RAREST: &[(&[u8], usize)] = &[
    (pem::PREFIX, 5),
    // Shorter than the runs that are looked for.
    (b"AKIA", 0),
    (b"ASIA", 0),
    (b"secret_access_key", 5),
    (b"SECRET_ACCESS_KEY", 5),
    (b"SecretAccessKey", 5),
    (b"secretAccessKey", 5),
    (b"AccountKey", 5),
    (b"SharedAccessKey", 5),
    (b"hooks.slack.com/services", 4),
];

/// The searches of one mask.
pub(super) struct Leads {
    /// Parts of values and labels. `None`: there are none, or too many.
    parts: Option<Searcher>,
    /// Bytes of the needle before each part.
    before: Vec<usize>,
    url: Option<Finder<'static>>,
    tokens: Option<Tokens>,
    /// There are too many values: each byte is to be looked at.
    is_everything: bool,
}

impl Leads {
    /// The searches for `values`, and for tokens where `shapes` are wanted.
    pub(super) fn new(values: &[&[u8]], shapes: bool) -> Self {
        let mut parts: Vec<(&[u8], usize)> =
            values.iter().map(|value| (value.get(..LEAD_BYTES).unwrap_or(value), 0)).collect();
        if shapes {
            parts.extend(RAREST.iter().filter_map(|(label, before)| {
                Some((label.get(*before..before + LEAD_BYTES)?, *before))
            }));
        }
        parts.sort_unstable();
        // Of equal ones the one that begins first.
        parts.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.max(next.1);
            }
            is_same
        });
        let is_few = parts.len() <= MAX_LEADS;
        let mut builder = packed::Config::new().heuristic_pattern_limits(false).builder();
        builder.extend(parts.iter().map(|(part, _)| part));
        let searcher = if is_few { builder.build() } else { None };
        Self {
            is_everything: searcher.is_none() && !parts.is_empty(),
            parts: searcher,
            before: parts.iter().map(|(_, before)| *before).collect(),
            url: shapes.then(|| Finder::new(url::PREFIX)),
            tokens: shapes.then(Tokens::new),
        }
    }
}

/// Goes through one piece of text, forwards. Each search remembers what it found.
pub(super) struct Lookout<'a> {
    leads: &'a Leads,
    text: &'a [u8],
    part: usize,
    url: usize,
    token: usize,
    /// The run of characters of tokens under way.
    run: Range<usize>,
}

impl<'a> Lookout<'a> {
    /// At the beginning of `text`.
    pub(super) fn new(leads: &'a Leads, text: &'a [u8]) -> Self {
        // Below any place: nothing was searched for.
        Self { leads, text, part: 0, url: 0, token: 0, run: 0..0 }
    }

    /// The next place from `from` on where something may begin. `text.len()`: nothing does.
    pub(super) fn next(&mut self, from: usize) -> usize {
        if self.leads.is_everything {
            return from;
        }
        let tail = self.text.len().saturating_sub(TAIL_BYTES).max(from);
        let is_stale = |place: usize| place <= from;
        if is_stale(self.part) {
            self.part = self.next_part(from);
        }
        if is_stale(self.url) {
            self.url = self.next_url(from);
        }
        if is_stale(self.token) {
            self.token = self.next_token(from);
        }
        tail.min(self.part).min(self.url).min(self.token)
    }

    fn next_part(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let Some(found) = self.leads.parts.as_ref().and_then(|parts| parts.find(rest)) else {
            return self.text.len();
        };
        let before = self.leads.before.get(found.pattern().as_usize()).copied();
        (from + found.start()).saturating_sub(before.unwrap_or_default()).max(from)
    }

    fn next_url(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let found = self.leads.url.as_ref().and_then(|url| url.find(rest));
        found.map_or(self.text.len(), |at| from + at)
    }

    fn next_token(&mut self, from: usize) -> usize {
        let Some(tokens) = &self.leads.tokens else { return self.text.len() };
        let mut from = from;
        loop {
            if let Some(place) = tokens.beginning(self.text, &self.run, from) {
                return place;
            }
            from = from.max(self.run.end);
            if from >= self.text.len() {
                return self.text.len();
            }
            self.run = tokens.run(self.text, from);
        }
    }
}

/// What tells that a byte is one of a token, and that two bytes begin one.
struct Tokens {
    is_token: [bool; 256],
    /// By the first byte of a token: the second bytes.
    begins: Vec<Vec<u8>>,
}

impl Tokens {
    fn new() -> Self {
        let mut begins = vec![Vec::new(); 256];
        for shape in SHAPES.iter().filter(|shape| !is_part(shape)) {
            if let [first, second, ..] = shape.prefix
                && let Some(seconds) = begins.get_mut(usize::from(*first))
            {
                seconds.push(*second);
            }
        }
        let mut table = [false; 256];
        for (byte, slot) in (0..=u8::MAX).zip(&mut table) {
            *slot = is_token(byte);
        }
        Self { is_token: table, begins }
    }

    fn is_token(&self, byte: u8) -> bool {
        self.is_token.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Whether a token may begin with the first two of these bytes.
    fn begins(&self, text: &[u8]) -> bool {
        let [first, second, ..] = text else { return false };
        self.begins.get(usize::from(*first)).is_some_and(|seconds| seconds.contains(second))
    }

    /// The next place from `from` on where a token may begin in `run`.
    fn beginning(&self, text: &[u8], run: &Range<usize>, from: usize) -> Option<usize> {
        let begins = |place: &usize| self.begins(text.get(*place..).unwrap_or_default());
        let margin = run.start..run.end.min(run.start + MARGIN);
        // Behind a separator: in the middle of a word no token begins.
        let behind = from.max(margin.end);
        let rest = text.get(behind.saturating_sub(1)..run.end).unwrap_or_default();
        let separators = memchr::memchr3_iter(b'_', b'-', b'.', rest);
        (margin.start.max(from)..margin.end)
            .chain(separators.map(|separator| behind + separator))
            .find(begins)
    }

    /// The next run from `from` on that a token has room in. Empty at the end of the text if there is none: what goes on
    /// past the text is in its tail.
    fn run(&self, text: &[u8], from: usize) -> Range<usize> {
        let mut low = from;
        while let Some(near) = text.get(low..low + LEAST_TOKEN) {
            let start = low + LEAST_TOKEN;
            let run = near.iter().rev().take_while(|byte| self.is_token(**byte)).count();
            if run == LEAST_TOKEN {
                let rest = text.get(start..).unwrap_or_default();
                return low..start + self.length(rest);
            }
            low = start - run;
        }
        text.len()..text.len()
    }

    /// Length of the run that `text` begins with.
    fn length(&self, text: &[u8]) -> usize {
        // Whole blocks without a branch for each byte: data has long runs.
        let is_whole = |block: &&[u8]| block.iter().fold(true, |all, byte| all & is_token(*byte));
        let blocks = text.chunks_exact(BLOCK_BYTES).take_while(is_whole);
        let length = BLOCK_BYTES * blocks.count();
        let rest = text.get(length..).unwrap_or_default();
        length + rest.iter().take_while(|byte| self.is_token(**byte)).count()
    }
}

/// Whether the vector search looks for a token of this shape.
fn is_part(shape: &Shape) -> bool {
    RAREST.iter().any(|(label, _)| *label == shape.prefix)
}

/// Characters of tokens: letters, digits and separators. Without a branch, so that it is done for many bytes at once.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch")]
const fn is_token(byte: u8) -> bool {
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let is_digit = byte.wrapping_sub(b'0') < 10;
    is_letter | is_digit | (byte == b'_') | (byte == b'-') | (byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_and_each_shortest_token_is_found_by_what_is_searched_for() {
        let leads = Leads::new(&[], true);
        let filler = "word ".repeat(20);
        for shape in SHAPES {
            let token = [shape.prefix, &b"aB3d".repeat(25)[..shape.least_length()]].concat();
            let text = [filler.as_bytes(), b"=", &token, b"\n", filler.as_bytes()].concat();

            let place = Lookout::new(&leads, &text).next(0);

            assert!(place <= filler.len() + 1, "{}: {place}", shape.name);
            assert!(place >= filler.len(), "{}: {place}", shape.name);
        }
    }

    #[test]
    fn ordinary_words_are_passed_over() {
        let leads = Leads::new(&[b"s3cret-value"], true);
        for line in [
            "the quick brown fox, some/path/to/file.rs: task-runner --help\n",
            "a_name-of.many_parts_that-is_long\n",
            // What begins a token, in the middle of a word.
            "zzzzzghghghghghghghghghghghghghghghghghghghghghghghghghghghghghghghgh\n",
        ] {
            let text = line.repeat(50);

            let place = Lookout::new(&leads, text.as_bytes()).next(0);

            assert_eq!(place, text.len() - TAIL_BYTES, "{line}");
        }
    }

    #[test]
    fn a_token_is_found_behind_a_word_of_any_length_and_behind_a_separator_in_it() {
        let leads = Leads::new(&[], true);
        let token = format!("ghp_{}", "aB3d".repeat(9));
        let after = " word".repeat(20);
        for length in 1..70 {
            for between in ["=", "  ", "_", "-", "."] {
                let before = format!("{}{between}", "z".repeat(length));
                let text = format!("{before}{token}{after}");

                let place = Lookout::new(&leads, text.as_bytes()).next(0);

                assert_eq!(place, before.len(), "{text}");
            }
        }
    }

    #[test]
    fn letters_digits_and_separators_are_characters_of_tokens() {
        let all: String = (0..=u8::MAX).filter(|byte| is_token(*byte)).map(char::from).collect();
        let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        assert_eq!(all, format!("-.0123456789{capitals}_{}", capitals.to_ascii_lowercase()));
    }

    #[test]
    fn labels_and_what_is_shorter_than_a_run_have_a_search_of_their_own() {
        for shape in SHAPES {
            let is_long = shape.prefix.len() + shape.least_length() >= LEAST_TOKEN;
            assert!(is_part(shape) || (is_long && !shape.is_labelled), "{}", shape.name);
        }
    }
}
