//! Everything on its way to near, by class: control, answers, starts and ends first, then updates, then text in turns of a
//! piece for each run, then data. Bounded, so that a near side that does not read holds commands back and nothing else.
//!
//! The link's thread takes the next bytes with `next`, writes them and says how long they took; a few bytes are written by
//! whoever puts them in (`writing`). Runs and requests put in from any thread and never wait here, but for `room` of a stream
//! and for `put_data`.
//!
//! The queue outlives links. `attach` begins one, `detach` ends it: what was for that link alone goes, streams stay.

mod pace;
mod state;
mod stream;
#[cfg(test)]
mod tests;
mod writing;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use self::state::State;
pub(crate) use self::stream::{DEFAULT_WINDOW, End, StreamOptions};
use self::stream::{Flow, Stream};
use crate::wire::{Kind, frame_at};

/// Bytes of control frames that may wait. Past it nothing is read from near, who does not read either.
const MAX_CONTROL_BYTES: usize = 2 * 1024 * 1024;

/// Bytes of data frames that may wait.
const MAX_DATA_BYTES: usize = 256 * 1024;

/// Longest wait of the reading side for control frames to leave; then it looks whether the link is still there.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// The queue.
pub(crate) struct Outgoing {
    state: Mutex<State>,
    /// There is something to write.
    filled: Condvar,
    /// Control frames have left.
    emptied: Condvar,
    /// Data frames have left.
    data_room: Notify,
    /// Everything has left, or the link has gone.
    idle: Notify,
}

/// What became of a stream that near asks for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Running,
    Ended,
    Unknown,
}

impl Outgoing {
    /// An empty queue without a link. `keeps`: near may come back.
    pub(crate) fn new(keeps: bool) -> Self {
        Self {
            state: Mutex::new(State { keeps, ..State::default() }),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            data_room: Notify::new(),
            idle: Notify::new(),
        }
    }

    /// Serves link `link` from now on, and no other. `frames` go before everything else.
    pub(crate) fn attach(&self, link: u64, frames: Vec<u8>) {
        let mut state = self.lock();
        state.forget_link();
        state.link = Some(link);
        state.control_bytes = frames.len();
        state.control.push_back(frames);
        drop(state);
        self.wake_all();
    }

    /// The link is gone, if it is the present one.
    pub(crate) fn detach(&self, link: u64) {
        let mut state = self.lock();
        if state.link != Some(link) {
            return;
        }
        state.forget_link();
        for stream in state.streams.values_mut() {
            stream.bound(true);
            stream.room.notify_one();
        }
        drop(state);
        self.wake_all();
    }

    fn wake_all(&self) {
        self.filled.notify_all();
        self.emptied.notify_all();
        self.data_room.notify_waiters();
        self.idle.notify_waiters();
    }

    /// Puts in a whole control frame, for the present link, or for this one only.
    pub(crate) fn put_control(&self, link: Option<u64>, frame: Vec<u8>) {
        let mut state = self.lock();
        if state.link.is_some() && (link.is_none() || link == state.link) {
            state.control_bytes += frame.len();
            state.control.push_back(frame);
            self.leave(state);
        }
    }

    /// Puts in a frame that leaves with the next one, or by itself a little later.
    pub(crate) fn put_patient(&self, frame: &[u8]) {
        let mut state = self.lock();
        if state.link.is_some() {
            state.patient.extend_from_slice(frame);
            state.patient_since.get_or_insert_with(Instant::now);
            self.wake(&state);
        }
    }

