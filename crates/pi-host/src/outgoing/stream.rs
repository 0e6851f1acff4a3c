//! The output of one run or terminal on its way to near: what waits, what was sent and not acknowledged, how far it may be
//! sent, and its end. Plain state; who locks it and who writes is the queue's.
//!
//! # Theory of operation
//! Offsets count the bytes of the text from its beginning, those that were left out too. Near acknowledges by an offset and
//! gives a window from there. What was sent and not acknowledged is kept where near may come back (`keeps`), so the memory
//! of a run is its window, what waits for it, and one read.
//!
//! While near can take more the command waits for room. When it cannot be waited for (`Flow::Free`: the run is being ended;
//! `Flow::Away`: no link), the newest bytes are kept and the rest is counted.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::wire::{Kind, NEWLINE, OFFSET_BYTES, push_frame, push_head};

/// Bytes that are kept of what cannot be waited for.
pub(super) const KEPT_BYTES: usize = 256 * 1024;

/// Window of a run that names none, in bytes.
pub(crate) const DEFAULT_WINDOW: u32 = 256 * 1024;

/// Bytes that stand around a piece and an end at most.
const AROUND_PIECES: usize = 128;

/// Smallest and largest window, in bytes.
const WINDOWS: (u32, u32) = (4 * 1024, 4 * 1024 * 1024);

/// What is sent to near of an operation's end: the frame's kind, and the members of its JSON object.
pub(crate) struct End {
    pub(crate) kind: Kind,
    /// Members without the braces around them.
    pub(crate) members: Vec<u8>,
}

/// How a stream is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamOptions {
    /// `Text` or `Data`.
    pub(crate) is_data: bool,
    /// Names it when near comes back.
    pub(crate) id: Option<String>,
    /// Bytes that may be on their way. `None`: as many as the link takes.
    pub(crate) window: Option<u32>,
}

/// Who waits for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// The command waits for near.
    Waits,
    /// The run is being ended: nothing waits, and the rest is sent past the window.
    Free,
}

/// Something that was sent and not acknowledged.
struct Piece {
    offset: u64,
    bytes: Vec<u8>,
}

