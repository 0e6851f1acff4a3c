//! Why a program on a pseudoterminal never ran, or why a control call found no one to control.
//!
//! The texts are those that are published for this class; callers branch on the code.

use crate::error::ShellError;
use crate::pty::input::MAX_PENDING_BYTES;

/// A PTY session that could not be started or controlled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PtyError {
    /// `start` while a program runs; the one that runs goes on.
    #[error("PTY session already running")]
    AlreadyRunning,
    /// `write`, `resize` or `kill` before a start or after the end.
    #[error("PTY session is not running")]
    NotRunning,
    /// The system gives no pseudoterminal: all of them are taken, or there are no descriptors.
    #[error("Failed to open PTY: {reason}")]
    Open {
        /// What the system said.
        reason: String,
    },
    /// The program cannot be executed.
    #[error("Failed to spawn PTY command: {reason}")]
    Spawn {
        /// The program, and what the system said.
        reason: String,
    },
    /// The program does not read, and no more is kept for it.
    #[error(
        "PTY input is full: the program leaves {MAX_PENDING_BYTES} bytes unread; write less at once"
    )]
    InputFull,
    /// Bad options, a missing directory, no supervisor.
    #[error(transparent)]
    Shell(#[from] ShellError),
}

impl PtyError {
    /// A name that stays the same between releases, for callers that branch on the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyRunning => "PI_PTY_ALREADY_RUNNING",
            Self::NotRunning => "PI_PTY_NOT_RUNNING",
            Self::Open { .. } => "PI_PTY_OPEN",
            Self::Spawn { .. } => "PI_PTY_SPAWN",
            Self::InputFull => "PI_PTY_INPUT_FULL",
            Self::Shell(error) => error.code(),
        }
    }
}
