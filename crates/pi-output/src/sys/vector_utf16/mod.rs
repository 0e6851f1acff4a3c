//! UTF-8 to UTF-16 many bytes at a time, with the vector instructions of the processor.
//!
//! # Theory of operation
//! A character's form decides how many bytes make how many units, and a program that asks for the form of each
//! is slow where they alternate. Here nothing is asked. For each byte of a block, whatever it is, the unit is
//! computed that it would end as the last byte of a character, from it and the three bytes before it. Then
//! those units are kept that some byte does end: the byte before the beginning of a character, and the
//! third byte of a character of four, which ends the first of two units. What is kept is moved together.
//!
//! The blocks are in `avx512` (32 bytes, and an instruction that moves together) and `avx2` (16 bytes, and a
//! table for it); what stands before the first block and behind the last one is done here.
//!
//! All of it relies on text that is well-formed, which `str` is.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// Bytes that a block looks at before its own.
#[cfg(target_arch = "x86_64")]
const BYTES_BEFORE: usize = 3;

/// Writes all of `text` as UTF-16 to `units`, which has room for as many units as `text` has bytes. Returns how
/// many were written; `None` where the processor has no such instructions, and nothing was done.
pub(crate) fn write(text: &str, units: &mut [u16]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(blocks) = avx512::blocks().or_else(avx2::blocks) {
        return Some(write_with(blocks, text, units));
    }
    _ = (text, units);
    None
}

/// Converts whole blocks of `bytes` from `read` on, which are part of a well-formed text and have
/// `BYTES_BEFORE` before them, to `units` from `written` on. Returns both as they are then; it ends before the
/// text does, or the room for a block.
#[cfg(target_arch = "x86_64")]
type Blocks = fn(bytes: &[u8], read: usize, units: &mut [u16], written: usize) -> (usize, usize);

/// `Blocks` of a form that converts `BLOCK` bytes, which it sees as a part of `WINDOW`, with `write_block`: that
/// returns how many units it wrote.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is to have the instructions of the form that calls it"
)]
fn each_block<const WINDOW: usize, const BLOCK: usize>(
    bytes: &[u8],
    mut read: usize,
    units: &mut [u16],
    mut written: usize,
    write_block: impl Fn(&[u8; WINDOW], &mut [u16; BLOCK]) -> usize,
) -> (usize, usize) {
    while let Some(window) =
        bytes.get(read.saturating_sub(BYTES_BEFORE)..).and_then(<[u8]>::first_chunk)
        && let Some(room) = units.get_mut(written..).and_then(<[u16]>::first_chunk_mut)
    {
        written += write_block(window, room);
        read += BLOCK;
    }
    (read, written)
}

#[cfg(target_arch = "x86_64")]
fn write_with(blocks: Blocks, text: &str, units: &mut [u16]) -> usize {
    let bytes = text.as_bytes();
    // A block looks back, so the first characters go before it.
    let mut begins = text.char_indices().map(|(at, _)| at);
    let first = begins.find(|at| *at >= BYTES_BEFORE).unwrap_or(bytes.len());
    let written = write_slowly(text.get(..first).unwrap_or_default(), units);
    let (read, mut written) = blocks(bytes, first, units, written);
    // A character that reaches behind the last block is written again, as a whole.
    let mut rest = read.min(bytes.len());
    while !text.is_char_boundary(rest) {
        rest -= 1;
    }
    let has_half = read - rest == 3;
    written -= usize::from(has_half);
    let rest = text.get(rest..).unwrap_or_default();
    written + write_slowly(rest, units.get_mut(written..).unwrap_or_default())
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

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every form that this processor has, not only the one that is chosen.
    fn assert_all_write(text: &str) {
        let expected: Vec<u16> = text.encode_utf16().collect();
        for blocks in [avx512::blocks(), avx2::blocks()].into_iter().flatten() {
            let mut units = vec![0xabcd; text.len()];
            let written = write_with(blocks, text, &mut units);
            assert_eq!(units[..written], expected, "{text:?}");
        }
    }

    #[test]
    fn what_the_processor_can_do_is_used() {
        let can = avx512::blocks().or_else(avx2::blocks).is_some();
        let mut units = [0; 4];
        assert_eq!(write("ab", &mut units), can.then_some(2));
        assert_eq!(units, if can { [97, 98, 0, 0] } else { [0; 4] });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn each_form_is_there_where_the_kernel_says_that_the_processor_has_its_instructions() {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let flags = cpu.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        let has = |names: &[&str]| {
            names.iter().all(|name| flags.split_whitespace().any(|flag| flag == *name))
        };
        let wide = ["avx512f", "avx512bw", "avx512vl", "avx512_vbmi2", "popcnt"];
        assert_eq!(avx512::blocks().is_some(), has(&wide));
        assert_eq!(avx2::blocks().is_some(), has(&["avx2", "popcnt"]));
    }

    #[test]
    fn every_form_converts_all_of_unicode() {
        let text: String = (0..=0x0010_ffff).filter_map(char::from_u32).collect();
        assert_all_write(&text);
        let words: String =
            text.chars().step_by(7).flat_map(|sign| [sign, ' ', 'a', 'é']).collect();
        assert_all_write(&words);
    }

    #[test]
    fn every_form_converts_a_character_at_every_place_of_a_block() {
        for sign in ["\u{80}", "é", "\u{800}", "漢", "\u{ffff}", "\u{10000}", "😀", "\u{10ffff}"]
        {
            for before in 0..70 {
                for after in [0, 1, 2, 3, 31, 40] {
                    let text = format!("{}{sign}{}", "a".repeat(before), "b".repeat(after));
                    assert_all_write(&text);
                    assert_all_write(&format!("{text}{}", sign.repeat(after)));
                }
            }
        }
    }

    /// The slow way is for the ends of a text: what a form leaves is paid for byte by byte.
    #[test]
    fn no_form_leaves_a_whole_block_to_the_slow_way() {
        for (form, block) in [(avx512::blocks(), 32), (avx2::blocks(), 16)] {
            let Some(form) = form else { continue };
            for length in 40..120 {
                let bytes = vec![b'a'; length];
                let (read, written) =
                    form(&bytes, BYTES_BEFORE, &mut vec![0; length], BYTES_BEFORE);
                assert_eq!(read, written);
                assert!(length - read <= block, "{read} of {length}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_form_converts_what_alternates(
            text in "(\\PC|[a-z]{0,9}|\u{1b}\\[[0-9]{0,3}m|[à-ÿ]|[一-鿿]|😀){0,300}",
        ) {
            assert_all_write(&text);
        }
    }
}
