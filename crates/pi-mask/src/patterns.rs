//! Everything that is looked for, compiled once: one automaton for all beginnings, and searches for where it is to begin.
//!
//! The automaton (Aho-Corasick) finds values whole and tokens by their prefix; what follows a prefix is looked at by
//! `shapes.rs`, `url.rs` and `pem.rs`. In ordinary text hardly anything begins, so most bytes are only seen by the searches
//! of `leads.rs`. Both are linear in the text, whatever the values are.

use std::collections::HashMap;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

use super::leads::{Leads, Lookout};
use super::shapes::SHAPES;
use super::{MaskOptions, TooManyValues, pem, url, values};

/// Most values. Each has up to ten forms.
const MAX_VALUES: usize = 256;

/// Most bytes of all values together: what the automaton takes grows with them.
const MAX_TOTAL_BYTES: usize = 128 * 1024;

/// Longest name in a marker, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Bytes of a value that say nothing about it.
const HARMLESS_BYTES: usize = 3;

/// The name of a password in a URL, in markers.
const URL_PASSWORD: &str = "url-password";

/// The name of a block in PEM.
const PRIVATE_KEY: &str = "private-key";

/// What a needle of the automaton begins or is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needle {
    /// A whole value.
    Value,
    /// A token, by its place in `SHAPES`.
    Shape(usize),
    /// A URL.
    Url,
    /// A private key.
    Pem,
}

/// A needle, and how what it finds is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    pub(super) needle: Needle,
    pub(super) length: usize,
    /// Its place in `names`.
    pub(super) name: usize,
}

/// What the automaton has read in a state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Begun {
    /// Bytes that may be the beginning of something.
    pub(super) length: usize,
    /// Bytes of those that can be shown: public ones, or too few to say anything.
    pub(super) harmless: usize,
}

/// What is looked for.
pub(super) struct Patterns {
    automaton: NFA,
    start: StateID,
    sought: Vec<Sought>,
    /// Names in markers, each once.
    pub(super) names: Vec<String>,
    begun: HashMap<StateID, Begun>,
    leads: Leads,
}

impl Patterns {
    /// Compiles what `options` ask for. `None`: nothing is looked for.
    pub(super) fn new(options: &MaskOptions) -> Result<Option<Self>, TooManyValues> {
        check(options)?;
        let mut list = Needles::default();
        for value in &options.values {
            let name = shown_name(&value.name);
            if let Some(secret) = values::secret_of(&value.value)
                && !is_allowed(&value.name, &options.allow)
            {
                for form in values::forms_of(secret) {
                    list.add(Needle::Value, form, &name);
                }
            }
        }
        if options.shapes {
            list.add_shapes(&options.allow);
        }
        if list.bytes.is_empty() {
            return Ok(None);
        }
        Self::compile(list).map(Some)
    }

    fn compile(list: Needles) -> Result<Self, TooManyValues> {
        // The values are in none of the errors that these give: they are about sizes.
        let invalid = |reason: String| TooManyValues { reason };
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(&list.bytes)
            .map_err(|error| invalid(format!("cannot be compiled: {error}")))?;
        let start = automaton
            .start_state(Anchored::No)
            .map_err(|error| invalid(format!("cannot be compiled: {error}")))?;
        let begun = begun_of(&automaton, start, &list);
        let is_value = |sought: &Sought| matches!(sought.needle, Needle::Value);
        let of_values = list.bytes.iter().zip(&list.sought).filter(|(_, sought)| is_value(sought));
        let values: Vec<&[u8]> = of_values.map(|(bytes, _)| bytes.as_slice()).collect();
        let leads = Leads::new(&values, !list.sought.iter().all(is_value));
        let Needles { sought, names, .. } = list;
        Ok(Self { automaton, start, sought, names, begun, leads })
    }

    /// The state before any byte.
    pub(super) fn start(&self) -> StateID {
        self.start
    }

    /// The state after `byte`.
    pub(super) fn next(&self, state: StateID, byte: u8) -> StateID {
        self.automaton.next_state(Anchored::No, state, byte)
    }

    /// What ends in a state, the longest first.
    pub(super) fn ending(&self, state: StateID) -> impl Iterator<Item = Sought> + '_ {
        let count =
            if self.automaton.is_match(state) { self.automaton.match_len(state) } else { 0 };
        (0..count).filter_map(move |index| {
            let pattern = self.automaton.match_pattern(state, index);
            self.sought.get(pattern.as_usize()).copied()
        })
    }

    /// What may have begun in a state.
    pub(super) fn begun(&self, state: StateID) -> Begun {
        self.begun.get(&state).copied().unwrap_or_default()
    }

    /// Finds where something may begin in `text`.
    pub(super) fn lookout<'a>(&'a self, text: &'a [u8]) -> Lookout<'a> {
        Lookout::new(&self.leads, text)
    }
}

/// Needles in the order of the automaton.
#[derive(Default)]
struct Needles {
    bytes: Vec<Vec<u8>>,
    sought: Vec<Sought>,
    names: Vec<String>,
}

impl Needles {
    fn add(&mut self, needle: Needle, bytes: Vec<u8>, name: &str) {
        let known = self.names.iter().position(|other| other == name);
        let name = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.sought.push(Sought { needle, length: bytes.len(), name });
        self.bytes.push(bytes);
    }

