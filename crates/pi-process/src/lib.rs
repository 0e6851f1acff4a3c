//! Processes that we made: started, looked at, bounded, stopped and reaped.
//!
//! # Theory of operation
//! What a session starts is started by a supervisor of its own (`crates/pi-supervisor`), which is the root of all of it.
//! So who belongs to a session is a question of descent (`tree`), which no program can step out of. A stop finds its targets
//! by descent on each round, spares what is not the command's, and signals a process only after a check that it is still the
//! one that was meant.
//!
//! ```text
//! supervisor   start a program, learn how it ended        resource_limits, control_group   what it may use
//! tree         who descends from whom, and what it is     private_dir                      its files
//! spared, stop who is left alone, who is ended and how    budget, deadline, turn           how long that may take
//! ```
//! Which shell is started, what a session keeps and what it writes is not decided here, nor when to start or to stop.

pub mod budget;
#[cfg(unix)]
pub mod control_group;
pub mod deadline;
mod error;
mod info;
mod locked;
#[cfg(unix)]
pub mod private_dir;
mod resource_limits;
#[cfg(unix)]
pub mod spared;
#[cfg(unix)]
pub mod stop;
pub mod supervisor;
pub mod sys;
pub mod tree;
#[cfg(unix)]
mod turn;

pub use error::ProcessError;
pub use info::{ProcessInfo, ResourceUsage};
pub use locked::lock;
pub use resource_limits::ResourceLimits;
#[cfg(unix)]
pub use turn::Turn;
