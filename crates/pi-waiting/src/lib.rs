//! Who of the programs on a terminal waits for a person.
//!
//! That is a fact of the kernel: a thread of the foreground process group is blocked in a system call that reads the terminal.
//! This crate looks at it. What the facts mean beside the text on the screen is decided where the screen is
//! (`packages/terminal`), and when to look is `watch`'s.
//!
//! ```text
//! look    one look at a terminal and the processes below a root: Look
//! thread  what one thread is blocked in (call: the system call's arguments; wanted: the descriptors it names)
//! ports   what they listen on (diag: our namespace, net_table: another one)
//! watch   when to look, and what looks in a row say: Report
//! unanswered   who of a command without a terminal waits for input that cannot come, and when to look: Silence
//! ```
//! Nothing is stopped, traced or changed by a look. What it reads is readable with the right to trace a process: same user,
//! dumpable. Set-uid programs are `denied`, and so is everything where the kernel does not show system calls.
#![cfg(unix)]

#[cfg(target_os = "linux")]
mod call;
#[cfg(target_os = "linux")]
mod diag;
mod look;
#[cfg(target_os = "linux")]
mod net_table;
#[cfg(target_os = "linux")]
mod ports;
mod program;
#[cfg(target_os = "linux")]
mod sockets;
mod terminal;
#[cfg(target_os = "linux")]
mod thread;
mod unanswered;
#[cfg(target_os = "linux")]
mod wanted;
mod watch;

pub use look::{Look, Modes, Reader, look};
#[cfg(target_os = "linux")]
pub use ports::{Holder, Listening, holder, listening};
pub use program::Program;
pub use terminal::TerminalIdentity;
pub use unanswered::{FileId, Silence, Unanswered, unanswered};
pub use watch::{Report, Watch};
