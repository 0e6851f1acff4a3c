//! UTF-8 to UTF-16 in blocks of sixteen bytes, with AVX2. See `super`.
//!
//! What is kept of a block is moved together by a shuffle, eight units at a time, from a table with an entry for
//! each of 256 choices.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_max_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_shuffle_epi8, _mm_storeu_si128,
    _mm256_add_epi16, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
    _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16, _mm256_extracti128_si256,
    _mm256_or_si256, _mm256_set1_epi16, _mm256_slli_epi16, _mm256_srli_epi16,
};

use super::{BYTES_BEFORE, Blocks, each_block};

/// Bytes of a block.
const BLOCK_BYTES: usize = 16;

/// Bytes looked at for one: those before it, its own, and one behind it.
const WINDOW_BYTES: usize = BYTES_BEFORE + BLOCK_BYTES + 1;

/// For each choice of eight units, one bit each: where the bytes of the chosen ones are, in order.
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

/// The conversion, where the processor has these instructions.
pub(super) fn blocks() -> Option<Blocks> {
    let has = [is_x86_feature_detected!("avx2"), is_x86_feature_detected!("popcnt")];
    has.into_iter().all(|has| has).then_some(|bytes, read, units, written| {
        #[expect(unsafe_code, reason = "only here it is known what the processor can do")]
        // SAFETY: the processor has these instructions.
        unsafe {
            write_blocks(bytes, read, units, written)
        }
    })
}

/// See `super::Blocks`.
#[target_feature(enable = "avx2,popcnt")]
fn write_blocks(bytes: &[u8], read: usize, units: &mut [u16], written: usize) -> (usize, usize) {
    each_block(bytes, read, units, written, |window, room| write_block(window, room))
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
    let has_three = _mm256_and_si256(has_two, _mm256_cvtepi8_epi16(is_continuation(one_before)));
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
