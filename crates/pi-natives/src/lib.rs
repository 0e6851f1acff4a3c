//! The N-API binding of `pi-shell` and `pi-minimizer`: it converts, settles and cancels, and
//! decides nothing about shells.
//!
//! # Theory of operation
//! No Rust thread ever calls a caller's function. Everything that a run has to say (text, updates,
//! its end) goes into the run's mailbox (`mailbox.rs`); a mailbox that has something stands in the
//! ready queue of its environment's bridge (`bridge.rs`); and one threadsafe function, the
//! doorbell, tells JavaScript that the queue is no longer empty. JavaScript then takes as much as
//! it wants per turn of its event loop. So a slow consumer fills its mailbox and holds its command
//! back, a gigabyte cannot stall the loop, and an exception in a callback stays in JavaScript.
//!
//! Promises are made in TypeScript (`packages/natives/src/bridge.ts`), keyed by the numbers that
//! every operation carries.
#![expect(
    clippy::needless_pass_by_value,
    reason = "napi hands over owned values, whether or not the body keeps them"
)]

// Public are the modules with exported functions: clippy's test build leaves napi's registration
// out, and would call them dead otherwise.
mod bridge;
pub mod capabilities;
mod capture;
mod error;
mod inline;
mod mailbox;
pub mod mask;
pub mod minimizer;
mod outcome;
pub mod ports;
// Where the core has no terminals the addon exports none, and `capabilities().pty` says so.
#[cfg(unix)]
pub mod pty;
mod quiet;
mod request;
mod rule_files;
mod runtime;
mod sandbox;
pub mod session;
mod settlement;
mod sink;
mod sys;
mod text;
