//! Why no process could be started.

use std::io;
use std::path::PathBuf;

/// Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The supervisor cannot be started or does not answer.
    #[error("cannot start the supervisor `{}`: {source}", path.display())]
    Supervisor {
        /// Path of the executable.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A system resource that processes need is not to be had (descriptors, processes, memory).
    #[error("cannot {attempt}: {source}")]
    System {
        /// What was tried.
        attempt: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
