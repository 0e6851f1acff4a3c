//! What is typed and not yet taken by the program: a bounded queue, written without blocking.
//!
//! A program that does not read fills the kernel's buffer of a few kilobytes; a write that waited
//! for it would hold the host up. So a write queues, and the run's own task moves the queue on
//! whenever the terminal takes more.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use pi_process::lock;
use tokio::sync::Notify;

use super::error::PtyError;
use super::terminal::Terminal;

/// Most bytes that wait for a program. More is not typing, and the host's memory is not a file.
pub(super) const MAX_PENDING_BYTES: usize = 16 * 1024 * 1024;

/// Bytes above which a writer should wait: what the kernel itself holds of a terminal's input.
const HIGH_WATER_BYTES: usize = 64 * 1024;

/// Bytes offered to the terminal at once: a line discipline's buffer.
const OFFER_BYTES: usize = 4096;

/// The queue.
#[derive(Default)]
pub(super) struct Input {
    queue: Mutex<VecDeque<u8>>,
    grown: Notify,
    /// As `grown`, for whoever looks at the terminal.
    typed: Notify,
    /// Bytes that were ever queued.
    total: Arc<AtomicU64>,
}

impl Input {
    /// Queues `bytes`, all or none. False: a writer should wait until less is pending.
    pub(super) fn push(&self, bytes: &[u8]) -> Result<bool, PtyError> {
        let mut queue = lock(&self.queue);
        if queue.len() + bytes.len() > MAX_PENDING_BYTES {
            return Err(PtyError::InputFull);
        }
        queue.extend(bytes);
        self.total.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let has_room = queue.len() <= HIGH_WATER_BYTES;
        drop(queue);
        // One reader, and a permit is kept for it: a wake is never lost.
        self.grown.notify_one();
        self.typed.notify_one();
        Ok(has_room)
    }

    /// Bytes that were ever queued, as it grows.
    pub(super) fn total(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.total)
    }

    /// Bytes that the program's terminal has not taken.
    pub(super) fn pending(&self) -> usize {
        lock(&self.queue).len()
    }

    /// Ends when something was typed since this ended before. For one who waits.
    pub(super) async fn typed(&self) {
        self.typed.notified().await;
    }

    /// Moves the queue into the terminal for ever. Dropped at any time, it loses and repeats
    /// nothing.
    pub(super) async fn pump(&self, terminal: &Terminal) -> Infallible {
        loop {
            let offer = self.front();
            if offer.is_empty() {
                self.grown.notified().await;
                continue;
            }
            match terminal.write(&offer).await {
                Ok(taken) => drop(lock(&self.queue).drain(..taken)),
                // No program has the terminal open, so no one will read this.
                Err(_) => lock(&self.queue).clear(),
            }
        }
    }

    fn front(&self) -> Vec<u8> {
        lock(&self.queue).iter().take(OFFER_BYTES).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_typed_is_queued_as_a_whole_or_not_at_all() {
        let input = Input::default();
        assert!(input.push(&vec![b'x'; HIGH_WATER_BYTES]).unwrap());
        assert!(!input.push(b"y").unwrap(), "a writer should wait");
        assert_eq!(input.pending(), HIGH_WATER_BYTES + 1);
        assert_eq!(input.front(), [b'x'; OFFER_BYTES]);

        let rest = MAX_PENDING_BYTES - HIGH_WATER_BYTES - 1;
        let refused = input.push(&vec![b'z'; rest + 1]).unwrap_err();
        assert!(refused.to_string().contains("leaves 16777216 bytes unread"), "{refused}");
        assert_eq!(input.pending(), HIGH_WATER_BYTES + 1);
        assert!(!input.push(&vec![b'z'; rest]).unwrap());
        assert_eq!(input.pending(), MAX_PENDING_BYTES);
        assert_eq!(input.total().load(Ordering::Relaxed), MAX_PENDING_BYTES as u64);
    }

    #[tokio::test]
    async fn typing_wakes_whoever_waits_for_it_once() {
        let input = Input::default();
        input.push(b"a").unwrap();

        tokio::time::timeout(Duration::from_secs(30), input.typed()).await.unwrap();
        let again = tokio::time::timeout(Duration::from_millis(1), input.typed()).await;
        assert!(again.is_err());
    }
}
