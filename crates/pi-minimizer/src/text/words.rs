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
#[derive(Clone)]
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
            if !word.starts_with('_') || word.bytes().any(|byte| byte != b'_') {
                return Some(word);
            }
        }
    }
}

/// What a byte says about a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Outside,
    Inside,
    /// Part of a character that only its whole tells about.
    Wide,
}

/// The class of each byte: bytes decide for ASCII, which is nearly all there is, and the check runs over every output.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Wide; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        let inside = byte.is_ascii_alphanumeric() || byte == b'_';
        classes[byte as usize] = if inside { Class::Inside } else { Class::Outside };
        byte += 1;
    }
    classes
};

/// Bytes at the front of `text` that are all inside a word, or all outside.
fn length(text: &str, inside: bool) -> usize {
    let bytes = text.as_bytes();
    let wanted = if inside { Class::Inside } else { Class::Outside };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let class = CLASSES[usize::from(byte)];
        if class == wanted {
            at += 1;
        } else if class == Class::Wide {
            // Signs that reports draw and quote with (U+2000 to U+203F, U+2500 to U+273F): no letter among them.
            if let Some([0xe2, 0x80 | 0x94..=0x9c, _, ..]) = bytes.get(at..) {
                if inside {
                    break;
                }
                at += 3;
                continue;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            if c.is_alphanumeric() != inside {
                break;
            }
            at += c.len_utf8();
        } else {
            break;
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
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.mix(u64::from_le_bytes(*chunk));
        }
        // The last bytes at once, also those that were mixed: words are short, and a loop over bytes costs more.
        let last = match (bytes.last_chunk::<8>(), rest.first_chunk::<4>(), rest.last_chunk::<4>())
        {
            (Some(last), ..) => u64::from_le_bytes(*last),
            (None, Some(front), Some(back)) => {
                u64::from(u32::from_le_bytes(*front)) << 32 | u64::from(u32::from_le_bytes(*back))
            }
            _ => rest.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        self.mix(last ^ (bytes.len() as u64).rotate_left(56));
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
    fn no_drawn_sign_is_part_of_a_word() {
        let signs = ('\u{2000}'..='\u{203f}').chain('\u{2500}'..='\u{273f}');
        for sign in signs {
            assert!(!sign.is_alphanumeric(), "{sign}");
            assert_eq!(words(&format!("a{sign}b")).collect::<Vec<_>>(), ["a", "b"]);
        }
        assert_eq!(words("naïve②x_é").collect::<Vec<_>>(), ["naïve②x_é"]);
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
