//! Masks secrets in what a command writes: values that were kept from it, and tokens of well-known forms.
//!
//! # Theory of operation
//! A `Mask` is compiled once for a session. Each stream has a `Masker`, which takes the stream in pieces of any length
//! and gives out the same bytes with a marker in the place of each secret:
//! ```text
//! bytes → searches ──→ automaton → form of the token → intervals ─┬─ text, markers, newlines
//!         (leads)      (prefixes)                                 └─ held: may be the beginning of a secret
//! ```
//! What is a secret depends on nothing but the bytes around it. So any split of a stream gives the same text, and a
//! stream may be looked at from the middle on. Intervals that overlap become one marker. Newlines inside of a secret are
//! given out, so lines keep their numbers. Time is linear: each byte goes through the automaton at most once, and the
//! forms look ahead a bounded number of bytes.
//!
//! Values are in no `Debug`, error or log. Not here: which values there are, and which streams are masked.

mod context;
mod leads;
mod masker;
mod patterns;
mod pem;
mod shapes;
mod url;
mod values;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod laws;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use patterns::Patterns;

/// Longest secret that has lines, in bytes. A secret on one line may be longer.
pub const MAX_SECRET_BYTES: usize = 16 * 1024;

const _: () =
    assert!(pem::MAX_BLOCK <= MAX_SECRET_BYTES as u64 && MAX_VALUE_BYTES <= MAX_SECRET_BYTES);

pub use masker::Masker;
pub use values::{MAX_VALUE_BYTES, MIN_VALUE_BYTES};

/// A value that must not be shown.
#[derive(Clone, Default)]
pub struct MaskedValue {
    /// How the marker calls it: the variable's name.
    pub name: String,
    /// The value itself. Values of fewer than `MIN_VALUE_BYTES`, paths, numbers and common words are left out.
    pub value: String,
}

impl fmt::Debug for MaskedValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MaskedValue").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What is masked.
#[derive(Debug, Clone, Default)]
pub struct MaskOptions {
    /// Values, at most 256 of 128 KiB together.
    pub values: Vec<MaskedValue>,
    /// Mask tokens of well-known forms.
    pub shapes: bool,
    /// Names of values and of forms that are not masked; `*` stands for any run of characters.
    pub allow: Vec<String>,
}

/// Values that are too many, or too long together, to be masked: past a bound of ours, or of the search. None of them is
/// in it.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct TooManyValues {
    /// How many they are and how many may be, as the end of a sentence that begins with the option's name.
    pub reason: String,
}

/// What is masked, compiled. A copy is a reference.
#[derive(Clone)]
pub struct Mask(Arc<Patterns>);

impl Mask {
    /// Compiles `options`. `None`: there is nothing to mask.
    ///
    /// # Errors
    /// [`TooManyValues`] where they are more, or longer together, than [`MaskOptions::values`] says.
    pub fn new(options: &MaskOptions) -> Result<Option<Self>, TooManyValues> {
        Ok(Patterns::new(options)?.map(|patterns| Self(Arc::new(patterns))))
    }

    /// A masker at the beginning of a stream.
    pub fn masker(&self) -> Masker {
        Masker::new(Arc::clone(&self.0))
    }

    /// The whole text masked, and what was masked in it.
    pub fn text(&self, text: &str) -> (String, Masked) {
        let mut masker = self.masker();
        let mut shown = Vec::with_capacity(text.len());
        masker.push(text.as_bytes(), |bytes| shown.extend_from_slice(bytes));
        masker.finish(|bytes| shown.extend_from_slice(bytes));
        let found = masker.masked();
        // A secret begins and ends with whole characters, so this copies nothing.
        let shown = String::from_utf8(shown)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        (shown, found)
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mask").finish_non_exhaustive()
    }
}

/// What was masked in a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masked {
    /// Markers that stand for secrets.
    pub count: u64,
    /// Names in them, each once, in order.
    pub names: BTreeSet<String>,
}

impl Masked {
    /// Adds what was masked in another part of a stream.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.names.extend(other.names);
    }

    /// What both found, of two looks at one stream.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.count = self.count.max(other.count);
        self.names.extend(other.names);
        self
    }
}
