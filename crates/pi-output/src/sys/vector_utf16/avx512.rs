//! UTF-8 to UTF-16 in blocks of 32 bytes, with AVX-512. See `super`.
//!
//! `VPCOMPRESSW` moves together what is kept of a block. It is given a register and not memory, which takes AMD's
//! Zen 4 over a hundred cycles (uops.info, `VPCOMPRESSW_M512_K_ZMM`).

use std::arch::x86_64::{
    __m256i, __m512i, __mmask32, _mm256_and_si256, _mm256_cmpge_epu8_mask, _mm256_cmplt_epi8_mask,
    _mm256_loadu_si256, _mm256_mask_blend_epi8, _mm256_maskz_mov_epi8, _mm256_movepi8_mask,
    _mm256_set1_epi8, _mm512_add_epi16, _mm512_and_si512, _mm512_cvtepu8_epi16,
    _mm512_mask_blend_epi16, _mm512_maskz_compress_epi16, _mm512_or_si512, _mm512_set1_epi16,
    _mm512_slli_epi16, _mm512_srli_epi16, _mm512_storeu_si512,
};

use super::{BYTES_BEFORE, Blocks, each_block};

/// Bytes of a block.
const BLOCK_BYTES: usize = 32;

/// Bytes looked at for one: those before it, its own, and one behind it.
const WINDOW_BYTES: usize = BYTES_BEFORE + BLOCK_BYTES + 1;

/// The conversion, where the processor has these instructions.
pub(super) fn blocks() -> Option<Blocks> {
    let has = [
        is_x86_feature_detected!("avx512f"),
        is_x86_feature_detected!("avx512bw"),
        is_x86_feature_detected!("avx512vl"),
        is_x86_feature_detected!("avx512vbmi2"),
        is_x86_feature_detected!("popcnt"),
    ];
    has.into_iter().all(|has| has).then_some(|bytes, read, units, written| {
        #[expect(unsafe_code, reason = "only here it is known what the processor can do")]
        // SAFETY: the processor has these instructions.
        unsafe {
            write_blocks(bytes, read, units, written)
        }
    })
}

/// See `super::Blocks`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn write_blocks(bytes: &[u8], read: usize, units: &mut [u16], written: usize) -> (usize, usize) {
    each_block(bytes, read, units, written, |window, room| write_block(window, room))
}

/// Writes the units that end in the block's own bytes of `window`; returns how many they are.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
#[inline]
fn write_block(window: &[u8; WINDOW_BYTES], room: &mut [u16; BLOCK_BYTES]) -> usize {
    let (last, behind) = (load::<3>(window), load::<4>(window));
    if _mm256_movepi8_mask(last) == 0 {
        store(room, _mm512_cvtepu8_epi16(last));
        return BLOCK_BYTES;
    }
    let (one_before, two_before, three_before) =
        (load::<2>(window), load::<1>(window), load::<0>(window));
    let mut ends = !continuations(behind);
    let mut units = short_units(last, one_before, two_before);
    let (first_halves, fours) = (beginnings_of_four(two_before), beginnings_of_four(three_before));
    if first_halves | fours != 0 {
        let (first, second) = long_units(last, one_before, two_before);
        units = _mm512_mask_blend_epi16(first_halves, units, first);
        units = _mm512_mask_blend_epi16(fours, units, second);
        ends |= first_halves;
    }
    store(room, _mm512_maskz_compress_epi16(ends, units));
    ends.count_ones() as usize
}

/// The units of characters of one to three bytes, each with its last byte and those before it.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn short_units(last: __m256i, one_before: __m256i, two_before: __m256i) -> __m512i {
    let two = continuations(last);
    let three = two & continuations(one_before);
    let low = _mm256_mask_blend_epi8(two, last, six_bits(last));
    let middle = _mm256_maskz_mov_epi8(two, six_bits(one_before));
    let high = _mm256_maskz_mov_epi8(three, two_before);
    let middle = _mm512_slli_epi16::<6>(_mm512_cvtepu8_epi16(middle));
    let high = _mm512_slli_epi16::<12>(_mm512_cvtepu8_epi16(high));
    _mm512_or_si512(_mm512_cvtepu8_epi16(low), _mm512_or_si512(middle, high))
}

/// The first units of characters of four bytes, each with its third byte and those before it, and the second
/// units, each with its last byte and those before it.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn long_units(last: __m256i, one_before: __m256i, two_before: __m256i) -> (__m512i, __m512i) {
    let wide = |bytes| _mm512_cvtepu8_epi16(six_bits(bytes));
    let lowest = wide(last);
    let three_bits = _mm512_and_si512(_mm512_cvtepu8_epi16(two_before), _mm512_set1_epi16(7));
    let first = _mm512_or_si512(
        _mm512_or_si512(
            _mm512_slli_epi16::<8>(three_bits),
            _mm512_slli_epi16::<2>(wide(one_before)),
        ),
        _mm512_srli_epi16::<4>(lowest),
    );
    // 0xd800, less what 0x10000 is shifted by ten.
    let first = _mm512_add_epi16(first, _mm512_set1_epi16(0xd7c0_u16.cast_signed()));
    let four_bits = _mm512_and_si512(
        _mm512_slli_epi16::<6>(_mm512_cvtepu8_epi16(one_before)),
        _mm512_set1_epi16(0x3c0),
    );
    let second = _mm512_or_si512(
        _mm512_or_si512(four_bits, lowest),
        _mm512_set1_epi16(0xdc00_u16.cast_signed()),
    );
    (first, second)
}

/// The bits of continuations that are the character's.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn six_bits(bytes: __m256i) -> __m256i {
    _mm256_and_si256(bytes, _mm256_set1_epi8(0x3f))
}

/// The bytes that continue a character.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn continuations(bytes: __m256i) -> __mmask32 {
    // Signed, 0x80 to 0xbf are the 64 lowest.
    _mm256_cmplt_epi8_mask(bytes, _mm256_set1_epi8(-64))
}

/// The bytes that begin a character of four.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn beginnings_of_four(bytes: __m256i) -> __mmask32 {
    _mm256_cmpge_epu8_mask(bytes, _mm256_set1_epi8(0xf0_u8.cast_signed()))
}

/// A block's worth of bytes of `window` from `AT` on, which is at most 4.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
#[expect(unsafe_code, reason = "the instruction is given an address")]
fn load<const AT: usize>(window: &[u8; WINDOW_BYTES]) -> __m256i {
    let bytes: &[u8; BLOCK_BYTES] =
        window.get(AT..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; BLOCK_BYTES]);
    // SAFETY: it reads the 32 bytes that `bytes` has, wherever they lie.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
#[expect(unsafe_code, reason = "the instruction is given an address")]
fn store(room: &mut [u16; BLOCK_BYTES], units: __m512i) {
    // SAFETY: it writes the 64 bytes that `room` has, wherever they lie.
    unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), units) };
}
