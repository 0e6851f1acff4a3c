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
/// in and unmapped one by one: 0.8 ms per MiB on the JavaScript thread, against 0.16 below.
pub(crate) const PIECE_BYTES: usize = 64 * 1024;

/// Pieces of this size have memory that is worth keeping for the next ones: an allocator gives memory
/// that is given back by another thread to the kernel, page by page, and takes it anew.
pub(crate) const LEAST_USED_AGAIN: usize = 4 * 1024;

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

    /// Cuts `text` into pieces of at most `PIECE_BYTES`, each in the form that fits it and, where it
    /// can be, in memory of `used`.
    pub(crate) fn for_each_piece(text: &str, used: &mut Vec<Self>, mut take: impl FnMut(Self)) {
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = rest.len().min(PIECE_BYTES);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, behind) = rest.split_at(end);
            if piece.is_ascii() {
                take(Self::Ascii(copied(piece, used)));
                rest = behind;
            } else {
                let (units, read) = some_utf16(rest, used);
                take(Self::Wide(units));
                rest = rest.get(read..).unwrap_or_default();
            }
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

/// A copy of `piece`. One that may be joined to others has room for a whole piece, so that it is not
/// moved for each.
fn copied(piece: &str, used: &mut Vec<Text>) -> String {
    if piece.len() < LEAST_USED_AGAIN {
        return piece.to_owned();
    }
    let mut copy = match used.pop() {
        Some(Text::Ascii(text)) => text,
        _ => String::with_capacity(PIECE_BYTES),
    };
    copy.clear();
    copy.push_str(piece);
    copy
}

/// The beginning of `text`, about as much as makes one piece, and how many bytes of it that is.
fn some_utf16(text: &str, used: &mut Vec<Text>) -> (Vec<u16>, usize) {
    let mut units = match used.pop() {
        Some(Text::Wide(units)) => units,
        _ => Vec::new(),
    };
    // Never more units than bytes.
    units.resize(text.len().min(PIECE_BYTES / 2), 0);
    let (read, written) = utf16_prefix(text, &mut units);
    units.truncate(written);
    (units, read)
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
