//! Rewrites output.
