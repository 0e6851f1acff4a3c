//! The engine as a program: `pi-host` serves pi-shell's sessions over one stream of frames on its standard input and output,
//! so that whatever can run a program and carry its two streams is a place where an agent's commands run.
//!
//! # Theory of operation
//! ```text
//! standard input ──▶ link (thread) ──▶ conversation ──▶ engine ──▶ pi-shell's sessions, terminals
//! standard output ◀── link (thread) ◀── outgoing (queue by class) ◀── text, updates, ends, answers
//! ```
//! Frames come in on a thread of their own and are taken in their order; nothing there waits. That thread also begins runs and
//! takes their shells' reports, so that a builtin wakes no other thread. What goes back waits in one queue, bounded by near's
//! credit, from which another thread writes, and whoever puts in a few bytes writes them at once. When the input ends, a lease runs out or a signal
//! comes, everything ends: runs with a result, sessions with all they started. With a time to keep it, the engine is a
//! process of its own (`serve`), and links come and go.
//!
//! The protocol is docs/place-protocol.md's, the reasons decision 0014's. The same file is the supervisor, when it is
//! started as that: one file is put in place, checked and removed.
#![cfg(target_os = "linux")]

mod attach;
mod cli;
mod conversation;
mod elf;
mod engine;
mod hello;
mod link;
mod machine;
mod message;
mod outgoing;
mod place;
mod serve;
mod stdio;
mod threads;
mod wire;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// What this program is, by the name it was started as, with the arguments behind it.
pub fn main(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let name = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    if pi_supervisor::program::is_asked_for(&name, words.first().map(OsString::as_os_str)) {
        return pi_supervisor::program::main(words.into_iter());
    }
    cli::run(words.into_iter())
}

/// So many random bytes, in hexadecimal digits.
fn random_hex(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    let mut filled = 0;
    while let Some(room) = random.get_mut(filled..).filter(|room| !room.is_empty()) {
        filled += rustix::rand::getrandom(room, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(place::hex(&random))
}
