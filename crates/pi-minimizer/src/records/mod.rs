//! Shapes that many tools share: diagnostics with a place, source frames, trees, path lists.
//!
//! A family decides *that* a text has the shape; what is done with the shape is decided here, once.

pub(crate) mod diagnostic;
pub(crate) mod frame;
pub(crate) mod paths;
pub(crate) mod tree;
