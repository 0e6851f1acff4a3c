//! Hands what a program writes to its observer, one read's worth of text at a time.
//!
//! While the observer has not made room, nothing is read, so the terminal's buffer fills and the
//! program blocks: that is the backpressure from JavaScript to the child.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::observer::Observer;
use crate::output::Decoder;

type Pending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The text on its way to one observer.
pub(super) struct Outflow {
    observer: Arc<dyn Observer>,
    decoder: Decoder,
    pending: Option<Pending>,
}

impl Outflow {
    pub(super) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, decoder: Decoder::new(), pending: None }
    }

    /// Takes bytes as they were read; only while `is_ready`.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.observer.wants_chunks() {
            self.decoder.decode_pieces(bytes, |text| self.observer.chunk(text));
            self.await_room();
        }
    }

    /// The output is complete: flushes a character that was cut off.
    pub(super) fn end(&mut self) {
        if self.observer.wants_chunks() {
            let mut text = String::new();
            self.decoder.finish(&mut text);
            if !text.is_empty() {
                self.observer.chunk(&text);
                self.await_room();
            }
        }
    }

    fn await_room(&mut self) {
        let observer = Arc::clone(&self.observer);
        self.pending = Some(Box::pin(async move { observer.room().await }));
    }

    /// Whether more may be read now.
    pub(super) fn is_ready(&self) -> bool {
        self.pending.is_none()
    }

    /// Waits until the observer took everything. Cancel-safe; ends at once when it did.
    pub(super) async fn drained(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.await;
            self.pending = None;
        }
    }
}