impl Piece {
    fn end(&self) -> u64 {
        self.offset + u64_of(self.bytes.len())
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Stream {
    /// Its own, however often its channel is used.
    pub(super) serial: u64,
    pub(super) id: Option<String>,
    kind: Kind,
    waiting: VecDeque<u8>,
    /// Offset of the first byte that waits.
    waiting_from: u64,
    /// End of what was sent.
    sent: u64,
    acknowledged: u64,
    /// Sent, not acknowledged; only where `keeps`.
    pieces: VecDeque<Piece>,
    /// How many of these went over the present link.
    resent: usize,
    /// How far near lets it be sent, and the window it named last. `None`: there is no credit.
    credit: Option<(u64, u32)>,
    pub(super) flow: Flow,
    /// Near may come back and ask for it again.
    keeps: bool,
    /// Near does not want to hear of it any more.
    pub(super) is_abandoned: bool,
    left_out: u64,
    pub(super) update: Option<Vec<u8>>,
    end: Option<End>,
    /// The end went over the present link.
    is_end_sent: bool,
    /// It stands among those whose turn comes.
    pub(super) has_turn: bool,
    /// Ends when there is room again.
    pub(super) room: Arc<Notify>,
}

impl Stream {
    pub(super) fn new(serial: u64, options: StreamOptions, keeps: bool) -> Self {
        let window = options.window.map(|window| window.clamp(WINDOWS.0, WINDOWS.1));
        Self {
            serial,
            keeps: keeps && options.id.is_some(),
            id: options.id,
            kind: if options.is_data { Kind::Data } else { Kind::Text },
            waiting: VecDeque::new(),
            waiting_from: 0,
            sent: 0,
            acknowledged: 0,
            pieces: VecDeque::new(),
            resent: 0,
            credit: window.map(|window| (window.into(), window)),
            flow: Flow::Waits,
            is_abandoned: false,
            left_out: 0,
            update: None,
            end: None,
            is_end_sent: false,
            has_turn: false,
            room: Arc::new(Notify::new()),
        }
    }

    /// Takes bytes that were written. `is_away`: there is no link.
    pub(super) fn push(&mut self, bytes: &[u8], is_away: bool) {
        if self.is_abandoned {
            self.waiting_from += u64_of(bytes.len());
            return;
        }
        self.waiting.extend(bytes);
        self.bound(is_away);
    }

    /// Leaves the oldest out of what waits, where that cannot be waited for.
    pub(super) fn bound(&mut self, is_away: bool) {
        let most = match (self.flow, is_away) {
            (Flow::Waits, false) => return,
            (Flow::Free, _) => KEPT_BYTES,
            (Flow::Waits, true) => {
                // With what waits to be sent again: a window, as ever.
                let kept: usize = self.pieces.iter().map(|piece| piece.bytes.len()).sum();
                let window = self.credit.map_or(KEPT_BYTES, |(_, window)| size_of(window.into()));
                window.max(KEPT_BYTES).saturating_sub(kept)
            }
        };
        let over = self.waiting.len().saturating_sub(most);
        if over == 0 {
            return;
        }
        let mut cut = over;
        while self.kind == Kind::Text && self.waiting.get(cut).copied().is_some_and(goes_on) {
            cut += 1;
        }
        drop(self.waiting.drain(..cut));
        self.waiting_from += u64_of(cut);
        self.left_out += u64_of(cut);
    }

    /// Whether its command may write more.
    pub(super) fn has_room(&self, is_away: bool) -> bool {
        if self.flow == Flow::Free || self.is_abandoned || is_away {
            return true;
        }
        let most = self.credit.map_or(KEPT_BYTES, |(_, window)| size_of(window.into()));
        self.in_flight().saturating_add(self.waiting.len()) < most
    }

    /// Bytes that were sent and not acknowledged.
    fn in_flight(&self) -> usize {
        match self.credit {
            Some(_) => size_of(self.sent.saturating_sub(self.acknowledged)),
            None => 0,
        }
    }

    /// Near took the text up to `offset`, and may be sent `window` bytes from there.
    pub(super) fn credit(&mut self, offset: u64, window: u32) {
        let offset = offset.min(self.sent);
        if offset >= self.acknowledged {
            self.acknowledged = offset;
            let window = window.min(WINDOWS.1);
            self.credit = self.credit.map(|_| (offset + u64::from(window), window));
        }
        while self.pieces.front().is_some_and(|piece| piece.end() <= offset) {
            self.pieces.pop_front();
            self.resent = self.resent.saturating_sub(1);
        }
    }

    /// Near is back and has the text up to `offset`.
    pub(super) fn resume(&mut self, offset: u64) {
        let window = self.credit.map_or(DEFAULT_WINDOW, |(_, window)| window);
        self.credit(offset, if window == 0 { DEFAULT_WINDOW } else { window });
        self.resent = 0;
        self.is_end_sent = false;
        // A piece that near has the beginning of is sent from there on.
        if let Some(piece) = self.pieces.front_mut() {
            let known = size_of(offset.saturating_sub(piece.offset)).min(piece.bytes.len());
            drop(piece.bytes.drain(..known));
            piece.offset += u64_of(known);
        }
    }

    /// Sets the end. Only the first counts.
    pub(super) fn end(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Whether the end went out, and near need not be waited for.
    pub(super) fn is_done(&self) -> bool {
        self.has_ended() && (self.is_abandoned || (self.is_end_sent && !self.keeps))
    }

    /// Whether near has acknowledged its end by this credit.
    pub(super) fn is_acknowledged(&self, offset: u64, window: u32) -> bool {
        self.is_end_sent && window == 0 && offset >= self.sent
    }

    /// Bytes of waiting text that may be sent now.
    fn sendable(&self) -> usize {
        let mut size = self.allowed();
        // Whole characters: less than one waits for more credit.
        while size > 0
            && self.kind == Kind::Text
            && self.waiting.get(size).copied().is_some_and(goes_on)
        {
            size -= 1;
        }
        size
    }

    /// Bytes of waiting text that near's credit allows.
    fn allowed(&self) -> usize {
        let Some((limit, window)) = self.credit.filter(|_| self.flow == Flow::Waits) else {
            return self.waiting.len();
        };
        // Nothing is on its way, so near has the whole window, also past what was left out.
        let limit = if self.acknowledged >= self.sent {
            limit.max(self.waiting_from + u64::from(window))
        } else {
            limit
        };
        self.waiting.len().min(size_of(limit.saturating_sub(self.waiting_from)))
    }

    /// Whether it has ended and its text waits for credit.
    pub(super) fn is_held(&self) -> bool {
        self.has_ended() && !self.is_abandoned && self.sendable() < self.waiting.len()
    }

    /// Whether there is something to send at its turn.
    pub(super) fn wants_turn(&self) -> bool {
        !self.is_abandoned
            && (self.resent < self.pieces.len() || self.sendable() > 0 || self.is_end_due())
    }

    /// Bytes that it could send now, and rather more than that.
    pub(super) fn waiting_bytes(&self) -> usize {
        let again = self.pieces.iter().skip(self.resent).map(|piece| piece.bytes.len());
        let end = self.end.as_ref().map_or(0, |end| end.members.len());
        AROUND_PIECES + again.sum::<usize>() + self.sendable() + end
    }

    /// Its text is out, and its end is not.
    pub(super) fn is_end_due(&self) -> bool {
        self.has_ended()
            && !self.is_end_sent
            && self.waiting.is_empty()
            && self.resent == self.pieces.len()
    }

    /// Writes the next piece, at most so large, and the end where nothing is left before it. False: there was nothing.
    pub(super) fn write_piece(&mut self, channel: u32, most: usize, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        if let Some(piece) = self.pieces.get(self.resent) {
            push_piece(out, self.kind, channel, piece.offset, &piece.bytes);
            self.resent += 1;
        } else {
            self.write_waiting(channel, most, out);
        }
        if self.is_end_due() {
            self.write_end(channel, out);
        }
        out.len() > before
    }

    fn write_waiting(&mut self, channel: u32, most: usize, out: &mut Vec<u8>) {
        let mut size = self.sendable().min(most);
        while size > 0
            && self.kind == Kind::Text
            && self.waiting.get(size).copied().is_some_and(goes_on)
        {
            size -= 1;
        }
        if size == 0 {
            return;
        }
        let offset = self.waiting_from;
        push_head(out, self.kind, channel, OFFSET_BYTES + size);
        out.extend_from_slice(&offset.to_le_bytes());
        let start = out.len();
        let (first, second) = self.waiting.as_slices();
        let split = size.min(first.len());
        out.extend_from_slice(first.get(..split).unwrap_or_default());
        out.extend_from_slice(second.get(..size - split).unwrap_or_default());
        if self.keeps {
            let bytes = out.get(start..).unwrap_or_default().to_vec();
            self.pieces.push_back(Piece { offset, bytes });
            self.resent += 1;
        }
        out.push(NEWLINE);
        drop(self.waiting.drain(..size));
        self.waiting_from += u64_of(size);
        self.sent = self.waiting_from;
    }

    /// Writes the end.
    pub(super) fn write_end(&mut self, channel: u32, out: &mut Vec<u8>) {
        let Some(end) = &self.end else { return };
        let mut payload = Vec::with_capacity(end.members.len() + 40);
        payload.push(b'{');
        payload.extend_from_slice(&end.members);
        if self.left_out > 0 {
            payload.extend_from_slice(format!(",\"leftOutBytes\":{}", self.left_out).as_bytes());
        }
        payload.push(b'}');
        push_frame(out, end.kind, channel, &payload);
        self.is_end_sent = true;
    }
}

fn push_piece(out: &mut Vec<u8>, kind: Kind, channel: u32, offset: u64, bytes: &[u8]) {
    push_head(out, kind, channel, OFFSET_BYTES + bytes.len());
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(bytes);
    out.push(NEWLINE);
}

/// A byte that goes on with a character of UTF-8.
fn goes_on(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn u64_of(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn size_of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
