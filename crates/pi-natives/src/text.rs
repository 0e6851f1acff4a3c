//! Text on its way to JavaScript, in the form that costs the JavaScript thread least.
//!
//! V8 keeps strings as one byte or two bytes per unit. Handing it UTF-8 makes it decode on the
//! JavaScript thread (3 ms per MiB of mixed text); a one-byte string of ASCII or ready UTF-16 is
//! one copy (0.06 and 0.09 ms per MiB). So the choice is made here, on the thread of the run.
//! See docs/decisions/0002-text-across-napi.md.

use napi::JsString;
use napi::bindgen_prelude::{Either, Env, Latin1String, Result, Utf16String};
use pi_shell::output::utf16_prefix;

/// Largest piece of text given to JavaScript at once, in bytes of V8's memory.
///
/// V8 puts strings above half a page (128 KiB) into pages of their own, which are mapped, faulted
/// in and unmapped one by one: 0.8 ms per MiB on the JavaScript thread, against 0.16 below. Four of
/// these fit a page of its young generation, beside other objects; of 64 KiB it is three.
pub(crate) const PIECE_BYTES: usize = 62 * 1024;

/// The same in units of UTF-16.
const PIECE_UNITS: usize = PIECE_BYTES / 2;

/// Pieces of this size have memory that is worth keeping for the next ones: an allocator gives memory
/// that is given back by another thread to the kernel, page by page, and takes it anew.
pub(crate) const LEAST_USED_AGAIN: usize = 4 * 1024;

/// A piece with less room than this is full, in units.
const LEAST_ROOM: usize = 64;

/// Text that is ready to become a JavaScript string.
pub(crate) type JsText = Either<Latin1String, Utf16String>;

/// Text in one of the two forms of a JavaScript string.
pub(crate) enum Text {
    /// ASCII only, one byte a unit.
    Ascii(String),
    /// UTF-16, because some character is not ASCII.
    Wide(Vec<u16>),
}

impl Text {
    /// Size in V8's memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Ascii(text) => text.len(),
            Self::Wide(units) => units.len() * 2,
        }
    }

    /// The same text as a string of JavaScript.
    pub(crate) fn to_js<'env>(&self, env: &'env Env) -> Result<JsString<'env>> {
        match self {
            Self::Ascii(text) => env.create_string_latin1(text),
            Self::Wide(units) => env.create_string_utf16(units),
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
            let mut units = match used.pop() {
                Some(Self::Wide(units)) => units,
                _ => Vec::new(),
            };
            units.clear();
            Self::Wide(units)
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
            let mut units = Vec::with_capacity(PIECE_UNITS.min(ascii.len() + text.len()));
            units.extend(ascii.bytes().map(u16::from));
            *self = Self::Wide(units);
        }
        let Self::Wide(units) = self else { return 0 };
        let begin = units.len();
        // Never more units than bytes.
        units.resize((begin + text.len()).min(PIECE_UNITS), 0);
        let (read, written) = utf16_prefix(text, units.get_mut(begin..).unwrap_or_default());
        units.truncate(begin + written);
        read
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Ascii(ascii) => ascii.len() + LEAST_ROOM > PIECE_BYTES,
            Self::Wide(units) => units.len() + LEAST_ROOM > PIECE_UNITS,
        }
    }

    /// Adds `more` at the end if the whole stays one piece; otherwise gives it back.
    pub(crate) fn join(&mut self, more: Self) -> Option<Self> {
        let units = self.units() + more.units();
        match (&mut *self, &more) {
            (Self::Ascii(text), Self::Ascii(more)) if units <= PIECE_BYTES => text.push_str(more),
            (Self::Ascii(_), Self::Ascii(_)) => return Some(more),
            _ if units * 2 > PIECE_BYTES => return Some(more),
            _ => {
                let mut wide = std::mem::replace(self, Self::Wide(Vec::new())).into_units();
                match more {
                    Self::Ascii(more) => wide.extend(more.bytes().map(u16::from)),
                    Self::Wide(more) => wide.extend_from_slice(&more),
                }
                *self = Self::Wide(wide);
            }
        }
        None
    }

    fn units(&self) -> usize {
        match self {
            Self::Ascii(text) => text.len(),
            Self::Wide(units) => units.len(),
        }
    }

    fn into_units(self) -> Vec<u16> {
        match self {
            Self::Ascii(text) => text.bytes().map(u16::from).collect(),
            Self::Wide(units) => units,
        }
    }
}

impl From<String> for Text {
    /// One piece, however long.
    fn from(text: String) -> Self {
        if text.is_ascii() { Self::Ascii(text) } else { Self::Wide(utf16(&text)) }
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

fn utf16(text: &str) -> Vec<u16> {
    let mut units = vec![0; text.len()];
    let (_all, written) = utf16_prefix(text, &mut units);
    units.truncate(written);
    units
}

impl From<Text> for JsText {
    fn from(text: Text) -> Self {
        match text {
            Text::Ascii(text) => Self::A(Latin1String::from(text)),
            Text::Wide(units) => Self::B(Utf16String::from(units)),
        }
    }
}
