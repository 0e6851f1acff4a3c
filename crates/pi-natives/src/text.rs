//! Text on its way to JavaScript, in the form that costs the JavaScript thread least.
//!
//! V8 keeps strings as one byte or two bytes per unit. Handing it UTF-8 makes it decode on the
//! JavaScript thread (3 ms per MiB of mixed text); a one-byte string of ASCII or ready UTF-16 is
//! one copy (0.06 and 0.09 ms per MiB). So the choice is made here, on the thread of the run.
//! See docs/decisions/0002-text-across-napi.md.

use std::ops::Range;
use std::sync::Arc;

use napi::JsString;
use napi::bindgen_prelude::{Either, Env, Latin1String, Result, Utf16String};
use pi_shell::READ_BYTES;
use pi_shell::output::utf16_prefix;

/// Largest piece of text given to JavaScript at once, in bytes of V8's memory.
///
/// V8 puts strings above half a page (128 KiB) into pages of their own, which are mapped, faulted
/// in and unmapped one by one: 0.8 ms per MiB on the JavaScript thread, against 0.16 below. Four of
/// these fit a page of its young generation, beside other objects; of 64 KiB it is three.
pub(crate) const PIECE_BYTES: usize = 62 * 1024;

/// A read that finds a full pipe makes whole pieces.
const _: () = assert!(READ_BYTES.is_multiple_of(PIECE_BYTES));

/// The same in units of UTF-16.
const PIECE_UNITS: usize = PIECE_BYTES / 2;

/// Pieces of this size have memory that is worth keeping for the next ones: an allocator gives memory
/// that is given back by another thread to the kernel, page by page, and takes it again.
pub(crate) const LEAST_USED_AGAIN: usize = 4 * 1024;

/// A piece with less room than this is full, in units.
const LEAST_ROOM: usize = 64;

/// Text that is ready to become a JavaScript string.
pub(crate) type JsText = Either<Latin1String, Utf16String>;

/// Text in one of the two forms of a JavaScript string.
pub(crate) enum Text {
    /// ASCII only, one byte a unit.
    Ascii(String),
    /// The same, where it was read.
    Read(ReadPart),
    /// UTF-16, because some character is not ASCII.
    Wide(Units),
}

/// UTF-16. What once was written stays behind the end: memory that is used again need not be cleared, which
/// would take a fifth as long as to fill it.
#[derive(Default)]
pub(crate) struct Units {
    room: Vec<u16>,
    len: usize,
}

impl Units {
    fn of_ascii(bytes: &[u8]) -> Self {
        let room: Vec<u16> = bytes.iter().copied().map(u16::from).collect();
        Self { len: room.len(), room }
    }

    fn as_slice(&self) -> &[u16] {
        self.room.get(..self.len).unwrap_or_default()
    }

    fn into_vec(mut self) -> Vec<u16> {
        self.room.truncate(self.len);
        self.room
    }

    /// Adds as much of `text` as a piece has room for; returns how many bytes of it that is.
    fn add_from(&mut self, text: &str) -> usize {
        // Never more units than bytes.
        let wanted = (self.len + text.len()).min(PIECE_UNITS);
        if self.room.len() < wanted {
            self.room.resize(wanted, 0);
        }
        let free = self.room.get_mut(self.len..wanted).unwrap_or_default();
        let (read, written) = utf16_prefix(text, free);
        self.len += written;
        read
    }
}

/// A part of what one read brought. Its buffer is free again when all parts are gone.
pub(crate) struct ReadPart {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl ReadPart {
    fn bytes(&self) -> &[u8] {
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

impl Text {
    /// The first `length` bytes of `buffer`, which are ASCII, as pieces.
    pub(crate) fn of_read(buffer: Vec<u8>, length: usize) -> impl Iterator<Item = Self> {
        let buffer = Arc::new(buffer);
        (0..length).step_by(PIECE_BYTES).map(move |start| {
            let range = start..length.min(start + PIECE_BYTES);
            Self::Read(ReadPart { buffer: Arc::clone(&buffer), range })
        })
    }

    /// The buffer of the read, if this is the last part of it.
    pub(crate) fn into_read_buffer(self) -> std::result::Result<Vec<u8>, Self> {
        match self {
            Self::Read(part) => {
                let ReadPart { buffer, range } = part;
                Arc::try_unwrap(buffer).map_err(|buffer| Self::Read(ReadPart { buffer, range }))
            }
            other => Err(other),
        }
    }

    /// Size in V8's memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Ascii(text) => text.len(),
            Self::Read(part) => part.range.len(),
            Self::Wide(units) => units.len * 2,
        }
    }

