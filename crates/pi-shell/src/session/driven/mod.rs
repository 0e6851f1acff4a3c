//! The engine over the bash driver: a bash that takes its orders from a socket and answers with one message.
//!
//! # Module map
//! ```text
//! protocol  the messages, as bash-driver/protocol.h has them    channel  the socket
//! shell     one bash that takes orders                          standby  copies of it that wait
//! engine    the session's shell between commands                run      one command in it
//! follow    reads, waits for the report, stops                  copies     one command in a copy
//! confined  the standby that read-only copies are made from
//! hand_over a command goes on beside the session                loss       what went with a shell
//! fit       whether a bash can be driven                        faults     what a shell's death says of that
//! object    the driver's file
//! ```
//! No shell text of ours is run but what a session begins with.

mod channel;
mod confined;
mod copies;
mod engine;
mod faults;
mod fit;
mod follow;
mod hand_over;
mod loss;
mod object;
mod protocol;
mod run;
mod shell;
mod standby;

pub(super) use self::copies::{CopyEnd, run as run_copy};
pub(super) use self::engine::Engine;
pub(super) use self::fit::{launch, state};
pub(super) use self::shell::{DrivenShell, LaunchError};
pub(super) use self::standby::Shared;
