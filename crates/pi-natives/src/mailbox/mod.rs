//! What one operation has for JavaScript and JavaScript has not yet taken: text, the newest
//! update, the end. Bounded, so that an unread run holds its command back.
//!
//! Batching happens here. What a run reads is announced when its pipe is empty or half of the window
//! is full, and what arrives until JavaScript takes it is joined to it: one waking for many pieces in
//! a flood, and no delay for a word.

mod queue;

pub(crate) use queue::ReadyQueue;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

#[cfg(unix)]
use pi_shell::QuietReport;
use pi_shell::{Observer, SinkUpdate};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::capture::Capture;
use crate::outcome::{Delivery, End, Update};
use crate::quiet::QuietTerminal;
use crate::text::{LEAST_USED_AGAIN, PIECE_BYTES, Text};

/// Text that may wait for JavaScript before the run is held back, in bytes of V8's memory.
///
/// Sixteen pieces: what JavaScript takes in one turn of its event loop, while the run's thread
/// already fills the next ones.
const WINDOW_BYTES: usize = 16 * PIECE_BYTES;

/// Half of the window: text that is announced although more is about to come, and how far a run
/// that was held back is let fill it again. Less would wake both threads for each piece.
const HALF_WINDOW_BYTES: usize = WINDOW_BYTES / 2;

/// Which kinds of output the caller wants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wants {
    /// Decoded text, all of it.
    pub(crate) chunks: bool,
    /// The sink's tail, now and then.
    pub(crate) updates: bool,
    /// Who reads a terminal that is quiet.
    #[cfg(unix)]
    pub(crate) quiet: bool,
    /// How long the run may take. None: as long as it does.
    pub(crate) timeout: Option<Duration>,
}

/// Where the mailbox stands between the run's thread and JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Nothing was announced.
    Idle,
    /// It stands in the ready queue.
    Queued,
    /// JavaScript has a delivery and did not acknowledge it: nothing more is given out, except
    /// the word that the operation ended.
    Delivered,
}

struct State {
    turn: Turn,
    pieces: VecDeque<Text>,
    waiting_bytes: usize,
    update: Option<Update>,
    quiet: Option<QuietTerminal>,
    end: Option<End>,
    /// JavaScript was notified of the end while it held a delivery.
    end_announced: bool,
    /// No one reads any more: what comes is dropped and no one is held back.
    abandoned: bool,
    /// The run waits for room.
    is_held: bool,
}

/// The outbox of one operation.
pub(crate) struct Mailbox {
    id: i64,
    wants: Wants,
    cancel: CancellationToken,
    queue: Weak<ReadyQueue>,
    state: Mutex<State>,
    room: Notify,
    /// The piece that the run fills. JavaScript is given it when it is full, or by `flush`.
    filling: Mutex<Option<Text>>,
    /// Pieces that JavaScript has taken, for their memory: no more than stand in the window.
    used: Mutex<Vec<Text>>,
    /// Buffers of reads that JavaScript has taken: as many.
    read_buffers: Mutex<Vec<Vec<u8>>>,
}

impl Mailbox {
    /// An empty mailbox for the operation `id`, announcing itself in `queue`.
    pub(crate) fn new(id: i64, wants: Wants, queue: Weak<ReadyQueue>) -> Arc<Self> {
        Arc::new(Self {
            id,
            wants,
            cancel: CancellationToken::new(),
            queue,
            state: Mutex::new(State {
                turn: Turn::Idle,
                pieces: VecDeque::new(),
                waiting_bytes: 0,
                update: None,
                quiet: None,
                end: None,
                end_announced: false,
                abandoned: false,
                is_held: false,
            }),
            room: Notify::new(),
            filling: Mutex::new(None),
            used: Mutex::new(Vec::new()),
            read_buffers: Mutex::new(Vec::new()),
        })
    }

