//! Asks a line which of many words stands in it, in one pass.
//!
//! A filter asks every line for a dozen words and finds none: a search for each costs a dozen passes. The first three
//! bytes of all words are tables of bits here, so that a byte of the line costs three look-ups however many words there
//! are, and a word is only compared where its beginning stands.

/// Most words of one list: a bit for each.
const MAX_WORDS: usize = 32;

/// Bytes of a word that the tables know.
const FRONT: usize = 3;

/// A list of words, each of three bytes or more.
pub(crate) struct AnyOf<const N: usize> {
    words: [&'static str; N],
    /// ASCII letters match in either case.
    folded: bool,
    /// For each byte, the words that have it at this place.
    front: [[u32; 256]; FRONT],
}

impl<const N: usize> AnyOf<N> {
    /// A list whose words match as they are.
    pub(crate) const fn new(words: [&'static str; N]) -> Self {
        Self::build(words, false)
    }

    /// A list of words in lower case, whose ASCII letters match in either case.
    pub(crate) const fn folded(words: [&'static str; N]) -> Self {
        Self::build(words, true)
    }

    const fn build(words: [&'static str; N], folded: bool) -> Self {
        assert!(N <= MAX_WORDS, "a list has a bit for each word");
        let mut front = [[0; 256]; FRONT];
        let mut index = 0;
        while index < N {
            let word = words[index].as_bytes();
            assert!(word.len() >= FRONT, "a word has three bytes at least");
            let mut place = 0;
            while place < FRONT {
                front[place][word[place] as usize] |= 1 << index;
                if folded {
                    front[place][word[place].to_ascii_uppercase() as usize] |= 1 << index;
                }
                place += 1;
            }
            index += 1;
        }
        Self { words, folded, front }
    }

    /// True where one of the words stands in `line`.
    pub(crate) fn stands_in(&self, line: &str) -> bool {
        let bytes = line.as_bytes();
        let [first, second, third] = &self.front;
        bytes.windows(FRONT).enumerate().any(|(at, window)| {
            let &[a, b, c] = window else { return false };
            let begun = first[usize::from(a)] & second[usize::from(b)] & third[usize::from(c)];
            begun != 0 && self.begins(begun, bytes.get(at..).unwrap_or(&[]))
        })
    }

    /// True where `text` begins with one of the words of which a bit is set.
    fn begins(&self, bits: u32, text: &[u8]) -> bool {
        self.words.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1).any(
            |(_, word)| {
                text.get(..word.len()).is_some_and(|text| {
                    if self.folded {
                        text.eq_ignore_ascii_case(word.as_bytes())
                    } else {
                        text == word.as_bytes()
                    }
                })
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::AnyOf;

    #[test]
    fn a_word_is_found_wherever_it_stands() {
        static WORDS: AnyOf<3> = AnyOf::new(["abc", "bcde", "✓ x"]);
        for line in ["abc", "xx abc", "abcde", "ab bcde", "é✓ x"] {
            assert!(WORDS.stands_in(line), "{line}");
        }
        for line in ["", "ab", "ABC", "bcd", "bcdE", "✓ y"] {
            assert!(!WORDS.stands_in(line), "{line}");
        }
    }

    #[test]
    fn letters_fold_where_that_is_asked_for() {
        static WORDS: AnyOf<2> = AnyOf::folded(["error", "not found"]);
        for line in ["ERROR", "an Error", "Not Found"] {
            assert!(WORDS.stands_in(line), "{line}");
        }
        assert!(!WORDS.stands_in("erro r"));
    }
}
