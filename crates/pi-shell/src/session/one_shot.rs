//! One command in a session of its own, which ends with it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

#[cfg(target_os = "linux")]
use super::driven::Engine;
use super::kind::offered_kind;
use super::per_command::PerCommand;
use super::{CLOSE_LIMIT, never_started};
use crate::error::ShellError;
use crate::job::Job;
use crate::observer::Observer;
use crate::outcome::RunResult;
#[cfg(target_os = "linux")]
use crate::request::SessionKind;
use crate::request::{RunOptions, ShellOptions};
use crate::validate;

/// Runs one command in a fresh bash, which ends with it: what it left in the background is
/// killed. Otherwise as `Shell::run`.
pub async fn execute_shell(
    options: ShellOptions,
    run: RunOptions,
    observer: Arc<dyn Observer>,
    cancel: CancellationToken,
) -> Result<RunResult, ShellError> {
    validate::check_shell_options(&options)?;
    validate::check_run_options(&run)?;
    if cancel.is_cancelled() {
        return Ok(never_started(&run));
    }
    let kind = options.kind.unwrap_or_else(offered_kind);
    let mut options = options;
    // Where a sandbox hides the temporary folder, it shows the session's first directory.
    if options.sandbox.is_some() && options.cwd.is_none() {
        options.cwd.clone_from(&run.cwd);
    }
    let task = tokio::spawn(async move {
        let job = Job { options: run, observer, cancel };
        match kind {
            #[cfg(target_os = "linux")]
            SessionKind::Persistent => match execute_in_engine(options.clone(), &job).await {
                Err(error) if options.may_fall_back(&error) => execute_alone(options, &job).await,
                result => result,
            },
            _ => execute_alone(options, &job).await,
        }
    });
    match task.await {
        Ok(result) => result,
        Err(error) => Err(ShellError::System {
            attempt: "run the command",
            source: std::io::Error::other(error),
        }),
    }
}

/// A one-shot by the engine of sessions.
#[cfg(target_os = "linux")]
async fn execute_in_engine(options: ShellOptions, job: &Job) -> Result<RunResult, ShellError> {
    let mut engine = Engine::start(Arc::new(options), false).await?;
    let result = match engine.prepare(false).await {
        Ok(()) => engine.run(job).await,
        Err(error) => Err(error),
    };
    engine.close(CLOSE_LIMIT).await;
    // The shell is the command's own: that it ended is no loss of anything.
    result.map(|result| RunResult { session_reset: false, ..result })
}

/// A one-shot where each command has a bash of its own anyway.
async fn execute_alone(options: ShellOptions, job: &Job) -> Result<RunResult, ShellError> {
    let session = PerCommand::once(Arc::new(options))?;
    let result = session.run(job, true).await;
    session.close(CLOSE_LIMIT).await;
    result.map(|result| RunResult { session_reset: false, ..result })
}
