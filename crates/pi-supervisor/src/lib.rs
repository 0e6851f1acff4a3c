//! What the supervisor and the host both need: the wire between them, the process tree, and Landlock's calls.
//!
//! The executable itself (fork, reaping, its event loop) is in `main.rs` and the modules beside
//! it: nothing of that may run inside the host.
//!
//! * [`wire`]: the frames on the control socket, and nothing about who sends them.
//! * [`landlock`]: rulesets of Linux, made and entered.
//! * [`process`]: identity, state, ancestry and signalling of processes.
//! * [`remove_tree`](mod@remove_tree): removes a folder whatever commands made of it.
//! * [`sweep`]: kills a tree that may fork while it is being killed.
#![cfg(unix)]

pub mod landlock;
pub mod process;
pub mod remove_tree;
pub mod sweep;
pub mod wire;

/// The executable's option before the path of the session's private folder, which it removes when the session ends.
pub const PRIVATE_FOLDER_OPTION: &str = "--private-folder";
