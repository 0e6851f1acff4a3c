//! How large the pieces of an answer are: as much as the link carries in a moment, so that an urgent frame never waits
//! long behind output.

use std::time::{Duration, Instant};

use crate::wire::{HEAD_BYTES, OFFSET_BYTES};

/// Bytes of a piece of text: its frame has 64 KiB, which is what a pipe holds and what near reads at once.
pub(super) const PIECE_BYTES: usize = 64 * 1024 - HEAD_BYTES - OFFSET_BYTES - 1;

/// The same on a slow link.
pub(super) const SMALL_PIECE_BYTES: usize = 4 * 1024;

/// Bytes a second below which a link is slow.
const SLOW_RATE: f64 = 1024.0 * 1024.0;

/// Weight of the writes before, at each one.
const MEMORY: f64 = 0.75;

/// The rate at which a link took what was written.
#[derive(Debug, Default)]
pub(super) struct Pace {
    bytes: f64,
    seconds: f64,
}

impl Pace {
    /// A write of so many bytes began then and is over.
    pub(super) fn wrote(&mut self, bytes: usize, began: Instant) {
        let seconds = began.elapsed().max(Duration::from_nanos(1)).as_secs_f64();
        // A small write says how long a system call takes, not what the link carries.
        if bytes < SMALL_PIECE_BYTES && seconds < 0.001 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let bytes = bytes as f64;
        self.bytes = self.bytes * MEMORY + bytes;
        self.seconds = self.seconds * MEMORY + seconds;
    }

    /// Bytes of the next piece.
    pub(super) fn piece_bytes(&self) -> usize {
        let is_slow = self.seconds > 0.0 && self.bytes / self.seconds < SLOW_RATE;
        if is_slow { SMALL_PIECE_BYTES } else { PIECE_BYTES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_shrink_on_a_slow_link_and_grow_again() {
        let mut pace = Pace::default();
        assert_eq!(pace.piece_bytes(), PIECE_BYTES);

        let second_ago = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        pace.wrote(PIECE_BYTES, second_ago);
        assert_eq!(pace.piece_bytes(), SMALL_PIECE_BYTES);

        for _ in 0..40 {
            pace.wrote(PIECE_BYTES, Instant::now());
        }
        assert_eq!(pace.piece_bytes(), PIECE_BYTES);
    }

    #[test]
    fn words_say_nothing_of_the_link() {
        let mut pace = Pace::default();
        for _ in 0..100 {
            pace.wrote(20, Instant::now());
        }
        assert_eq!(pace.piece_bytes(), PIECE_BYTES);
    }
}