    fn add_shapes(&mut self, allow: &[String]) {
        for (index, shape) in SHAPES.iter().enumerate() {
            if !is_allowed(shape.name, allow) {
                self.add(Needle::Shape(index), shape.prefix.to_vec(), shape.name);
            }
        }
        if !is_allowed(URL_PASSWORD, allow) {
            self.add(Needle::Url, url::PREFIX.to_vec(), URL_PASSWORD);
        }
        if !is_allowed(PRIVATE_KEY, allow) {
            self.add(Needle::Pem, pem::PREFIX.to_vec(), PRIVATE_KEY);
        }
    }
}

/// How far each state is into a needle: the states on the way of each are walked once.
fn begun_of(automaton: &NFA, start: StateID, list: &Needles) -> HashMap<StateID, Begun> {
    let mut begun: HashMap<StateID, Begun> = HashMap::new();
    for (bytes, sought) in list.bytes.iter().zip(&list.sought) {
        let mut state = start;
        for (index, byte) in bytes.iter().enumerate() {
            state = automaton.next_state(Anchored::No, state, *byte);
            let length = index + 1;
            let is_public = !matches!(sought.needle, Needle::Value);
            let harmless = if is_public { length } else { length.min(HARMLESS_BYTES) };
            let known = begun.entry(state).or_default();
            known.length = length;
            known.harmless = known.harmless.max(harmless);
        }
    }
    // What is whole waits for nothing, unless it is the beginning of something longer: then only its own end counts.
    let mut by_length: Vec<&[u8]> = list.bytes.iter().map(Vec::as_slice).collect();
    by_length.sort_unstable_by_key(|bytes| bytes.len());
    for bytes in &by_length {
        let goes_on =
            by_length.iter().any(|other| other.len() > bytes.len() && other.starts_with(bytes));
        if !goes_on {
            let end = walk(automaton, start, bytes.get(1..).unwrap_or_default());
            let rest = begun.get(&end).copied().unwrap_or_default();
            begun.insert(walk(automaton, start, bytes), rest);
        }
    }
    begun
}

fn walk(automaton: &NFA, start: StateID, bytes: &[u8]) -> StateID {
    bytes.iter().fold(start, |state, byte| automaton.next_state(Anchored::No, state, *byte))
}

fn check(options: &MaskOptions) -> Result<(), TooManyValues> {
    let invalid = |reason: String| Err(TooManyValues { reason });
    let count = options.values.len();
    if count > MAX_VALUES {
        return invalid(format!("has {count} values; give at most {MAX_VALUES}"));
    }
    let total: usize = options.values.iter().map(|value| value.value.len()).sum();
    if total > MAX_TOTAL_BYTES {
        return invalid(format!("has {total} bytes in all; give at most {MAX_TOTAL_BYTES}"));
    }
    Ok(())
}

/// A name as it stands in a marker: nothing that ends the marker or the line.
fn shown_name(name: &str) -> String {
    let shown: String = name
        .chars()
        .filter(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
        })
        .take(MAX_NAME_BYTES)
        .collect();
    if shown.is_empty() { "value".to_owned() } else { shown }
}

/// Whether one of the patterns is `name`; `*` stands for any run of characters.
fn is_allowed(name: &str, allow: &[String]) -> bool {
    allow.iter().any(|pattern| matches_pattern(name, pattern))
}

fn matches_pattern(name: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(found) = rest.find(piece) else { return false };
        rest = rest.get(found + piece.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MaskedValue;

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        for (name, pattern, is_match) in [
            ("AZURE_ID", "AZURE_ID", true),
            ("AZURE_ID", "AZURE_", false),
            ("AZURE_ID", "AZURE_*", true),
            ("AZURE_ID", "*_ID", true),
            ("AZURE_ID", "*", true),
            ("AZURE_ID", "A*R*D", true),
            ("AZURE_ID", "A*R*R*D", false),
            ("AZURE_ID", "A*X*D", false),
            ("AZURE_ID", "Z*", false),
            ("AZURE_ID", "*X", false),
            ("ABCBC", "A*BC*C", true),
            ("ABC", "AB*BC", false),
            ("", "", true),
            ("A", "", false),
        ] {
            assert_eq!(matches_pattern(name, pattern), is_match, "{name}, {pattern}");
        }
    }

    #[test]
    fn a_marker_s_name_ends_neither_the_marker_nor_the_line() {
        assert_eq!(shown_name("A-b_c.9"), "A-b_c.9");
        assert_eq!(shown_name("A]\n b é"), "Ab");
        assert_eq!(shown_name("[]"), "value");
        assert_eq!(shown_name(&"x".repeat(MAX_NAME_BYTES + 1)), "x".repeat(MAX_NAME_BYTES));
    }

    #[test]
    fn so_many_values_and_bytes_are_taken_and_no_more() {
        let taken = |count: usize, bytes: usize| {
            let value = MaskedValue { name: "N".to_owned(), value: "x".repeat(bytes) };
            check(&MaskOptions { values: vec![value; count], ..MaskOptions::default() }).is_ok()
        };
        assert!(taken(MAX_VALUES, 1) && !taken(MAX_VALUES + 1, 1));
        assert!(taken(1, MAX_TOTAL_BYTES) && !taken(1, MAX_TOTAL_BYTES + 1));
        assert!(taken(2, MAX_TOTAL_BYTES / 2) && !taken(2, MAX_TOTAL_BYTES / 2 + 1));
        assert!(taken(256, 512), "256 values of 128 KiB together");
    }
}
