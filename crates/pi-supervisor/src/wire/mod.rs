//! Frames on the control socket between a host and its supervisor.
//!
//! A frame is a little-endian `u32` length, then that many bytes: one kind byte and the fields in
//! the order of their declaration. Integers are little-endian; a byte string is its `u32` length
//! and its bytes; a list is its `u32` count and its items. Both ends are of the same build and
//! [`VERSION`] proves it, so there are no optional fields and no negotiation.
//!
//! Descriptors of a [`Spawn`], and the listener of a [`Confine`], travel as `SCM_RIGHTS` with the first
//! byte of a frame; sending and receiving is not done here: this module is pure, so that hostile input can be tested.

mod codec;
mod confine;
mod event;
mod request;

pub use confine::{Confine, ConfineStep, Landlock, Namespaces, PathRule};
pub use event::{Event, Exit, SpawnStep, Usage};
pub use request::{Limit, Request, Resource, Spawn};

/// Name that the supervisor is started by (`argv[0]`), whatever its file is called.
pub const PROGRAM_NAME: &str = "pi-supervisor";

/// Its first argument, which says the same where a program in between chooses the name.
pub const PROGRAM_ARGUMENT: &str = "--supervise";

/// Version of the wire, in [`Event::Ready`]. Changes with every change of a frame.
pub const VERSION: u32 = 6;

/// Longest frame, in bytes without its length prefix: 16 MiB.
///
/// Linux takes at most 6 MiB of arguments and environment, whatever the stack limit
/// (`_STK_LIM / 4 * 3`), so nothing that could be executed is refused.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Most descriptors of one spawn. The kernel passes up to 253 (`SCM_MAX_FD`); a shell needs 3.
pub const MAX_DESCRIPTORS: usize = 64;

/// Bytes of a frame's length prefix.
const PREFIX_BYTES: usize = 4;

/// Buffer kept between frames, in bytes.
const KEPT_CAPACITY: usize = 256 * 1024;

/// The other end does not speak this protocol; nothing it sent can be trusted from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// A frame announces more bytes than [`MAX_FRAME_BYTES`], or none.
    FrameLength(usize),
    /// A frame ends inside a field.
    Truncated,
    /// A frame goes on after its last field.
    TrailingBytes,
    /// A kind, flag or enumeration byte has no meaning.
    UnknownValue(u8),
    /// A string that becomes a C string has a NUL byte.
    NulByte,
    /// A spawn has no program.
    NoProgram,
    /// A spawn announces more than [`MAX_DESCRIPTORS`] descriptors.
    TooManyDescriptors(u32),
}

impl std::fmt::Display for WireError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::FrameLength(length) => write!(formatter, "frame of `{length}` bytes"),
            Self::Truncated => formatter.write_str("frame ends inside a field"),
            Self::TrailingBytes => formatter.write_str("frame has bytes after its last field"),
            Self::UnknownValue(value) => write!(formatter, "byte `{value}` has no meaning here"),
            Self::NulByte => formatter.write_str("string contains a NUL byte"),
            Self::NoProgram => formatter.write_str("spawn without a program"),
            Self::TooManyDescriptors(count) => {
                write!(formatter, "spawn with `{count}` descriptors")
            }
        }
    }
}

impl std::error::Error for WireError {}

/// Cuts a byte stream into frames, whatever pieces it arrives in.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    /// Bytes at the beginning of `buffer` that belong to frames already returned.
    consumed: usize,
}

impl FrameReader {
    /// Takes what was read from the socket.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.consumed == self.buffer.len() && self.buffer.capacity() > KEPT_CAPACITY {
            // A frame of megabytes is rare; the process it was read in lives for days.
            self.buffer = Vec::new();
            self.consumed = 0;
        } else if self.consumed > 0 {
            self.buffer.drain(..self.consumed);
            self.consumed = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame's body, or `None` until more bytes come.
    ///
    /// The length is judged as soon as the prefix is there, so a hostile length costs no memory.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, WireError> {
        let pending = self.buffer.get(self.consumed..).unwrap_or_default();
        let Some((prefix, rest)) = pending.split_first_chunk::<PREFIX_BYTES>() else {
            return Ok(None);
        };
        let announced = u32::from_le_bytes(*prefix);
        let length = usize::try_from(announced).unwrap_or(usize::MAX);
        if length == 0 || length > MAX_FRAME_BYTES {
            return Err(WireError::FrameLength(length));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let begin = self.consumed + PREFIX_BYTES;
        self.consumed = begin + length;
        Ok(self.buffer.get(begin..self.consumed))
    }
}

#[cfg(test)]
mod tests;
