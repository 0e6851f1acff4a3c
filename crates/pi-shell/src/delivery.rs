//! Hands what a command writes to its sink and its observer, and slows reading down when the
//! observer is slow.
//!
//! One `Delivery` serves one run. It holds at most one read's worth of text for the observer;
//! while that waits, nothing is read, so the pipe fills and the command blocks: that is the
//! backpressure from JavaScript to the child.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_mask::{Mask, Masker};
use pi_output::{Decoder, OutputSummary, Sink, SinkOptions};

use crate::observer::Observer;
use crate::request::RunOptions;
use crate::source::{READ_BYTES, Source};

/// Time for 64 KiB beyond which the disk is taken for slow. In memory it takes microseconds.
const SLOW_PUSH: Duration = Duration::from_millis(5);

type Pending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Takes the output of one run.
pub(crate) struct Delivery {
    observer: Arc<dyn Observer>,
    sink: Option<Sink>,
    decoder: Decoder,
    mask: Option<Mask>,
    /// Masks what the observer is given.
    masker: Option<Masker>,
    pending: Option<Pending>,
    slow_disk: bool,
}

impl Delivery {
    /// The delivery of one run of `options`, without them that of a terminal.
    pub(crate) fn new(observer: Arc<dyn Observer>, options: Option<&RunOptions>) -> Self {
        let mask = options.and_then(|options| options.mask.clone());
        Self {
            masker: mask.as_ref().filter(|_| observer.wants_chunks()).map(Mask::masker),
            observer,
            sink: options.and_then(|options| options.sink.clone()).map(Sink::new),
            decoder: Decoder::default(),
            mask,
            pending: None,
            slow_disk: false,
        }
    }

    /// Whether the observer takes the text.
    #[cfg(target_os = "linux")]
    pub(crate) fn wants_text(&self) -> bool {
        self.observer.wants_chunks()
    }

