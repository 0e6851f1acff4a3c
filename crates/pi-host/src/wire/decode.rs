//! Reads frames out of a stream that comes in pieces of any length. Whatever the stream has in it, memory stays within one
//! payload, and what is not a frame is an error that says why.

use std::fmt;

use super::{
    Frame, HEAD_BYTES, Kind, MAX_DATA, MAX_LENGTH, MAX_PAYLOAD, MIN_LENGTH, MORE, MUST_KNOW,
    NEWLINE,
};

/// Bytes of `length`.
const LENGTH_BYTES: usize = 4;

/// Why a stream is not one of frames. Nothing after it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// `length` is out of its range.
    Length(u32),
    /// Flags that the protocol does not have.
    Flags(u8),
    /// A kind that this build does not know and must know.
    Kind(u8),
    /// No newline at its end.
    Newline,
    /// A payload that goes on is followed by another frame.
    Interrupted,
    /// A payload that goes on for too long.
    Payload,
    /// A `Data` frame without an offset, or with more bytes than it may have.
    Data,
}

impl fmt::Display for FrameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => {
                write!(formatter, "a frame of {length} bytes; it has {MIN_LENGTH} to {MAX_LENGTH}")
            }
            Self::Flags(flags) => write!(formatter, "a frame with the unknown flags {flags:#04x}"),
            Self::Kind(kind) => write!(formatter, "a frame of kind {kind}, which must be known"),
            Self::Newline => formatter.write_str("a frame without its newline"),
            Self::Interrupted => formatter.write_str("a frame within the parts of another"),
            Self::Payload => write!(formatter, "a payload of more than {MAX_PAYLOAD} bytes"),
            Self::Data => {
                write!(formatter, "a data frame without offset or above {MAX_DATA} bytes")
            }
        }
    }
}

/// Takes bytes, gives frames.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    bytes: Vec<u8>,
    /// Bytes at the beginning that were given out.
    done: usize,
    /// The parts of a payload that have come, where it goes on.
    begun: Option<Frame>,
}

impl Decoder {
    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.done > 0 {
            self.bytes.drain(..self.done);
            self.done = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame, if it has come whole. Kinds that need not be known are passed over.
    ///
    /// # Errors
    /// Where the stream has no frame there. The decoder is of no use then.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        loop {
            let Some(part) = self.next_of_any_kind()? else { return Ok(None) };
            let Some((frame, goes_on)) = part else {
                // An unknown kind is a frame all the same.
                if self.begun.is_some() {
                    return Err(FrameError::Interrupted);
                }
                continue;
            };
            let whole = match self.begun.take() {
                None => frame,
                Some(begun) if begun.kind != frame.kind || begun.channel != frame.channel => {
                    return Err(FrameError::Interrupted);
                }
                Some(mut begun) => {
                    begun.payload.extend_from_slice(&frame.payload);
                    begun
                }
            };
            if whole.payload.len() > MAX_PAYLOAD {
                return Err(FrameError::Payload);
            }
            if !goes_on {
                return Ok(Some(whole));
            }
            self.begun = Some(whole);
        }
    }

    /// Bytes that wait for the rest of their frame.
    #[cfg(test)]
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// The next frame, and whether its payload goes on; `Some(None)` was one of an unknown kind.
    #[expect(clippy::option_option, reason = "a frame has come, or none; it is known, or not")]
    fn next_of_any_kind(&mut self) -> Result<Option<Option<(Frame, bool)>>, FrameError> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        let Some((length, body)) = rest.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length);
        // Before the rest has come: a length that no frame has is not waited for.
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&size) {
            return Err(FrameError::Length(length));
        }
        let Some(body) = body.get(..size) else { return Ok(None) };
        let frame = frame_of(body)?;
        self.done += LENGTH_BYTES + size;
        Ok(Some(frame))
    }
}

/// A frame without its length, and whether its payload goes on. `None`: of an unknown kind.
fn frame_of(body: &[u8]) -> Result<Option<(Frame, bool)>, FrameError> {
    const BEFORE_PAYLOAD: usize = HEAD_BYTES - LENGTH_BYTES;
    let Some(([kind, flags, channel @ ..], rest)) = body.split_first_chunk::<BEFORE_PAYLOAD>()
    else {
        return Err(FrameError::Newline);
    };
    let Some((&NEWLINE, payload)) = rest.split_last() else { return Err(FrameError::Newline) };
    if flags & !(MUST_KNOW | MORE) != 0 {
        return Err(FrameError::Flags(*flags));
    }
    let Some(known) = Kind::of(*kind) else {
        return if flags & MUST_KNOW == 0 { Ok(None) } else { Err(FrameError::Kind(*kind)) };
    };
    let goes_on = flags & MORE != 0;
    if goes_on && !known.may_go_on() {
        return Err(FrameError::Flags(*flags));
    }
    let offset_and_data = super::OFFSET_BYTES..=super::OFFSET_BYTES + MAX_DATA;
    if known == Kind::Data && !offset_and_data.contains(&payload.len()) {
        return Err(FrameError::Data);
    }
    let channel = u32::from_le_bytes(*channel);
    Ok(Some((Frame { kind: known, channel, payload: payload.to_vec() }, goes_on)))
}
