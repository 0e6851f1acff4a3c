//! What a family of formats is, and what it may know about a run. The table of them is `registry.rs`.
//!
//! A family marks lines it recognises and leaves the rest; so several may work on one text, and a
//! signature that matches by chance costs time, not facts.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::invocation::Target;

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
