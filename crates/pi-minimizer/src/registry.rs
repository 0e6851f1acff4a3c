//! The table of families: which program or which words in the text lead to which filter.
//!
//! `alone` families read text that can look like anything (a diff, a search result), so no other family may touch it.

use crate::family::Family;
use crate::filters;
use crate::invocation::Target;
use crate::signatures::Signatures;
use std::borrow::Cow;

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

/// The label of a result: the names of what worked on it.
pub(crate) fn label(names: &[&str]) -> Cow<'static, str> {
    match names {
        [] => Cow::Borrowed("lossless"),
        names => Cow::Owned(names.join("+")),
    }
}
