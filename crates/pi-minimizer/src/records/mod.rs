//! Shapes that many tools share: diagnostics with a place, trees, path lists.
//!
//! A family decides *that* a text has the shape; what is done with the shape is decided here, once.
