//! Reads and writes the primitive fields of a frame; knows no frame's meaning.

use super::{MAX_FRAME_BYTES, PREFIX_BYTES, WireError};

/// Builds one frame, prefix included.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn new(kind: u8) -> Self {
        let mut bytes = vec![0; PREFIX_BYTES];
        bytes.push(kind);
        Self { bytes }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn flag(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A count or length; one past `u32` makes a frame that [`Writer::finish`] refuses anyway.
    pub(super) fn count(&mut self, value: usize) {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX));
    }

    pub(super) fn string(&mut self, value: &[u8]) {
        self.count(value.len());
        self.bytes.extend_from_slice(value);
    }

    pub(super) fn strings(&mut self, values: &[Vec<u8>]) {
        self.count(values.len());
        for value in values {
            self.string(value);
        }
    }

    /// The whole frame, or the error the other end would answer with.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, WireError> {
        let length = self.bytes.len() - PREFIX_BYTES;
        let prefix = match u32::try_from(length) {
            Ok(prefix) if length <= MAX_FRAME_BYTES => prefix,
            _ => return Err(WireError::FrameLength(length)),
        };
        for (slot, byte) in self.bytes.iter_mut().zip(prefix.to_le_bytes()) {
            *slot = byte;
        }
        Ok(self.bytes)
    }
}

/// Takes fields off the front of one frame's body.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    pub(super) fn u8(&mut self) -> Result<u8, WireError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn flag(&mut self) -> Result<bool, WireError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(WireError::UnknownValue(other)),
        }
    }

    pub(super) fn u16(&mut self) -> Result<u16, WireError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, WireError> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, WireError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn string(&mut self) -> Result<Vec<u8>, WireError> {
        let length = usize::try_from(self.u32()?).map_err(|_| WireError::Truncated)?;
        let (head, rest) = self.rest.split_at_checked(length).ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(head.to_vec())
    }

    /// A string without NUL, as `execve(2)` and `chdir(2)` take them.
    pub(super) fn c_string(&mut self) -> Result<Vec<u8>, WireError> {
        let value = self.string()?;
        if value.contains(&0) { Err(WireError::NulByte) } else { Ok(value) }
    }

    /// A list. Grows item by item: an announced count reserves nothing, and an item takes at
    /// least one byte, so a lying count ends in [`WireError::Truncated`].
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let count = self.u32()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn finish(self) -> Result<(), WireError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WireError::TrailingBytes) }
    }
}
