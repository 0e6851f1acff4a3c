//! Turns bytes into text as they come, holding back a character that is not yet complete.
//!
//! Replacement follows the WHATWG encoding standard: each maximal part of an ill-formed sequence
//! becomes one U+FFFD. NUL and U+FEFF are characters like others: a decoder that eats a byte order
//! mark eats one from the middle of a stream too, wherever a read happens to begin.

/// Longest start of a character that can be incomplete: three bytes of four.
const MAX_PENDING: usize = 3;

const REPLACEMENT: &str = "\u{fffd}";

/// Pieces of text shorter than this are put together before anyone looks at them. Among arbitrary
/// bytes a piece is a byte or two, and most of the time went into beginning with each.
const GATHERED_BYTES: usize = 1024;

/// More is not put together: each of arbitrary bytes becomes three of a replacement, and a read's worth of
/// those would leave the processor's cache.
const MOST_GATHERED_BYTES: usize = 64 * 1024;

/// Errors closer to each other than this are looked for with the standard library: the vector
/// code of `simdutf8` is eight times faster on text and half as fast on arbitrary bytes.
const DENSE_BYTES: usize = 64;

/// An incremental UTF-8 decoder. One for each stream.
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    pending: [u8; MAX_PENDING + 1],
    pending_len: usize,
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the text of `bytes` to `into`. Up to three bytes of an unfinished character stay
    /// behind for the next call.
    pub fn decode(&mut self, bytes: &[u8], into: &mut String) {
        into.reserve(bytes.len());
        self.feed(bytes, |piece| into.push_str(piece));
    }

    /// Gives the text of `bytes` to `emit`, in pieces that point into `bytes` where nothing had to be
    /// replaced. Pieces too short to be worth handling one by one are put together first. None is longer than
    /// `bytes`, or 65 KiB where those are fewer.
    pub fn decode_pieces(&mut self, bytes: &[u8], mut emit: impl FnMut(&str)) {
        let mut gathered = String::new();
        self.feed(bytes, |text| {
            let is_short = text.len() < GATHERED_BYTES;
            if is_short {
                gathered.push_str(text);
            }
            if !gathered.is_empty() && (!is_short || gathered.len() >= MOST_GATHERED_BYTES) {
                emit(&gathered);
                gathered.clear();
            }
            if !is_short {
                emit(text);
            }
        });
        if !gathered.is_empty() {
            emit(&gathered);
        }
    }

    /// Ends the stream: an unfinished character becomes one U+FFFD. The decoder then stands at the
    /// beginning of a new stream.
    pub fn finish(&mut self, into: &mut String) {
        if self.take_pending() > 0 {
            into.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Bytes held back.
    pub fn pending_len(&self) -> usize {
        self.pending_len
    }

    /// Forgets what is held back and returns how many bytes that was.
    pub(super) fn take_pending(&mut self) -> usize {
        std::mem::take(&mut self.pending_len)
    }

    /// Gives the text of `bytes` to `emit`, in pieces that point into `bytes` where nothing had to
    /// be replaced: valid text is neither copied nor walked character by character.
    pub(super) fn feed(&mut self, bytes: &[u8], mut emit: impl FnMut(&str)) {
        let mut rest = self.complete_pending(bytes, &mut emit);
        let mut is_dense = false;
        loop {
            let (valid, error_len) = match well_formed(rest, is_dense) {
                Ok("") => return,
                Ok(text) => return emit(text),
                Err(place) => place,
            };
            is_dense = valid < DENSE_BYTES;
            let (valid, after) = rest.split_at(valid);
            if let Ok(text) = well_formed(valid, is_dense)
                && !text.is_empty()
            {
                emit(text);
            }
            let Some(bad) = error_len else {
                self.hold(after);
                return;
            };
            emit(REPLACEMENT);
            rest = after.get(bad..).unwrap_or_default();
        }
    }

    /// Completes the held-back character with the first of `bytes`; returns what is left of them.
    fn complete_pending<'a>(&mut self, bytes: &'a [u8], emit: &mut impl FnMut(&str)) -> &'a [u8] {
        let mut rest = bytes;
        while self.pending_len > 0
            && let Some((first, after)) = rest.split_first()
        {
            let mut candidate = self.pending;
            let len = self.pending_len + 1;
            if let Some(slot) = candidate.get_mut(self.pending_len) {
                *slot = *first;
            }
            match std::str::from_utf8(candidate.get(..len).unwrap_or_default()) {
                Ok(character) => {
                    emit(character);
                    self.pending_len = 0;
                    rest = after;
                }
                Err(error) if error.error_len().is_none() => {
                    self.pending = candidate;
                    self.pending_len = len;
                    rest = after;
                }
                // The newest byte does not continue the character, so it begins something itself.
                Err(_) => {
                    emit(REPLACEMENT);
                    self.pending_len = 0;
                }
            }
        }
        rest
    }

    /// Keeps the start of a character for the next call.
    fn hold(&mut self, start: &[u8]) {
        for (slot, byte) in self.pending.iter_mut().zip(start) {
            *slot = *byte;
        }
        self.pending_len = start.len().min(MAX_PENDING);
    }
}

/// The text of `bytes`, or how many of them are well-formed and how long the error after them is;
/// no length where a character is not complete.
fn well_formed(bytes: &[u8], is_dense: bool) -> Result<&str, (usize, Option<usize>)> {
    if is_dense {
        std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), error.error_len()))
    } else {
        simdutf8::compat::from_utf8(bytes).map_err(|error| (error.valid_up_to(), error.error_len()))
    }
}
