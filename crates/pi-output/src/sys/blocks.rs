//! Looks at 64 bytes at once: whether any of them needs a look.
//!
//! By hand, because `pi-host` is compiled to be small, and a compiler that is to do that makes no vector instructions of a
//! loop: this one took two fifths of the processor time of a flood there.
#![expect(unsafe_code, reason = "instructions that belong to every processor of this kind")]

use std::arch::x86_64::{
    __m128i, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_min_epu8, _mm_movemask_epi8,
    _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_setzero_si128,
};

/// Whether any byte is a control character other than newline and tab, or the first of a C1 control.
pub(crate) fn has_special(block: &[u8; 64]) -> bool {
    // SAFETY: SSE2 belongs to x86-64.
    unsafe { special(block) }
}

/// Whether any byte is anything but printable ASCII, newline and tab.
pub(crate) fn has_unusual(block: &[u8; 64]) -> bool {
    // SAFETY: SSE2 belongs to x86-64.
    unsafe { unusual(block) }
}

#[target_feature(enable = "sse2")]
fn special(block: &[u8; 64]) -> bool {
    let mut found = _mm_setzero_si128();
    for bytes in block.as_chunks::<16>().0 {
        let bytes = load(*bytes);
        let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, each(0x1f)), bytes);
        let c1 = _mm_cmpeq_epi8(bytes, each(0xc2));
        found = _mm_or_si128(found, _mm_or_si128(needs_look(bytes, controls), c1));
    }
    _mm_movemask_epi8(found) != 0
}

#[target_feature(enable = "sse2")]
fn unusual(block: &[u8; 64]) -> bool {
    let mut found = _mm_setzero_si128();
    for bytes in block.as_chunks::<16>().0 {
        let bytes = load(*bytes);
        // Signed, what is not ASCII is below the blank too.
        let low = _mm_cmplt_epi8(bytes, each(0x20));
        found = _mm_or_si128(found, needs_look(bytes, low));
    }
    _mm_movemask_epi8(found) != 0
}

/// Of bytes that are `low`, those that are not newline and tab; and deletes.
#[target_feature(enable = "sse2")]
fn needs_look(bytes: __m128i, low: __m128i) -> __m128i {
    let newlines = _mm_cmpeq_epi8(bytes, each(b'\n'));
    let tabs = _mm_cmpeq_epi8(bytes, each(b'\t'));
    let controls = _mm_andnot_si128(_mm_or_si128(newlines, tabs), low);
    _mm_or_si128(controls, _mm_cmpeq_epi8(bytes, each(0x7f)))
}

#[target_feature(enable = "sse2")]
#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn load(bytes: [u8; 16]) -> __m128i {
    let number = u128::from_le_bytes(bytes);
    _mm_set_epi64x(((number >> 64) as u64).cast_signed(), (number as u64).cast_signed())
}

#[target_feature(enable = "sse2")]
fn each(byte: u8) -> __m128i {
    _mm_set1_epi8(byte.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_needs_a_look_is_found_at_every_place_and_no_other_is() {
        for (byte, is_special, is_unusual) in [
            (0, true, true),
            (b'\r', true, true),
            (0x1b, true, true),
            (0x1f, true, true),
            (0x7f, true, true),
            (0xc2, true, true),
            (0xc3, false, true),
            (0xff, false, true),
            (b'\t', false, false),
            (b'\n', false, false),
            (b' ', false, false),
            (b'~', false, false),
        ] {
            for place in 0..64 {
                let mut block = [b'a'; 64];
                block[place] = byte;
                assert_eq!(has_special(&block), is_special, "{byte:#x} at {place}");
                assert_eq!(has_unusual(&block), is_unusual, "{byte:#x} at {place}");
            }
        }
    }
}
