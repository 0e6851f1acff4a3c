//! Which words stand at the ends of a text, for all families and rules at once. Which words are looked for is theirs.

/// Bytes at either end of a text in which a signature is looked for. A tool says who it is when it
/// begins and when it sums up; looking further costs more than all filters together.
const SIGNATURE_BYTES: usize = 48 * 1024;

/// Bytes of a piece, and places of the table of pieces: a text of both ends fills a quarter of it, and a signature has
/// many pieces.
const PIECE: usize = 4;
const PLACES: usize = 1 << 15;

/// The two ends of a text, and which pieces of four bytes stand there.
///
/// Around a hundred signatures are looked for in every text, and nearly all in vain: their pieces say so after one
/// pass over the text instead of a hundred.
pub(crate) struct Signatures<'a> {
    front: &'a [u8],
    back: &'a [u8],
    pieces: Vec<bool>,
}

impl<'a> Signatures<'a> {
    /// Reads the ends of `text`.
    pub(crate) fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let (front, rest) = bytes.split_at(bytes.len().min(SIGNATURE_BYTES));
        let back = rest.get(rest.len().saturating_sub(SIGNATURE_BYTES)..).unwrap_or(rest);
        let mut pieces = vec![false; PLACES];
        for piece in front.windows(PIECE).chain(back.windows(PIECE)) {
            if let Some(place) = pieces.get_mut(place(piece)) {
                *place = true;
            }
        }
        Self { front, back, pieces }
    }

    /// True where a signature stands at one of the ends.
    pub(crate) fn has(&self, word: &str) -> bool {
        let word = word.as_bytes();
        let may = word.windows(PIECE).all(|piece| self.pieces.get(place(piece)) == Some(&true));
        may && [self.front, self.back].iter().any(|end| memchr::memmem::find(end, word).is_some())
    }
}

/// Where the table says whether a piece stands in the text.
fn place(piece: &[u8]) -> usize {
    let piece = piece.first_chunk::<PIECE>().map_or(0, |piece| u32::from_le_bytes(*piece));
    usize::try_from(piece.wrapping_mul(0x9e37_79b1) >> 17).unwrap_or(0)
}
