//! The table of families: which program or which words in the text lead to which filter.
//!
//! A family marks lines it recognises and leaves the rest; so several may work on one text, and a
//! signature that matches by chance costs time, not facts. `alone` families read text that can look
//! like anything (a diff, a search result), so nobody else may touch it.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::filters;
use crate::invocation::Target;
use std::borrow::Cow;

/// What a family may know about the run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    /// The program, where one is proven to have printed everything.
    pub(crate) target: Option<&'a Target>,
    /// False only where the exit status is known to be 0.
    pub(crate) failed: bool,
}

/// One family of formats.
pub(crate) struct Family {
    /// Name in the result's `filter` label.
    pub(crate) name: &'static str,
    /// True where this program prints the format.
    pub(crate) prints: fn(&Target) -> bool,
    /// Words of which one stands in every output of the format; empty: only `prints` leads here.
    pub(crate) signature: &'static [&'static str],
    /// No other family may mark the same text.
    pub(crate) alone: bool,
    /// What the check may ask.
    pub(crate) policy: Policy,
    /// Marks the lines it recognises.
    pub(crate) mark: fn(&mut Doc<'_>, &Run<'_>) -> Result<(), OverBudget>,
}

/// Families that apply to a text, in the order they are to mark it.
pub(crate) fn select(target: Option<&Target>, signatures: &Signatures<'_>) -> Vec<&'static Family> {
    let alone = |family: &&&'static Family| {
        family.alone && target.is_some_and(|target| (family.prints)(target))
    };
    if let Some(family) = filters::FAMILIES.iter().find(alone) {
        return vec![family];
    }
    filters::FAMILIES
        .iter()
        .copied()
        .filter(|family| !family.alone)
        .filter(|family| {
            target.is_some_and(|target| (family.prints)(target))
                || family.signature.iter().any(|word| signatures.has(word))
        })
        .collect()
}

/// True where the program prints content, that is, text that no other family may touch.
pub(crate) fn prints_content(target: &Target) -> bool {
    filters::FAMILIES.iter().any(|family| family.alone && (family.prints)(target))
}

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

/// The label of a result: the names of what worked on it.
pub(crate) fn label(names: &[&str]) -> Cow<'static, str> {
    match names {
        [] => Cow::Borrowed("lossless"),
        names => Cow::Owned(names.join("+")),
    }
}
