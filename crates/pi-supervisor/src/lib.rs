//! What the supervisor and the host both need: the wire between them, the process tree, and Landlock's calls.
//!
//! The executable itself (fork, reaping, its event loop) is in `main.rs` and the modules beside
//! it: nothing of that may run inside the host.
//!
//! * [`wire`]: the frames on the control socket, and nothing about who sends them.
//! * [`landlock`]: rulesets of Linux, made and entered.
//! * [`process`]: identity, state, ancestry and signalling of processes.
//! * [`sweep`]: kills a tree that may fork while it is being killed.
#![cfg(unix)]

pub mod landlock;
pub mod process;
pub mod sweep;
pub mod wire;
