//! Turns text into UTF-16, in which JavaScript keeps what is not ASCII.
//!
//! With vector instructions where the processor has them (`sys/vector_utf16/`), a quarter of what `encoding_rs`
//! takes for them: text between colours and accents changes its form every few bytes, and each change is a
//! branch that a processor cannot foresee. `docs/performance.md` has the figures.

use crate::sys::vector_utf16;

/// With less room than this no more text is tried: a handful of units at a time is slow.
const WORTHWHILE_UNITS: usize = 64;

/// Writes the beginning of `text` to `units`, as UTF-16. Returns how many bytes of `text` that is and how many
/// units were written.
///
/// All of `text` where `units` has room for as many units as `text` has bytes, which is never too little.
/// Otherwise it may end up to 64 units before the room does, and before a character of which it is not
/// sure that it fits; with room for four units there is always a character.
pub fn utf16_prefix(text: &str, units: &mut [u16]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    loop {
        let rest = text.get(read..).unwrap_or_default();
        let room = units.get_mut(written..).unwrap_or_default();
        let mut end = rest.len().min(room.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        written += utf16_of(rest.get(..end).unwrap_or_default(), room);
        read += end;
        if read == text.len() || units.len() - written < WORTHWHILE_UNITS || end == 0 {
            return (read, written);
        }
    }
}

/// Writes all of `text`, which has no more bytes than there are `units`.
fn utf16_of(text: &str, units: &mut [u16]) -> usize {
    vector_utf16::write(text, units)
        .unwrap_or_else(|| encoding_rs::mem::convert_str_to_utf16(text, units))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_is_utf16(text: &str, room: usize) {
        let mut units = vec![0xabcd; room];
        let (read, written) = utf16_prefix(text, &mut units);
        let expected: Vec<u16> = text.get(..read).unwrap().encode_utf16().collect();
        assert_eq!(units[..written], expected, "{text:?} with room for {room}");
        assert!(units[written..].len() < WORTHWHILE_UNITS || read == text.len());
        assert!(read == text.len() || room < text.len(), "{read} of {text:?} with room for {room}");
    }

    #[test]
    fn every_character_is_itself_at_every_place_of_a_block() {
        let edges = ['\0', '\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{e000}'];
        let beyond = ['\u{fffd}', '\u{ffff}', '\u{10000}', '\u{1f600}', '\u{fffff}', '\u{10ffff}'];
        for first in edges.into_iter().chain(beyond) {
            for second in edges.into_iter().chain(beyond) {
                for before in 0..36 {
                    for after in [0, 1, 2, 16, 40] {
                        let text =
                            format!("{}{first}{second}{}", "a".repeat(before), "é".repeat(after));
                        assert_is_utf16(&text, text.len());
                    }
                }
            }
        }
    }

    #[test]
    fn all_of_unicode_is_converted() {
        let text: String = (0..=0x0010_ffff).filter_map(char::from_u32).collect();
        assert_is_utf16(&text, text.len());
    }

    #[test]
    fn a_room_is_filled_until_less_than_64_units_are_left() {
        let mut units = [0; 128];
        // 64 units are left after the first 128 bytes, and 32 after 64 more.
        assert_eq!(utf16_prefix(&"é".repeat(1000), &mut units), (192, 96));
    }

    proptest! {
        #[test]
        fn any_text_is_converted_as_the_standard_library_does(text in "(\\PC|[a-z]|\u{1b}|[à-ÿ]|[一-鿿]|😀){0,200}") {
            assert_is_utf16(&text, text.len());
        }

        #[test]
        fn a_room_too_small_is_filled_with_whole_characters(
            text in "([a-z]{0,20}|[à-ÿ]|[一-鿿]|😀){0,100}",
            room in 4_usize..200,
        ) {
            assert_is_utf16(&text, room);
        }
    }
}
