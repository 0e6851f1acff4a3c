//! Words: the unit in which "nothing was lost, nothing was invented" is checked.
//!
//! A word is a maximal run of letters, digits and underscores that is no drawn line. Padding, rules, quotes and brackets
//! may change in a rewrite; words may not appear from nowhere.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// The words of `text`, in order.
pub(crate) fn words(text: &str) -> Words<'_> {
    Words { rest: text }
}

/// Iterator over the words of a text.
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = length(self.rest, false);
            let text = self.rest.get(start..).unwrap_or("");
            let (word, rest) = text.split_at_checked(length(text, true)).unwrap_or((text, ""));
            if word.is_empty() {
                return None;
            }
            self.rest = rest;
            if word.bytes().any(|byte| byte != b'_') {
                return Some(word);
            }
        }
    }
}

/// Bytes at the front of `text` that are all inside a word, or all outside.
fn length(text: &str, inside: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Bytes decide for ASCII, which is nearly all there is; the check runs over every output.
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if (byte.is_ascii_alphanumeric() || byte == b'_') != inside {
                break;
            }
            at += 1;
        } else {
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            if c.is_alphanumeric() != inside {
                break;
            }
            at += c.len_utf8();
        }
    }
    at
}

/// A fixed 64-bit hash: the same on every run and machine, and fast on short keys.
pub(crate) fn hash(text: &str) -> u64 {
    let mut state = FixedHasher::default();
    state.write(text.as_bytes());
    state.finish()
}

/// Replaces what varies between two occurrences of one event: every run with a digit becomes `#`.
///
/// Status codes from 400 to 599 stay, since a failed request is another event than a served one.
pub(crate) fn template(text: &str, out: &mut String) {
    out.clear();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_alphanumeric() {
            let run = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let word = rest.get(..run).unwrap_or("");
            if word.bytes().any(|b| b.is_ascii_digit()) && !is_failed_status(word) {
                if !out.ends_with('#') {
                    out.push('#');
                }
            } else {
                out.push_str(word);
            }
            rest = rest.get(run..).unwrap_or("");
        } else {
            // Fractions and signed numbers vary in shape as well as in digits.
            if !(c == '.' && out.ends_with('#')) {
                out.push(c);
            }
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        }
    }
}

fn is_failed_status(word: &str) -> bool {
    word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit()) && word.starts_with(['4', '5'])
}

/// A map whose order and cost do not depend on the process: no random seed, no attacker-chosen state.
pub(crate) type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<FixedHasher>>;
/// The set that goes with [`FixedMap`].
pub(crate) type FixedSet<K> = HashSet<K, BuildHasherDefault<FixedHasher>>;

/// Multiply-and-fold over eight bytes at a time.
#[derive(Default)]
pub(crate) struct FixedHasher(u64);

/// An odd constant with a good spread of bits (the fractional part of the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl FixedHasher {
    fn mix(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value).wrapping_mul(u128::from(SPREAD));
        let [low, high] = [product & u128::from(u64::MAX), product >> 64];
        self.0 = u64::try_from(low ^ high).unwrap_or(0).wrapping_add(SPREAD);
    }
}

impl Hasher for FixedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.mix(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
        }
        let rest = chunks.remainder();
        let mut last = [0_u8; 8];
        for (slot, byte) in last.iter_mut().zip(rest) {
            *slot = *byte;
        }
        // A remainder has seven bytes at most, so its length fits into the eighth.
        last[7] = u8::try_from(rest.len()).unwrap_or(0) | 0x80;
        self.mix(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, value: u8) {
        // The end mark of a string: the remainder above already tells lengths apart.
        self.0 ^= u64::from(value);
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }
}

#[cfg(test)]
mod tests {
    use super::{template, words};

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let found: Vec<&str> = words("a_b(c-1): \"x\"").collect();
        assert_eq!(found, ["a_b", "c", "1", "x"]);
    }

    #[test]
    fn a_template_hides_what_varies_and_keeps_a_failed_status() {
        let mut out = String::new();
        template("GET /carts/898485 200 60ms req=8201e2bd", &mut out);
        assert_eq!(out, "GET /carts/# # # req=#");
        template("GET /carts/898485 503 60ms", &mut out);
        assert_eq!(out, "GET /carts/# 503 #");
    }
}
