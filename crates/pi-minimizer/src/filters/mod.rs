//! One file a family of formats. Each exports a `FAMILY` and marks only lines it recognises; `diff` is a
//! part of git, and `outline` stands apart because it is made on request alone.
//!
//! Order matters where two families know a line: the first mark stands.

mod cc;
mod deptree;
mod diff;
mod git;
mod go;
mod graph;
mod js;
mod jvm;
mod lint;
mod listing;
pub(crate) mod logs;
pub(crate) mod outline;
mod pytest;
mod rust;
mod search;
mod table;
mod terraform;
mod trace;

use crate::family::Family;

/// All families, in the order they mark a text.
pub(crate) static FAMILIES: &[&Family] = &[
    &git::FAMILY,
    &search::FAMILY,
    &listing::FAMILY,
    &table::FAMILY,
    &deptree::FAMILY,
    &rust::FAMILY,
    &js::FAMILY,
    &pytest::FAMILY,
    &go::FAMILY,
    &jvm::FAMILY,
    &terraform::FAMILY,
    &trace::FAMILY,
    &cc::FAMILY,
    &lint::FAMILY,
    &logs::FAMILY,
];