    /// Takes bytes as they were read.
    #[cfg(unix)]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.push_part(bytes, true);
    }

    /// As `push`. The observer need not look at it before `flush`, unless `at_once`.
    #[cfg(unix)]
    pub(crate) fn push_part(&mut self, bytes: &[u8], at_once: bool) {
        self.give_text(bytes, !at_once);
        self.give_to_sink(|sink| sink.push(bytes));
        self.update();
    }

    /// Has the observer look at what it was given: no more came. The end of the run does so too.
    pub(crate) fn flush(&mut self) {
        if self.observer.wants_chunks() {
            self.show_begun();
            self.observer.flush();
        }
    }

    /// Takes the `length` bytes of the last read of `source`, without a copy where it can be.
    pub(crate) fn take(&mut self, source: &mut impl Source, length: usize) {
        let has_more = source.has_more();
        self.take_as(source, length, has_more);
    }

    /// As `take`. The observer need not look at it before `flush` or the end of the run.
    pub(crate) fn take_rest(&mut self, source: &mut impl Source, length: usize) {
        self.take_as(source, length, true);
    }

    fn take_as(&mut self, source: &mut impl Source, length: usize, has_more: bool) {
        if self.is_read_as_a_whole(source.bytes(length)) {
            match self.pass(source.bytes(length)) {
                0 => self.given(has_more),
                passed => self.give_read(source.buffer(), passed, has_more),
            }
        } else {
            self.give_text(source.bytes(length), has_more);
            self.give_to_sink(|sink| sink.push_buffer(source.buffer(), length));
        }
        self.update();
    }

    /// Whether the observer may have these bytes where they were read: much text that needs no
    /// decoding, and no one else who wants it.
    fn is_read_as_a_whole(&self, bytes: &[u8]) -> bool {
        self.sink.is_none()
            && bytes.len() >= READ_BYTES / 2
            && self.observer.takes_reads()
            && self.decoder.pending_len() == 0
            && bytes.is_ascii()
    }

    /// How many bytes of a read can go to the observer as they are. 0: what is not held went there.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let Some(masker) = &mut self.masker else { return bytes.len() };
        let (decoder, observer) = (&mut self.decoder, &self.observer);
        masker
            .push_or_pass(bytes, |bytes| decoder.decode_pieces(bytes, |text| observer.chunk(text)))
    }

    /// Gives the observer what is held back and says nothing: no more comes for now.
    fn show_begun(&mut self) {
        let (decoder, observer) = (&mut self.decoder, &self.observer);
        if let Some(masker) = &mut self.masker {
            masker.show_begun(|bytes| decoder.decode_pieces(bytes, |text| observer.chunk(text)));
        }
    }

    fn give_read(&mut self, buffer: &mut Vec<u8>, length: usize, has_more: bool) {
        self.observer.chunk_read(buffer, length);
        self.given(has_more);
    }

    /// Gives bytes to the observer as text. Where `has_more`, it need not look at them at once.
    fn give_text(&mut self, bytes: &[u8], has_more: bool) {
        if self.observer.wants_chunks() {
            let (decoder, observer) = (&mut self.decoder, &self.observer);
            let mut give = |bytes: &[u8]| decoder.decode_pieces(bytes, |text| observer.chunk(text));
            match &mut self.masker {
                None => give(bytes),
                Some(masker) => masker.push(bytes, give),
            }
            self.given(has_more);
        }
    }

    /// The observer was given text. Where `has_more`, it need not look at it at once.
    fn given(&mut self, has_more: bool) {
        if !has_more {
            self.show_begun();
            self.observer.flush();
        }
        self.await_room();
    }

    /// The sink writes its spill file as it goes. A slow disk slows the command down; other
    /// sessions get another thread then.
    fn give_to_sink(&mut self, give: impl FnOnce(&mut Sink)) {
        let Some(sink) = &mut self.sink else { return };
        let start = Instant::now();
        if self.slow_disk && has_other_threads() {
            tokio::task::block_in_place(|| give(sink));
        } else {
            give(sink);
        }
        self.slow_disk = start.elapsed() > SLOW_PUSH;
    }

    fn await_room(&mut self) {
        let observer = Arc::clone(&self.observer);
        self.pending = Some(Box::pin(async move { observer.room().await }));
    }

    /// The command is being ended.
    pub(crate) fn stopping(&self) {
        self.observer.stopping();
    }

    /// Whether more may be read now.
    pub(crate) fn is_ready(&self) -> bool {
        self.pending.is_none()
    }

    /// Waits until the observer took everything. Cancel-safe; ends at once when it did.
    pub(crate) async fn drained(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.await;
            self.pending = None;
        }
    }

    /// Whether what is taken may go to a file.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_file(&self) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.spill_path().is_some())
    }

    /// Whether the file is written, or made, when `more` bytes are taken and the output ends.
    #[cfg(target_os = "linux")]
    pub(crate) fn needs_file_for(&self, more: usize) -> bool {
        self.sink.as_ref().is_some_and(|sink| sink.needs_file_for(more))
    }

    /// Sends the newest tail if one is due.
    pub(crate) fn update(&mut self) {
        if !self.observer.wants_updates() {
            return;
        }
        if let Some(update) = self.sink.as_mut().and_then(|sink| sink.update(Instant::now())) {
            self.observer.update(update);
        }
    }

    /// When the next update is due, if output came since the last one.
    pub(crate) fn next_update(&self) -> Option<Instant> {
        if !self.observer.wants_updates() {
            return None;
        }
        self.sink.as_ref().and_then(Sink::pending_update_at)
    }

    /// The output is complete: gives out what is left of a sequence that was cut off.
    pub(crate) fn end(&mut self) {
        if self.observer.wants_chunks() {
            let (decoder, observer) = (&mut self.decoder, &self.observer);
            if let Some(masker) = &mut self.masker {
                masker.finish(|bytes| decoder.decode_pieces(bytes, |text| observer.chunk(text)));
            }
            let mut text = String::new();
            self.decoder.finish(&mut text);
            if !text.is_empty() {
                self.observer.chunk(&text);
                self.await_room();
            }
        }
    }

    /// What the sink kept. The sink stays for late output, which is appended to the spill file:
    /// where `expects_more`, that file is made now, however little was written.
    pub(crate) fn summary(&mut self, expects_more: bool) -> Option<OutputSummary> {
        let sink = self.sink.as_mut()?;
        if expects_more {
            sink.require_spill();
        }
        Some(sink.finish(None))
    }

    /// Where what background children write later goes.
    pub(crate) fn into_late(self) -> Sink {
        // One that nothing was pushed to keeps late output only.
        let options = SinkOptions { mask: self.mask, ..SinkOptions::default() };
        self.sink.unwrap_or_else(|| Sink::new(options))
    }
}

/// Whether blocking here leaves the runtime with a thread. Tests run on a single one.
fn has_other_threads() -> bool {
    tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread
}

#[cfg(test)]
#[path = "delivery_cases.rs"]
mod cases;
