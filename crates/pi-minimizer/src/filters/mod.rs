//! One file a family of formats. Each exports a `FAMILY` and marks only lines it recognises.
//!
//! Order matters where two families know a line: the first mark stands.

pub(crate) mod logs;
pub(crate) mod outline;
mod rust;

use crate::registry::Family;

/// All families, in the order they mark a text.
pub(crate) static FAMILIES: &[&Family] = &[&rust::FAMILY, &logs::FAMILY];
