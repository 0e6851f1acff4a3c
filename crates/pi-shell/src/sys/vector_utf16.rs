//! UTF-8 to UTF-16 sixteen bytes at a time, with the vector instructions of the processor.
//!
//! # Theory of operation
//! A character's form decides how many bytes make how many units, and a program that asks for the form of each
//! is slow where they alternate. Here nothing is asked. For each of sixteen bytes, whatever it is, the unit is
//! computed that it would end as the last byte of a character, from it and the three bytes before it. Then
//! those units are kept that some byte does end: the byte before the beginning of a character, and the
//! third byte of a character of four, which ends the first of two units. What is kept is moved together by a
//! shuffle, eight units at a time, from a table with an entry for each of 256 choices.
//!
//! All of it relies on text that is well-formed, which `str` is.

/// Bytes looked at for a block: three before it, its own sixteen, and one behind it.
#[cfg(target_arch = "x86_64")]
const WINDOW_BYTES: usize = 20;

/// Writes all of `text` as UTF-16 to `units`, which has room for as many units as `text` has bytes. Returns how
/// many were written; `None` where the processor has no such instructions, and nothing was done.
pub(crate) fn write(text: &str, units: &mut [u16]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "only here it is known what the processor can do")]
        // SAFETY: the processor has these instructions.
        return Some(unsafe { avx2::write(text, units) });
    }
    _ = (text, units);
    None
}

/// Writes `text` character by character; returns how many units that were.
#[cfg(target_arch = "x86_64")]
fn write_slowly(text: &str, units: &mut [u16]) -> usize {
    let mut written = 0;
    for (slot, unit) in units.iter_mut().zip(text.encode_utf16()) {
        *slot = unit;
        written += 1;
    }
    written
}