    /// Waits, on a thread of its own, while near leaves too many control frames unread. False: the link is gone.
    pub(crate) fn wait_for_control(&self, link: u64) -> bool {
        let mut state = self.lock();
        while state.link == Some(link) && state.control_bytes > MAX_CONTROL_BYTES {
            let waited = self.emptied.wait_timeout(state, LOOK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.link == Some(link)
    }

    /// Puts in a piece of data for a link when there is room. False: the link is gone, and with it whoever wanted it.
    pub(crate) async fn put_data(
        &self,
        link: u64,
        channel: u32,
        offset: u64,
        bytes: &[u8],
    ) -> bool {
        let frame = frame_at(Kind::Data, channel, offset, bytes);
        loop {
            let room = self.data_room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let mut state = self.lock();
                if state.link != Some(link) {
                    return false;
                }
                if state.data_bytes < MAX_DATA_BYTES {
                    state.data_bytes += frame.len();
                    state.data.push_back((channel, frame));
                    self.wake(&state);
                    return true;
                }
            }
            room.await;
        }
    }

    /// Puts in the answer of a channel for a link: after its data, where there are any.
    pub(crate) fn put_answer(&self, link: u64, channel: u32, frame: Vec<u8>) {
        let mut state = self.lock();
        if state.link != Some(link) {
            return;
        }
        if state.data.iter().any(|(one, _)| *one == channel) {
            state.data_bytes += frame.len();
            state.data.push_back((channel, frame));
        } else {
            state.control_bytes += frame.len();
            state.control.push_back(frame);
        }
        self.leave(state);
    }

    /// Opens the stream of a channel. False: the channel has one.
    pub(crate) fn open(&self, channel: u32, options: StreamOptions) -> bool {
        let mut state = self.lock();
        if state.streams.contains_key(&channel) {
            return false;
        }
        state.opened += 1;
        let stream = Stream::new(state.opened, options, state.keeps);
        state.streams.insert(channel, stream);
        true
    }

    /// Takes output of a run. Near sees it after `flush`, or with the end.
    pub(crate) fn push(&self, channel: u32, bytes: &[u8]) {
        let mut state = self.lock();
        let is_away = state.link.is_none();
        let Some(stream) = state.streams.get_mut(&channel) else { return };
        stream.push(bytes, is_away);
        // A flood is looked at before it has ended.
        if !stream.has_room(is_away) {
            state.give_turn(channel);
            self.wake(&state);
        }
    }

    /// Has what was pushed sent.
    pub(crate) fn flush(&self, channel: u32) {
        let mut state = self.lock();
        state.give_turn(channel);
        self.wake(&state);
    }

    /// Replaces the update that was not sent yet.
    pub(crate) fn update(&self, channel: u32, frame: Vec<u8>) {
        let mut state = self.lock();
        if state.link.is_none() {
            return;
        }
        let Some(stream) = state.streams.get_mut(&channel) else { return };
        if !stream.is_abandoned && stream.update.replace(frame).is_none() {
            state.updates.push_back(channel);
        }
        self.wake(&state);
    }

    /// Waits until a stream has room. At once where it has ended, or nothing waits for it.
    pub(crate) async fn room(&self, channel: u32) {
        while let Some(room) = self.missing_room(channel) {
            // One permit is kept, so what came between the look and the wait is not missed.
            room.notified().await;
        }
    }

    fn missing_room(&self, channel: u32) -> Option<Arc<Notify>> {
        let state = self.lock();
        let stream = state.streams.get(&channel)?;
        (!stream.has_room(state.link.is_none())).then(|| Arc::clone(&stream.room))
    }

    /// Its run is being ended: nothing waits for near any more.
    pub(crate) fn free(&self, channel: u32) {
        let mut state = self.lock();
        let is_away = state.link.is_none();
        let Some(stream) = state.streams.get_mut(&channel) else { return };
        stream.flow = Flow::Free;
        stream.bound(is_away);
        stream.room.notify_one();
        state.give_turn(channel);
        self.wake(&state);
    }

    /// Sets how the operation ended. It is sent after its output.
    pub(crate) fn end(&self, channel: u32, end: End) {
        let mut state = self.lock();
        let has_link = state.link.is_some();
        let Some(stream) = state.streams.get_mut(&channel) else { return };
        stream.end(end);
        let mut frames = Vec::new();
        if has_link && !stream.is_abandoned && stream.is_end_due() {
            // Nothing is left before it, so it waits for no turn.
            frames = stream.update.take().unwrap_or_default();
            stream.write_end(channel, &mut frames);
        }
        if stream.is_done() {
            state.streams.remove(&channel);
        } else {
            state.give_turn(channel);
        }
        if !frames.is_empty() {
            state.control_bytes += frames.len();
            state.control.push_back(frames);
        }
        self.leave(state);
    }

    /// Near took text. Returns whether it took the end, too, so that the channel is free.
    pub(crate) fn credit(&self, channel: u32, offset: u64, window: u32) -> bool {
        let mut state = self.lock();
        let Some(stream) = state.streams.get_mut(&channel) else { return false };
        if stream.is_acknowledged(offset, window) {
            state.streams.remove(&channel);
            return true;
        }
        stream.credit(offset, window);
        stream.room.notify_one();
        state.give_turn(channel);
        self.wake(&state);
        false
    }

    /// Which stream it is, where the channel's run has ended and its text waits for credit.
    pub(crate) fn held(&self, channel: u32) -> Option<u64> {
        self.lock().streams.get(&channel).filter(|stream| stream.is_held()).map(|one| one.serial)
    }

    /// Sends the rest of a stream past its window.
    pub(crate) fn free_held(&self, channel: u32, serial: u64) {
        let found = self.lock().streams.get(&channel).map(|stream| stream.serial);
        if found == Some(serial) {
            self.free(channel);
        }
    }

    /// Whether the stream of a channel is there.
    pub(crate) fn is_open(&self, channel: u32) -> bool {
        self.lock().streams.contains_key(&channel)
    }

    /// Names and states of the streams that near may ask for.
    pub(crate) fn named(&self) -> Vec<(u32, String, Found)> {
        let state = self.lock();
        let named = state.streams.iter().filter_map(|(channel, stream)| {
            let found = if stream.has_ended() { Found::Ended } else { Found::Running };
            Some((*channel, stream.id.clone()?, found))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by_key(|(channel, ..)| *channel);
        named
    }

    /// Near is back: it wants stream `id` on, from `offset`. Only before `attach`.
    pub(crate) fn resume(&self, channel: u32, id: &str, offset: u64) -> Found {
        let mut state = self.lock();
        let Some(stream) = state.streams.get_mut(&channel) else { return Found::Unknown };
        if stream.id.as_deref() != Some(id) || stream.is_abandoned {
            return Found::Unknown;
        }
        stream.resume(offset);
        let found = if stream.has_ended() { Found::Ended } else { Found::Running };
        state.give_turn(channel);
        found
    }

    /// Near does not want to hear of a channel any more.
    pub(crate) fn abandon(&self, channel: u32) {
        let mut state = self.lock();
        let Some(stream) = state.streams.get_mut(&channel) else { return };
        stream.is_abandoned = true;
        stream.room.notify_one();
        if stream.is_done() {
            state.streams.remove(&channel);
        }
    }

    /// Channels of streams.
    pub(crate) fn channels(&self) -> Vec<u32> {
        self.lock().streams.keys().copied().collect()
    }

    /// Waits until everything that can be sent has left, or the link is gone.
    pub(crate) async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable();
            {
                let state = self.lock();
                if state.link.is_none() || (!state.is_writing && !state.has_something()) {
                    return;
                }
            }
            idle.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the fields in order: each is written in one step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
