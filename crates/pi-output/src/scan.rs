//! Finds the bytes that need a look, many at a time.
//!
//! Nearly all output is printable, so what costs is to find that out. Nothing here keeps state or
//! knows what a control character does to a line.

#[cfg(target_arch = "x86_64")]
use crate::sys::blocks;

/// Bytes that are looked at together.
const BLOCK_BYTES: usize = 64;

/// Most bytes between the `[` and the `m` of a colour that is skipped here; longer ones go through
/// the parser.
const COLOUR_BYTES: usize = 40;

/// Words that are looked at before whole blocks are: text between colours is short.
const FIRST_WORDS: usize = 4;

/// Each byte of a word is this.
const fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Bytes of `text` before the first that needs a look: a control character other than newline and
/// tab, or the first of a C1 control.
pub(super) fn clean_prefix(text: &[u8]) -> usize {
    let (words, _) = text.as_chunks::<8>();
    let first = words.get(..FIRST_WORDS).unwrap_or(words);
    let mut clean = leading_words(first);
    if clean < first.len() * 8 {
        return clean;
    }
    clean += leading_blocks(text.get(clean..).unwrap_or_default(), blocks::has_special);
    let rest = text.get(clean..).unwrap_or_default();
    let (words, _) = rest.as_chunks::<8>();
    let in_words = leading_words(words);
    let rest = rest.get(in_words..).unwrap_or_default();
    clean + in_words + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

/// Bytes that `rest` begins with and that show nothing, whatever stands before and after them: a
/// colour, or the CR of CR LF. `rest` does not begin inside of a sequence.
pub(super) fn unseen_prefix(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 1,
        [0x1b, b'[', parameters @ ..] => {
            let mut parameters = parameters.iter().take(COLOUR_BYTES);
            let length = parameters.position(|byte| !matches!(byte, b'0'..=b';'));
            match length.map(|length| (length + 3, rest.get(length + 2))) {
                Some((length, Some(b'm'))) => length,
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// Whether `bytes` are printable ASCII, newlines and tabs alone.
pub(super) fn is_printable(bytes: &[u8]) -> bool {
    let checked = leading_blocks(bytes, blocks::has_unusual);
    let rest = bytes.get(checked..).unwrap_or_default();
    !rest.iter().any(|byte| is_unusual(*byte))
}

/// Whether a string sequence is to be looked at again from `byte` on.
pub(super) fn ends_string(byte: u8) -> bool {
    matches!(byte, 0x07 | b'\n' | 0x18 | 0x1a | 0x1b | 0xc2)
}

/// Whether `byte` needs a look: a control character, or the first of a C1 control.
fn is_special(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f || byte == 0xc2
}

/// Whether `byte` is anything but printable ASCII, newline and tab.
fn is_unusual(byte: u8) -> bool {
    !matches!(byte, 0x20..0x7f | b'\n' | b'\t')
}

/// The highest bit of each byte in which `word` is special. No byte carries into the next.
fn special_bits(word: u64) -> u64 {
    let low = word & all(0x7f);
    // Set in bytes whose low seven bits are at least 0x20.
    let printable = low + all(0x80 - 0x20);
    let is_not = |byte: u8| ((low ^ all(byte)) + all(0x7f)) & all(0x80);
    let control = !printable & is_not(b'\n') & is_not(b'\t') & !word;
    let delete = !is_not(0x7f) & !word;
    let c1 = !is_not(0x42) & word;
    (control | delete | c1) & all(0x80)
}

/// Bytes in `words` before the first that is special.
fn leading_words(words: &[[u8; 8]]) -> usize {
    let mut clean = 0;
    for word in words {
        let bits = special_bits(u64::from_le_bytes(*word));
        if bits != 0 {
            return clean + bits.trailing_zeros() as usize / 8;
        }
        clean += 8;
    }
    clean
}

/// Bytes in the blocks before the first that `stops`.
fn leading_blocks(text: &[u8], stops: fn(&[u8; BLOCK_BYTES]) -> bool) -> usize {
    let (blocks, _) = text.as_chunks::<BLOCK_BYTES>();
    let clean = blocks.iter().position(stops).unwrap_or(blocks.len());
    clean * BLOCK_BYTES
}

#[cfg(not(target_arch = "x86_64"))]
use words as blocks;

/// As `sys::blocks`, a word at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    use super::{BLOCK_BYTES, all, special_bits};

    pub(super) fn has_special(block: &[u8; BLOCK_BYTES]) -> bool {
        words(block).fold(0, |bits, word| bits | special_bits(word)) != 0
    }

    pub(super) fn has_unusual(block: &[u8; BLOCK_BYTES]) -> bool {
        words(block).fold(0, |bits, word| bits | (word & all(0x80)) | special_bits(word)) != 0
    }

    fn words(block: &[u8; BLOCK_BYTES]) -> impl Iterator<Item = u64> {
        block.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            for (place, length) in [(0, 1), (3, 9), (12, 40), (33, 200), (150, 151), (77, 80)] {
                let mut text = vec![b'x'; length];
                text[place] = byte;
                let expected = if is_special(byte) { place } else { length };
                assert_eq!(clean_prefix(&text), expected, "byte {byte:#x} at {place} of {length}");
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            for length in [1, 63, 64, 65, 200] {
                for place in
                    [0, 15, 16, 33, 63, 64, 150].into_iter().filter(|place| *place < length)
                {
                    let mut text = vec![b'x'; length];
                    text[place] = byte;
                    let is_plain = matches!(byte, b' '..=b'~' | b'\n' | b'\t');
                    assert_eq!(is_printable(&text), is_plain, "{byte:#x} at {place} of {length}");
                    let Some(block) = text.first_chunk() else { continue };
                    assert_eq!(words::has_unusual(block), blocks::has_unusual(block));
                    assert_eq!(words::has_special(block), blocks::has_special(block));
                }
            }
        }
    }

    #[test]
    fn blocks_are_passed_over_up_to_the_one_that_needs_a_look() {
        let mut text = [b'x'; 200];
        assert_eq!(leading_blocks(&text, blocks::has_unusual), 192);
        text[70] = 0;
        assert_eq!(leading_blocks(&text, blocks::has_unusual), 64);
    }

    #[test]
    fn bytes_beside_each_other_do_not_hide_each_other() {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let text = [b'x', first, second, b'x', b'x', b'x', b'x', b'x'];
                let expected = text.iter().position(|byte| is_special(*byte)).unwrap_or(8);
                assert_eq!(clean_prefix(&text), expected, "{first:#x} {second:#x}");
            }
        }
    }

    #[test]
    fn colours_are_skipped_and_what_edits_a_line_is_not() {
        for (text, length) in [
            ("\x1b[m", 3),
            ("\x1b[0m", 4),
            ("\x1b[38;2;1;22;255m", 16),
            ("\x1b[4:3m", 6),
            ("\x1b[K", 0),
            ("\x1b[?1m", 0),
            ("\x1b[0", 0),
            ("\x1b", 0),
            ("\r\n", 1),
            ("\r", 0),
            ("m", 0),
        ] {
            assert_eq!(unseen_prefix(text.as_bytes()), length, "{text:?}");
        }
    }
}