    /// The operation's number.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// Cancelled when the caller no longer wants the operation.
    pub(crate) fn cancellation(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Puts in how the operation ended. Only the first end counts.
    pub(crate) fn end(self: &Arc<Self>, end: End) {
        let mut state = self.filled();
        if state.end.is_some() || state.abandoned {
            return;
        }
        state.end = Some(end);
        self.announce(state);
    }

    /// JavaScript is gone: cancels the operation and holds nothing back.
    pub(crate) fn abandon(&self) {
        self.cancel.cancel();
        let mut state = self.lock();
        state.abandoned = true;
        state.pieces.clear();
        state.waiting_bytes = 0;
        state.update = None;
        state.quiet = None;
        drop(state);
        self.room.notify_one();
    }

    /// Takes what JavaScript is given next, and its size in bytes; `None` when there is nothing.
    pub(crate) fn take(&self) -> Option<(Delivery, usize)> {
        let mut state = self.lock();
        if state.turn == Turn::Delivered {
            let end = state.end.as_ref().filter(|_| !state.end_announced)?;
            let patience = end.patience(self.wants.timeout);
            state.end_announced = true;
            return Some((Delivery::ending(self.id, patience), 0));
        }
        let size = state.pieces.front().map_or(0, Text::size);
        if size >= LEAST_USED_AGAIN && state.update.is_none() && state.quiet.is_none() {
            state.turn = Turn::Delivered;
            return Some((Delivery::texts(self.id), size));
        }
        let text = state.pieces.pop_front();
        let update = state.update.take();
        // What was written comes before what is said of the silence after it.
        let quiet = if state.pieces.is_empty() { state.quiet.take() } else { None };
        let end = if state.pieces.is_empty() { state.end.take() } else { None };
        if let Some(text) = &text {
            state.waiting_bytes -= text.size();
        }
        state.turn = Turn::Delivered;
        self.release(state);
        // Nothing else needs patience with its callbacks.
        let patience = end
            .as_ref()
            .filter(|_| text.is_some() || update.is_some() || quiet.is_some())
            .map(|end| end.patience(self.wants.timeout));
        let delivery = Delivery { quiet, ..Delivery::new(self.id, text, update, end) };
        Some((delivery.within(patience), size))
    }

    /// Takes the next text of a delivery that has texts. `None` where there is none.
    pub(crate) fn take_text(&self) -> Option<Text> {
        let mut state = self.lock();
        if state.turn != Turn::Delivered {
            return None;
        }
        let text = state.pieces.pop_front()?;
        state.waiting_bytes -= text.size();
        self.release(state);
        Some(text)
    }

    /// Takes back a piece that has become a string of JavaScript.
    pub(crate) fn take_back(&self, text: Text) {
        match text.into_read_buffer() {
            Ok(buffer) => keep(&mut self.read_buffers(), buffer),
            Err(text @ Text::Read(_)) => drop(text),
            Err(text) if text.size() >= LEAST_USED_AGAIN => keep(&mut self.used(), text),
            Err(_short) => {}
        }
    }

    /// JavaScript is done with the last delivery and can be given the next.
    pub(crate) fn acknowledge(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.turn == Turn::Delivered {
            state.turn = Turn::Idle;
            let has_report = state.update.is_some() || state.quiet.is_some();
            if !state.pieces.is_empty() || has_report || state.end.is_some() {
                self.announce(state);
            }
        }
    }

    /// Lets a run go on that was held back, if there is room again.
    fn release(&self, mut state: MutexGuard<'_, State>) {
        if state.is_held && state.waiting_bytes <= HALF_WINDOW_BYTES {
            state.is_held = false;
            drop(state);
            self.room.notify_one();
        }
    }

    /// Enters the ready queue unless JavaScript has its hands full.
    fn announce(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        match state.turn {
            Turn::Idle => state.turn = Turn::Queued,
            Turn::Delivered if state.end.is_some() => {}
            Turn::Queued | Turn::Delivered => return,
        }
        // The queue's lock is never taken while this one is held.
        drop(state);
        if let Some(queue) = self.queue.upgrade() {
            queue.push(Arc::clone(self));
        }
    }

    fn put(self: &Arc<Self>, text: &str) {
        // Converted before the lock is taken: JavaScript may be about to take the last piece.
        let mut full = Vec::with_capacity(4);
        let mut used = std::mem::take(&mut *self.used());
        Text::fill(&mut self.filling(), text, &mut used, |piece| full.push(piece));
        self.used().append(&mut used);
        if !full.is_empty() {
            self.add(self.lock(), full);
        }
    }

    /// Puts in the first `length` bytes of `buffer`, which are ASCII, and leaves another buffer there.
    fn put_read(self: &Arc<Self>, buffer: &mut Vec<u8>, length: usize) {
        let free = self.read_buffers().pop().filter(|free| free.len() == buffer.len());
        let free = free.unwrap_or_else(|| vec![0; buffer.len()]);
        let pieces = Text::of_read(std::mem::replace(buffer, free), length);
        self.add(self.filled(), pieces);
    }

    fn add(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        pieces: impl IntoIterator<Item = Text>,
    ) {
        if state.abandoned {
            return;
        }
        for piece in pieces {
            state.waiting_bytes += piece.size();
            state.pieces.push_back(piece);
        }
        if state.waiting_bytes >= HALF_WINDOW_BYTES {
            self.announce(state);
        }
    }

    /// Announces what was put in.
    fn flush(self: &Arc<Self>) {
        let state = self.filled();
        if !state.pieces.is_empty() {
            self.announce(state);
        }
    }

    /// The state, with the piece that was being filled among its pieces.
    fn filled(&self) -> MutexGuard<'_, State> {
        let piece = self.filling().take();
        let mut state = self.lock();
        let Some(piece) = piece.filter(|_| !state.abandoned) else { return state };
        let before = state.pieces.back().map_or(0, Text::size);
        // Words that come while JavaScript is busy become one piece.
        let apart = match state.pieces.back_mut() {
            Some(last) => last.join(piece),
            None => Some(piece),
        };
        if let Some(piece) = apart {
            state.waiting_bytes += piece.size();
            state.pieces.push_back(piece);
        } else {
            // A join may have widened the piece: what counts is what it has become.
            let after = state.pieces.back().map_or(0, Text::size);
            state.waiting_bytes += after - before;
        }
        state
    }

