//! What the supervisor and the host both need: the wire between them, the process tree, and Landlock's calls; and the
//! supervisor as a program.
//!
//! * [`wire`]: the frames on the control socket, and nothing about who sends them.
//! * [`landlock`]: rulesets of Linux, made and entered.
//! * [`process`]: identity, state, ancestry and signalling of processes.
//! * [`sweep`]: kills a tree that may fork while it is being killed.
//! * `program`: the supervisor itself (fork, reaping, its event loop). Nothing of it may run inside a host, so only
//!   executables that can be started as a supervisor ask for it, by the feature `program`.
#![cfg(unix)]

pub mod landlock;
pub mod process;
#[cfg(feature = "program")]
pub mod program;
pub mod sweep;
pub mod wire;
