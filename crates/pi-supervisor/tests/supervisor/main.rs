//! The real executable, driven over its socket as a host drives it.

// Most cases look into /proc to see what became of a tree.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows tests by their attribute, not the functions they share"
)]

mod busy;
mod confine;
mod denied;
mod end;
mod filter;
mod host;
mod namespace;
mod probe;
mod spawning;
mod tree;
