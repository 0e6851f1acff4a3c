//! What the queue has, and in which order it leaves. Plain state; who locks it is the queue's.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::pace::Pace;
use super::stream::Stream;
use super::writing::Output;

/// How long the start of a run waits for what comes after it. A plain builtin ends sooner, and then one write carries both:
/// of two, a transport with Nagle's algorithm holds the second back until the first was acknowledged, which takes 40 ms.
const PATIENCE: Duration = Duration::from_millis(2);

#[derive(Default)]
pub(super) struct State {
    /// Number of the link that is served. `None`: there is none.
    pub(super) link: Option<u64>,
    /// Near may come back, and streams are kept for that.
    pub(super) keeps: bool,
    pub(super) control: VecDeque<Vec<u8>>,
    pub(super) control_bytes: usize,
    /// Frames that leave with the next ones, or by themselves when they have waited long enough.
    pub(super) patient: Vec<u8>,
    /// Since when the oldest of them waits.
    pub(super) patient_since: Option<Instant>,
    /// Each with its channel.
    pub(super) data: VecDeque<(u32, Vec<u8>)>,
    pub(super) data_bytes: usize,
    pub(super) streams: HashMap<u32, Stream>,
    /// How many streams there were.
    pub(super) opened: u64,
    /// Channels with a newer tail.
    pub(super) updates: VecDeque<u32>,
    /// Channels with something to send.
    pub(super) turns: VecDeque<u32>,
    pub(super) pace: Pace,
    pub(super) is_writing: bool,
    /// Where the link's bytes go, for those that write few of them.
    pub(super) output: Option<Output>,
    /// The link that such a thread writes to right now.
    pub(super) writes_directly: Option<u64>,
    /// What such a thread could not write: the link's own thread does, before all else.
    pub(super) unwritten: Vec<u8>,
    /// How many threads put in more before anything is written.
    pub(super) hushes: u32,
}

impl State {
    /// What was for the present link alone goes.
    pub(super) fn forget_link(&mut self) {
        self.link = None;
        self.control.clear();
        self.control_bytes = 0;
        self.patient.clear();
        self.patient_since = None;
        self.data.clear();
        self.data_bytes = 0;
        self.updates.clear();
        self.pace = Pace::default();
        self.is_writing = false;
        self.output = None;
        self.unwritten.clear();
        for stream in self.streams.values_mut() {
            stream.update = None;
        }
    }

    pub(super) fn give_turn(&mut self, channel: u32) {
        let Some(stream) = self.streams.get_mut(&channel) else { return };
        if !stream.has_turn && stream.wants_turn() {
            stream.has_turn = true;
            self.turns.push_back(channel);
        }
    }

    /// How long the frames that wait for others have to wait yet; `None`: there are none.
    pub(super) fn patience(&self) -> Option<Duration> {
        Some(PATIENCE.saturating_sub(self.patient_since?.elapsed()))
    }

    pub(super) fn has_something(&self) -> bool {
        !self.patient.is_empty() || !self.unwritten.is_empty() || self.has_urgent()
    }

    /// Whether something is to be written now.
    pub(super) fn is_due(&self) -> bool {
        self.has_urgent()
            || !self.unwritten.is_empty()
            || self.patience().is_some_and(|left| left.is_zero())
    }

    /// Whether another thread than the link's own may write.
    pub(super) fn takes_direct_writer(&self) -> bool {
        !self.is_writing && self.writes_directly.is_none() && self.unwritten.is_empty()
    }

    /// Bytes of everything that could be written now, and rather more than that.
    pub(super) fn waiting_bytes(&self) -> usize {
        let stream = |channel| self.streams.get(channel);
        let updates = self.updates.iter().filter_map(stream);
        let updates = updates.filter_map(|stream| stream.update.as_ref()).map(Vec::len);
        let turns = self.turns.iter().filter_map(stream).map(Stream::waiting_bytes);
        let fixed = self.control_bytes + self.patient.len() + self.data_bytes;
        updates.chain(turns).fold(fixed, usize::saturating_add)
    }

    fn has_urgent(&self) -> bool {
        let has_turn = |channel| self.streams.get(channel).is_some_and(Stream::wants_turn);
        !self.control.is_empty()
            || !self.updates.is_empty()
            || !self.data.is_empty()
            || self.turns.iter().any(has_turn)
    }

    /// Writes what comes next: all of a class before the next one, and about a piece in all.
    pub(super) fn fill(&mut self, piece_bytes: usize, out: &mut Vec<u8>) {
        out.append(&mut self.unwritten);
        if self.patience().is_some_and(|left| left.is_zero() || self.has_urgent()) {
            out.append(&mut self.patient);
            self.patient_since = None;
        }
        while out.len() < piece_bytes
            && let Some(frame) = self.control.pop_front()
        {
            self.control_bytes -= frame.len();
            out.extend_from_slice(&frame);
        }
        while out.len() < piece_bytes
            && let Some(channel) = self.updates.pop_front()
        {
            let update = self.streams.get_mut(&channel).and_then(|stream| stream.update.take());
            out.extend(update.unwrap_or_default());
        }
        while out.len() < piece_bytes
            && let Some(channel) = self.turns.pop_front()
        {
            self.take_turn(channel, piece_bytes, out);
        }
        while out.len() < piece_bytes
            && let Some((_, frame)) = self.data.pop_front()
        {
            self.data_bytes -= frame.len();
            out.extend_from_slice(&frame);
        }
    }

    pub(super) fn take_turn(&mut self, channel: u32, piece_bytes: usize, out: &mut Vec<u8>) {
        let is_away = self.link.is_none();
        let Some(stream) = self.streams.get_mut(&channel) else { return };
        stream.has_turn = false;
        stream.write_piece(channel, piece_bytes, out);
        if stream.is_done() {
            self.streams.remove(&channel);
            return;
        }
        if stream.has_room(is_away) {
            stream.room.notify_one();
        }
        self.give_turn(channel);
    }
}
