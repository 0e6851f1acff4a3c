//! Frames: their kinds and bounds, and how one is written. How they are read is `decode`'s; what they say, `message`'s.
//!
//! ```text
//! u32 length | u8 kind | u8 flags | u32 channel | payload | 0x0A        little-endian; length counts what follows it
//! ```
//! See docs/place-protocol.md.

mod decode;
#[cfg(test)]
mod laws;

pub(crate) use decode::Decoder;
#[cfg(test)]
use decode::FrameError;

/// Oldest and newest protocol that this build speaks.
pub(crate) const PROTOCOLS: (u32, u32) = (1, 1);

/// Largest `length` of a frame, in bytes.
pub(crate) const MAX_LENGTH: usize = 1024 * 1024;

/// Smallest `length`: kind, flags, channel and newline.
pub(crate) const MIN_LENGTH: usize = 7;

/// Bytes before the payload, `length` among them.
pub(crate) const HEAD_BYTES: usize = 10;

/// Most bytes of a control payload, which goes on in further frames where one does not hold it.
pub(crate) const MAX_PAYLOAD: usize = 16 * 1024 * 1024;

/// Bytes of such a payload in each frame but the last.
const PART_BYTES: usize = MAX_LENGTH - 64;

/// Most bytes that follow the offset in a `Data` frame.
pub(crate) const MAX_DATA: usize = 256 * 1024;

/// Bytes of the offset before text and data.
pub(crate) const OFFSET_BYTES: usize = 8;

/// Ends each frame: some relays pass on whole lines only.
pub(crate) const NEWLINE: u8 = b'\n';

/// The flag of a frame whose kind a receiver must know, or end the link.
pub(crate) const MUST_KNOW: u8 = 1;

/// The flag of a frame whose payload goes on in the next one, which has the same kind and channel.
pub(crate) const MORE: u8 = 2;

/// What a frame is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// The first frame each way.
    Hello = 1,
    /// Near asks for an operation.
    Request = 2,
    /// Near has a command run.
    Run = 3,
    /// Near took text.
    Credit = 4,
    /// Near has a run or a terminal ended.
    Cancel = 5,
    /// A piece of a file, or a terminal's bytes.
    Data = 6,
    /// Proof of life is asked for.
    Ping = 7,
    /// And given.
    Pong = 8,
    /// The last frame.
    Bye = 9,
    /// Near comes back to an engine that was kept.
    Attach = 10,
    /// What became of its runs.
    Attached = 11,
    /// What came of a request.
    Answer = 12,
    /// A run has its turn.
    Started = 13,
    /// A piece of a run's output.
    Text = 14,
    /// The newest tail of a run's output.
    Update = 15,
    /// How a run ended.
    End = 16,
    /// Who reads a terminal that is quiet.
    Quiet = 17,
}

impl Kind {
    /// Whether its payload may go on in further frames.
    fn may_go_on(self) -> bool {
        matches!(
            self,
            Self::Hello
                | Self::Request
                | Self::Run
                | Self::Attach
                | Self::Attached
                | Self::Answer
                | Self::End
        )
    }

    /// The kind of this number, where there is one.
    pub(crate) fn of(number: u8) -> Option<Self> {
        const ALL: [Kind; 17] = [
            Kind::Hello,
            Kind::Request,
            Kind::Run,
            Kind::Credit,
            Kind::Cancel,
            Kind::Data,
            Kind::Ping,
            Kind::Pong,
            Kind::Bye,
            Kind::Attach,
            Kind::Attached,
            Kind::Answer,
            Kind::Started,
            Kind::Text,
            Kind::Update,
            Kind::End,
            Kind::Quiet,
        ];
        ALL.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A frame as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// What it is about.
    pub(crate) kind: Kind,
    /// Whom; 0 for the link itself.
    pub(crate) channel: u32,
    /// What it says.
    pub(crate) payload: Vec<u8>,
}

/// Appends the head of a frame whose payload has `payload_bytes`. They and a newline have to follow.
pub(crate) fn push_head(out: &mut Vec<u8>, kind: Kind, channel: u32, payload_bytes: usize) {
    push_head_with(out, kind, 0, channel, payload_bytes);
}

fn push_head_with(out: &mut Vec<u8>, kind: Kind, flags: u8, channel: u32, payload_bytes: usize) {
    // Whoever calls it keeps the bound.
    let length = u32::try_from(payload_bytes + MIN_LENGTH).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.push(kind as u8);
    out.push(flags);
    out.extend_from_slice(&channel.to_le_bytes());
}

/// Appends a frame, or as many as its payload needs. It has at most `MAX_PAYLOAD` bytes, and what may not go on at most
/// those of one frame.
pub(crate) fn push_frame(out: &mut Vec<u8>, kind: Kind, channel: u32, payload: &[u8]) {
    let mut rest = payload;
    while kind.may_go_on()
        && rest.len() > PART_BYTES
        && let Some((part, after)) = rest.split_at_checked(PART_BYTES)
    {
        push_head_with(out, kind, MORE, channel, part.len());
        out.extend_from_slice(part);
        out.push(NEWLINE);
        rest = after;
    }
    push_head(out, kind, channel, rest.len());
    out.extend_from_slice(rest);
    out.push(NEWLINE);
}

/// A frame by itself.
pub(crate) fn frame(kind: Kind, channel: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD_BYTES + payload.len() + 1);
    push_frame(&mut out, kind, channel, payload);
    out
}

/// A frame with bytes at an offset: text or data.
pub(crate) fn frame_at(kind: Kind, channel: u32, offset: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD_BYTES + OFFSET_BYTES + bytes.len() + 1);
    push_head(&mut out, kind, channel, OFFSET_BYTES + bytes.len());
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(bytes);
    out.push(NEWLINE);
    out
}

/// The number at the beginning of a payload, and what follows it.
pub(crate) fn split_u64(payload: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = payload.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*number), rest))
}
