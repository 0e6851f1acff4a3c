//! A call of `run` between its admission, where it waits for its turn, and its end.

use tokio::sync::OwnedMutexGuard;

use super::active_runs::Registration;
use super::{Engine, Shell};
use crate::error::ShellError;
use crate::job::Job;
use crate::outcome::RunResult;

/// What became of a call of `run`.
pub(super) enum Admission {
    /// It was cancelled before anything was spawned for it.
    Refused(Box<RunResult>),
    /// It is its turn.
    Granted(Box<AdmittedRun>),
}

/// A run whose turn it is.
pub(super) struct AdmittedRun {
    pub(super) shell: Shell,
    pub(super) job: Job,
    /// The session's place in the queue; none for a copy.
    pub(super) turn: Option<OwnedMutexGuard<Option<Engine>>>,
    /// Dropped with the run: it is over then.
    pub(super) registration: Registration,
}

impl AdmittedRun {
    /// Runs it. What it awaits stands on the heap, so that the future is small: it is moved from
    /// hand to hand before it is polled.
    pub(super) async fn complete(self: Box<Self>) -> Result<RunResult, ShellError> {
        let Self { shell, job, turn, registration } = *self;
        let result = match turn {
            _ if job.options.read_only
                && (shell.inner.is_per_command() || cfg!(not(target_os = "linux"))) =>
            {
                Err(without_driver())
            }
            #[cfg(target_os = "linux")]
            turn if job.options.read_only => {
                let result = match turn {
                    Some(turn) => Box::pin(shell.run_read_only(&job, turn)).await,
                    None => Box::pin(shell.run_copy(&job)).await,
                };
                match result {
                    Err(error) if shell.inner.options.may_fall_back(&error) => {
                        Err(ShellError::ReadOnlyUnavailable { reason: error.to_string() })
                    }
                    // What fails because the session is being closed says so.
                    Err(_) if shell.is_closed() => Err(ShellError::Closed),
                    result => result,
                }
            }
            turn if shell.inner.is_per_command() => {
                Box::pin(shell.run_alone(&job, turn.is_some())).await
            }
            #[cfg(target_os = "linux")]
            mut turn => {
                let result = match &mut turn {
                    Some(engine) => Box::pin(shell.run_in_turn(&job, engine)).await,
                    None => Box::pin(shell.run_copy(&job)).await,
                };
                match result {
                    Err(error) if shell.inner.options.may_fall_back(&error) => {
                        Box::pin(shell.run_alone(&job, turn.is_some())).await
                    }
                    result => result,
                }
            }
            #[cfg(not(target_os = "linux"))]
            turn => Box::pin(shell.run_alone(&job, turn.is_some())).await,
        };
        drop(registration);
        result
    }
}

/// Nothing but the driver can have a shell give up its rights before it runs a command.
pub(super) fn without_driver() -> ShellError {
    let reason =
        "each command has a bash of its own here; on Linux, install `@pi-bash/bash-driver`";
    ShellError::ReadOnlyUnavailable { reason: reason.to_owned() }
}