    /// The same text as a string of JavaScript.
    pub(crate) fn to_js<'env>(&self, env: &'env Env) -> Result<JsString<'env>> {
        match self {
            Self::Ascii(text) => env.create_string_latin1(text),
            Self::Read(part) => env.create_string_latin1(part.bytes()),
            Self::Wide(units) => env.create_string_utf16(units.as_slice()),
        }
    }

    /// Puts `text` behind what `filling` has. Pieces that are full go to `take`; what is left stays in
    /// `filling`. Each piece has the form that fits it and, where it can be, memory of `used`.
    pub(crate) fn fill(
        filling: &mut Option<Self>,
        text: &str,
        used: &mut Vec<Self>,
        mut take: impl FnMut(Self),
    ) {
        let mut rest = text;
        while !rest.is_empty() {
            let mut piece = filling.take().unwrap_or_else(|| Self::empty(rest, used));
            let read = piece.add_from(rest);
            rest = rest.get(read..).unwrap_or_default();
            if read == 0 || piece.is_full() {
                take(piece);
            } else {
                *filling = Some(piece);
            }
        }
    }

    /// A piece that `text` is to begin.
    fn empty(text: &str, used: &mut Vec<Self>) -> Self {
        if prefix(text, PIECE_BYTES).is_ascii() {
            let mut ascii = match used.pop() {
                Some(Self::Ascii(ascii)) if text.len() >= LEAST_USED_AGAIN => ascii,
                _ if text.len() >= LEAST_USED_AGAIN => String::with_capacity(PIECE_BYTES),
                _ => String::new(),
            };
            ascii.clear();
            Self::Ascii(ascii)
        } else {
            let room = match used.pop() {
                Some(Self::Wide(units)) => units.room,
                _ => Vec::new(),
            };
            Self::Wide(Units { room, len: 0 })
        }
    }

    /// Adds as much of `text` as there is room for; returns how many bytes of it that is. None where it
    /// needs another form and this piece is better left as it is.
    fn add_from(&mut self, text: &str) -> usize {
        if let Self::Ascii(ascii) = self {
            let more = prefix(text, PIECE_BYTES - ascii.len());
            if more.is_ascii() {
                ascii.push_str(more);
                return more.len();
            }
            if ascii.len() >= LEAST_USED_AGAIN {
                return 0;
            }
            *self = Self::Wide(Units::of_ascii(ascii.as_bytes()));
        }
        let Self::Wide(units) = self else { return 0 };
        units.add_from(text)
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Ascii(ascii) => ascii.len() + LEAST_ROOM > PIECE_BYTES,
            Self::Read(_) => true,
            Self::Wide(units) => units.len + LEAST_ROOM > PIECE_UNITS,
        }
    }

    /// Adds `more` at the end if the whole stays one piece; otherwise gives it back.
    pub(crate) fn join(&mut self, more: Self) -> Option<Self> {
        if matches!((&*self, &more), (Self::Read(_), _) | (_, Self::Read(_))) {
            return Some(more);
        }
        let units = self.units() + more.units();
        match (&mut *self, &more) {
            (Self::Ascii(text), Self::Ascii(more)) if units <= PIECE_BYTES => text.push_str(more),
            (Self::Ascii(_), Self::Ascii(_)) => return Some(more),
            _ if units * 2 > PIECE_BYTES => return Some(more),
            _ => {
                let mut room = std::mem::replace(self, Self::Wide(Units::default())).into_units();
                room.append(&mut more.into_units());
                *self = Self::Wide(Units { len: room.len(), room });
            }
        }
        None
    }

    fn units(&self) -> usize {
        match self {
            Self::Ascii(text) => text.len(),
            Self::Read(part) => part.range.len(),
            Self::Wide(units) => units.len,
        }
    }

    fn into_units(self) -> Vec<u16> {
        match self {
            Self::Ascii(text) => Units::of_ascii(text.as_bytes()).room,
            Self::Read(part) => Units::of_ascii(part.bytes()).room,
            Self::Wide(units) => units.into_vec(),
        }
    }
}

impl From<String> for Text {
    /// One piece, however long.
    fn from(text: String) -> Self {
        if text.is_ascii() {
            return Self::Ascii(text);
        }
        let mut room = vec![0; text.len()];
        let (_all, len) = utf16_prefix(&text, &mut room);
        Self::Wide(Units { room, len })
    }
}

/// The first characters of `text`, at most so many bytes.
fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl From<Text> for JsText {
    fn from(text: Text) -> Self {
        match text {
            Text::Ascii(text) => Self::A(Latin1String::from(text)),
            Text::Read(part) => {
                Self::A(Latin1String::from(String::from_utf8_lossy(part.bytes()).into_owned()))
            }
            Text::Wide(units) => Self::B(Utf16String::from(units.into_vec())),
        }
    }
}
