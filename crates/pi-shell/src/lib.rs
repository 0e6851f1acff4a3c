//! Runs shell commands in persistent bash sessions, bounded and without leaks.


mod error;
mod observer;
mod outcome;
pub mod output;
mod request;
mod supervisor;
mod sys;
mod tree;

pub use error::ShellError;
pub use observer::{Observer, SinkUpdate};
pub use outcome::{ExitOutcome, LineRange, OutputSummary, ProcessInfo, RunResult};
pub use request::{
    Concurrency, DEFAULT_MAX_BYTES, DEFAULT_UPDATE_INTERVAL, EnvironmentEntry, HARD_TIMEOUT_GRACE,
    ResourceLimits, RunOptions, ShellOptions, SinkOptions,
};
