//! Keeps the end of what background children write after their command has ended.
//!
//! A dev server started with `&` goes on writing into the pipe of a command that is over. That
//! must not reach the next command's output, and it must not fill memory, yet the last lines of it
//! are what someone asks for when the server has died.

use std::collections::VecDeque;

use memchr::memchr;

use super::lines::plain_text;
use super::window::is_continuation;

/// Bytes of late output kept in memory. Some 800 lines: enough for a stack trace and its cause.
pub(super) const LATE_RING_BYTES: usize = 64 * 1024;

/// A bounded ring of raw bytes, with the count of all that went through it.
#[derive(Debug, Clone, Default)]
pub(super) struct LateRing {
    ring: VecDeque<u8>,
    total: u64,
}

impl LateRing {
    /// An empty ring. Takes no memory until something is pushed.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds bytes; the oldest beyond `LATE_RING_BYTES` are dropped.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let newest = bytes.get(bytes.len().saturating_sub(LATE_RING_BYTES)..).unwrap_or_default();
        let excess = (self.ring.len() + newest.len()).saturating_sub(LATE_RING_BYTES);
        self.ring.drain(..excess);
        self.ring.extend(newest);
    }

    /// What is kept, as plain text. Where older bytes were dropped it begins with a whole line,
    /// if there is one, so that it does not begin inside a character or an escape sequence.
    pub(super) fn text(&self) -> String {
        let mut bytes = Vec::with_capacity(self.ring.len());
        let (older, newer) = self.ring.as_slices();
        bytes.extend_from_slice(older);
        bytes.extend_from_slice(newer);
        let was_dropped = self.total > self.ring.len() as u64;
        let start = if was_dropped { first_whole_line(&bytes) } else { 0 };
        plain_text(bytes.get(start..).unwrap_or_default())
    }
}

/// Where the first whole line begins, or the first character where the bytes are one line.
fn first_whole_line(bytes: &[u8]) -> usize {
    match memchr(b'\n', bytes) {
        Some(newline) if newline + 1 < bytes.len() => newline + 1,
        _ => bytes.iter().take(3).take_while(|byte| is_continuation(**byte)).count(),
    }
}