    /// Whether the run may go on; where not, it is reported when it may.
    fn has_room(&self) -> bool {
        let mut state = self.lock();
        state.is_held = !state.abandoned && state.waiting_bytes >= WINDOW_BYTES;
        !state.is_held
    }

    fn filling(&self) -> MutexGuard<'_, Option<Text>> {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> MutexGuard<'_, Vec<Text>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_buffers(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.read_buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the fields in order: each is written in one step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps memory for its next use, as much of it as stands in the window.
fn keep<T>(kept: &mut Vec<T>, memory: T) {
    if kept.len() < WINDOW_BYTES / PIECE_BYTES {
        kept.push(memory);
    }
}

/// A mailbox as the run sees it.
pub(crate) struct Outbox {
    mailbox: Arc<Mailbox>,
    capture: Option<Arc<Capture>>,
}

impl Outbox {
    /// Text goes to `mailbox` where it is wanted, and to `capture` where there is one.
    pub(crate) fn new(mailbox: Arc<Mailbox>, capture: Option<Arc<Capture>>) -> Self {
        Self { mailbox, capture }
    }
}

impl Observer for Outbox {
    fn wants_chunks(&self) -> bool {
        self.mailbox.wants.chunks || self.capture.is_some()
    }

    fn chunk(&self, text: &str) {
        if let Some(capture) = &self.capture {
            capture.push(text);
        }
        if self.mailbox.wants.chunks {
            self.mailbox.put(text);
        }
    }

    fn takes_reads(&self) -> bool {
        self.mailbox.wants.chunks && self.capture.is_none()
    }

    fn chunk_read(&self, buffer: &mut Vec<u8>, length: usize) {
        self.mailbox.put_read(buffer, length);
    }

    fn flush(&self) {
        if self.mailbox.wants.chunks {
            self.mailbox.flush();
        }
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            // `notify_one` keeps one permit, so a wake between the check and the wait is not lost.
            while !self.mailbox.has_room() {
                self.mailbox.room.notified().await;
            }
        })
    }

    #[cfg(unix)]
    fn wants_quiet(&self) -> bool {
        self.mailbox.wants.quiet
    }

    #[cfg(unix)]
    fn quiet(&self, report: QuietReport) {
        let mut state = self.mailbox.lock();
        if state.abandoned {
            return;
        }
        state.quiet = Some(QuietTerminal::from(report));
        self.mailbox.announce(state);
    }

    fn wants_updates(&self) -> bool {
        self.mailbox.wants.updates
    }

    fn update(&self, update: SinkUpdate) {
        let mut state = self.mailbox.lock();
        if state.abandoned {
            return;
        }
        state.update = Some(Update::from(update));
        self.mailbox.announce(state);
    }
}
