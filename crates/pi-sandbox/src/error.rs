//! Why there is no sandbox.

/// The sandbox that was asked for cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct SandboxUnavailable {
    /// What was asked for, as settings call it.
    pub mode: &'static str,
    /// What each backend lacks, and the remedy.
    pub reason: String,
}
