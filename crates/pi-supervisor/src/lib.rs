//! What the supervisor and the host both need: the wire between them, the process tree, and Landlock's calls; and the
//! supervisor as a program.
//!
//! * [`wire`]: the frames on the control socket, and nothing about who sends them.
//! * [`landlock`]: rulesets of Linux, made and entered.
//! * [`process`]: identity, state, ancestry and signalling of processes.
//! * [`remove_tree`](mod@remove_tree): removes a folder whatever commands made of it.
//! * [`sweep`]: kills a tree that may fork while it is being killed.
//! * `program`: the supervisor itself (fork, reaping, its event loop). Nothing of it may run inside a host, so only
//!   executables that can be started as a supervisor ask for it, by the feature `program`.
#![cfg(unix)]

pub mod landlock;
pub mod process;
#[cfg(feature = "program")]
pub mod program;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod refused;
pub mod remove_tree;
pub mod sweep;
pub mod wire;

/// The executable's option before the path of the session's private folder, which it removes when the session ends.
pub const PRIVATE_FOLDER_OPTION: &str = "--private-folder";