/// For each choice of eight units, one bit each: where the bytes of the chosen ones are, in order.
#[cfg(target_arch = "x86_64")]
static TOGETHER: [[u8; 16]; 256] = {
    let mut table = [[0; 16]; 256];
    let mut choice = 0;
    while choice < table.len() {
        let (mut unit, mut to) = (0, 0);
        while unit < 8 {
            if choice >> unit & 1 == 1 {
                table[choice][to] = unit * 2;
                table[choice][to + 1] = unit * 2 + 1;
                to += 2;
            }
            unit += 1;
        }
        choice += 1;
    }
    table
};

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_max_epu8,
        _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_shuffle_epi8, _mm_storeu_si128,
        _mm256_add_epi16, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16,
        _mm256_extracti128_si256, _mm256_or_si256, _mm256_set1_epi16, _mm256_slli_epi16,
        _mm256_srli_epi16,
    };

    use super::{TOGETHER, WINDOW_BYTES, write_slowly};

    /// See `super::write`.
    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn write(text: &str, units: &mut [u16]) -> usize {
        let bytes = text.as_bytes();
        // A block looks back at three bytes, so the first characters go before it.
        let mut begins = text.char_indices().map(|(at, _)| at);
        let mut read = begins.find(|at| *at >= 3).unwrap_or(bytes.len());
        let mut written = write_slowly(text.get(..read).unwrap_or_default(), units);
        while let Some(window) = bytes.get(read.saturating_sub(3)..).and_then(<[u8]>::first_chunk)
            && let Some(room) = units.get_mut(written..).and_then(<[u16]>::first_chunk_mut)
        {
            written += write_block(window, room);
            read += 16;
        }
        // A character that reaches behind the last block is written anew, as a whole.
        let mut rest = read.min(bytes.len());
        while !text.is_char_boundary(rest) {
            rest -= 1;
        }
        let has_half = read - rest == 3;
        written -= usize::from(has_half);
        let rest = text.get(rest..).unwrap_or_default();
        written + write_slowly(rest, units.get_mut(written..).unwrap_or_default())
    }

    /// Writes the units that end in bytes 3 to 18 of `window`; returns how many they are.
    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn write_block(window: &[u8; WINDOW_BYTES], room: &mut [u16; 16]) -> usize {
        let (last, behind) = (load::<3>(window), load::<4>(window));
        if _mm_movemask_epi8(last) == 0 {
            let units = _mm256_cvtepu8_epi16(last);
            store(room, 0, _mm256_castsi256_si128(units));
            store(room, 8, _mm256_extracti128_si256::<1>(units));
            return 16;
        }
        let (one_before, two_before, three_before) =
            (load::<2>(window), load::<1>(window), load::<0>(window));
        let mut ends = !_mm_movemask_epi8(is_continuation(behind));
        let mut units = short_units(last, one_before, two_before);
        let ends_first_half = begins_four(two_before);
        let ends_four = begins_four(three_before);
        if _mm_movemask_epi8(_mm_or_si128(ends_first_half, ends_four)) != 0 {
            let (first, second) = long_units(last, one_before, two_before);
            units = _mm256_blendv_epi8(units, first, _mm256_cvtepi8_epi16(ends_first_half));
            units = _mm256_blendv_epi8(units, second, _mm256_cvtepi8_epi16(ends_four));
            ends |= _mm_movemask_epi8(ends_first_half);
        }
        let [low, high, ..] = ends.to_le_bytes();
        let moved = low.count_ones() as usize;
        store(room, 0, together(_mm256_castsi256_si128(units), low));
        store(room, moved, together(_mm256_extracti128_si256::<1>(units), high));
        moved + high.count_ones() as usize
    }

    /// The units of characters of one to three bytes, each with its last byte and those before it.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn short_units(last: __m128i, one_before: __m128i, two_before: __m128i) -> __m256i {
        let has_two = _mm256_cvtepi8_epi16(is_continuation(last));
        let has_three =
            _mm256_and_si256(has_two, _mm256_cvtepi8_epi16(is_continuation(one_before)));
        // The two highest bits of a continuation are not the character's.
        let low = _mm256_andnot_si256(
            _mm256_and_si256(has_two, _mm256_set1_epi16(0xc0)),
            _mm256_cvtepu8_epi16(last),
        );
        let middle = _mm256_slli_epi16::<6>(six_bits(one_before));
        let high = _mm256_slli_epi16::<12>(_mm256_cvtepu8_epi16(two_before));
        _mm256_or_si256(
            low,
            _mm256_or_si256(_mm256_and_si256(has_two, middle), _mm256_and_si256(has_three, high)),
        )
    }

    /// The first units of characters of four bytes, each with its third byte and those before it, and the second
    /// units, each with its last byte and those before it.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn long_units(last: __m128i, one_before: __m128i, two_before: __m128i) -> (__m256i, __m256i) {
        let three_bits = _mm256_and_si256(_mm256_cvtepu8_epi16(two_before), _mm256_set1_epi16(7));
        let first = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_slli_epi16::<8>(three_bits),
                _mm256_slli_epi16::<2>(six_bits(one_before)),
            ),
            _mm256_srli_epi16::<4>(six_bits(last)),
        );
        // 0xd800, less what 0x10000 is shifted by ten.
        let first = _mm256_add_epi16(first, _mm256_set1_epi16(0xd7c0_u16.cast_signed()));
        let four_bits = _mm256_and_si256(
            _mm256_slli_epi16::<6>(_mm256_cvtepu8_epi16(one_before)),
            _mm256_set1_epi16(0x3c0),
        );
        let second = _mm256_or_si256(
            _mm256_or_si256(four_bits, six_bits(last)),
            _mm256_set1_epi16(0xdc00_u16.cast_signed()),
        );
        (first, second)
    }

    /// The bits of continuations that are the character's.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn six_bits(bytes: __m128i) -> __m256i {
        _mm256_and_si256(_mm256_cvtepu8_epi16(bytes), _mm256_set1_epi16(0x3f))
    }

    /// All bits of the bytes that continue a character.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn is_continuation(bytes: __m128i) -> __m128i {
        // Signed, 0x80 to 0xbf are the 64 lowest.
        _mm_cmplt_epi8(bytes, _mm_set1_epi8(-64))
    }

    /// All bits of the bytes that begin a character of four.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn begins_four(bytes: __m128i) -> __m128i {
        let least = _mm_set1_epi8(0xf0_u8.cast_signed());
        _mm_cmpeq_epi8(_mm_max_epu8(bytes, least), bytes)
    }

    /// The units of `choice`, moved to the beginning.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn together(units: __m128i, choice: u8) -> __m128i {
        let places = TOGETHER.get(usize::from(choice)).unwrap_or(&[0; 16]);
        _mm_shuffle_epi8(units, load_all(places))
    }

    /// Sixteen bytes of `window` from `AT` on, which is at most 4.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn load<const AT: usize>(window: &[u8; WINDOW_BYTES]) -> __m128i {
        load_all(window.get(AT..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 16]))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    #[expect(unsafe_code, reason = "the instruction is given an address")]
    fn load_all(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: it reads the sixteen bytes that `bytes` has, wherever they lie.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    /// Writes eight units to `room` from `at` on, which is at most 8.
    #[target_feature(enable = "avx2")]
    #[inline]
    #[expect(unsafe_code, reason = "the instruction is given an address")]
    fn store(room: &mut [u16; 16], at: usize, units: __m128i) {
        if let Some(eight) = room.get_mut(at..).and_then(<[u16]>::first_chunk_mut::<8>) {
            // SAFETY: it writes the sixteen bytes that `eight` has, wherever they lie.
            unsafe { _mm_storeu_si128(eight.as_mut_ptr().cast(), units) };
        }
    }
}
