//! Raw bytes of a flood that no one has looked at, in the buffers that they were read into.
//!
//! A copy of each would cost as much as all else that the sink does with them. So a buffer that is
//! half full or more is kept as it is, and its reader goes on with another one.

use std::ops::Range;

/// Length of a buffer that is made here, for bytes that are copied, and most that are copied at once.
pub(super) const PART_BYTES: usize = 128 * 1024;

/// A buffer, and how much of it is used.
#[derive(Debug)]
struct Part {
    buffer: Vec<u8>,
    used: usize,
}

impl Part {
    fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.used).unwrap_or_default()
    }
}

/// The bytes, in order.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    parts: Vec<Part>,
    /// Buffers that are free.
    spare: Vec<Vec<u8>>,
    len: usize,
}

impl Backlog {
    /// Bytes that it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a copy of `bytes`, which are at most `PART_BYTES`: a buffer of any other length would not be used again.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len();
        if let Some(last) = self.parts.last_mut()
            && let Some(free) = last.buffer.get_mut(last.used..last.used + bytes.len())
        {
            free.copy_from_slice(bytes);
            last.used += bytes.len();
            return;
        }
        let mut buffer = self.free_buffer(PART_BYTES);
        if let Some(start) = buffer.get_mut(..bytes.len()) {
            start.copy_from_slice(bytes);
        }
        self.parts.push(Part { buffer, used: bytes.len() });
    }

    /// Adds the first `used` bytes of `buffer`, and may leave another buffer of its length there.
    pub(super) fn push_buffer(&mut self, buffer: &mut Vec<u8>, used: usize) {
        if used < buffer.len() / 2 {
            return self.push(buffer.get(..used).unwrap_or_default());
        }
        let free = self.free_buffer(buffer.len());
        self.len += used;
        self.parts.push(Part { buffer: std::mem::replace(buffer, free), used });
    }

    /// The bytes of `range`, piece by piece.
    pub(super) fn bytes_in(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let mut before = 0;
        self.parts.iter().map(move |part| {
            let bytes = part.bytes();
            let [start, end] =
                [range.start, range.end].map(|at| at.saturating_sub(before).min(bytes.len()));
            before += bytes.len();
            bytes.get(start..end).unwrap_or_default()
        })
    }

    /// Forgets the bytes, and keeps the buffers for later ones.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.spare.extend(self.parts.drain(..).map(|part| part.buffer));
    }

    fn free_buffer(&mut self, length: usize) -> Vec<u8> {
        let free = self.spare.iter().position(|buffer| buffer.len() == length);
        free.map_or_else(|| vec![0; length], |at| self.spare.swap_remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_in(backlog: &Backlog, range: Range<usize>) -> Vec<u8> {
        backlog.bytes_in(range).collect::<Vec<_>>().concat()
    }

    #[test]
    fn copied_and_kept_buffers_stay_in_order() {
        let mut backlog = Backlog::default();
        let mut buffer = b"abcdefgh".to_vec();

        backlog.push(b"01");
        backlog.push_buffer(&mut buffer, 6);
        assert_eq!(buffer.len(), 8, "the reader goes on with a buffer of the same length");
        buffer.copy_from_slice(b"ABCDEFGH");
        backlog.push_buffer(&mut buffer, 3);
        backlog.push(b"xy");

        assert_eq!(backlog.len(), 13);
        assert_eq!(all_in(&backlog, 0..13), b"01abcdefABCxy");
        assert_eq!(all_in(&backlog, 7..13), b"fABCxy");
        assert_eq!(all_in(&backlog, 3..9), b"bcdefA");
        assert_eq!(all_in(&backlog, 13..13), b"");
    }

    #[test]
    fn a_buffer_is_kept_as_it_is_from_half_full_on() {
        for (used, is_kept) in [(1, false), (31, false), (32, true), (33, true), (64, true)] {
            let mut backlog = Backlog::default();
            let mut buffer = vec![b'x'; 64];
            let before = buffer.as_ptr();

            backlog.push_buffer(&mut buffer, used);

            assert_eq!(buffer.as_ptr() != before, is_kept, "{used} of 64 bytes");
            assert_eq!(all_in(&backlog, 0..used), vec![b'x'; used]);
        }
    }

    #[test]
    fn a_copied_piece_may_have_128_kibibytes() {
        let mut backlog = Backlog::default();
        let piece = vec![b'x'; 128 * 1024];

        backlog.push(&piece);

        assert!(all_in(&backlog, 0..piece.len()) == piece);
    }

    #[test]
    fn the_buffers_of_a_long_flood_are_used_again() {
        let mut backlog = Backlog::default();
        let mut buffer = vec![0; 64];
        for _ in 0..100 {
            for _ in 0..4 {
                backlog.push_buffer(&mut buffer, 64);
            }
            backlog.clear();
        }
        assert_eq!((backlog.len(), backlog.spare.len()), (0, 4));
    }
}
