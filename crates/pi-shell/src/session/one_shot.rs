//! One command in a session of its own, which ends with it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Shell;
use crate::error::ShellError;
use crate::observer::Observer;
use crate::outcome::RunResult;
use crate::request::{Concurrency, RunOptions, ShellOptions};

/// Runs one command in a fresh bash, which ends with it: what it left in the background is
/// killed. Otherwise as `Shell::run`.
pub async fn execute_shell(
    options: ShellOptions,
    run: RunOptions,
    observer: Arc<dyn Observer>,
    cancel: CancellationToken,
) -> Result<RunResult, ShellError> {
    let mut options = options;
    // Where a sandbox hides the temporary folder, it shows the session's first directory.
    if options.sandbox.is_some() {
        options.cwd = options.cwd.or_else(|| run.cwd.clone());
    }
    // Nothing runs beside it that it would have to wait for.
    let run = RunOptions { concurrency: Concurrency::Queue, ..run };
    // A read-only command is run in a copy, which only a session leaves.
    let shell = Shell::make(options, run.read_only)?;
    let result = shell.run(run, observer, cancel).await;
    shell.close().await;
    // The shell is the command's own: that it ended is no loss of anything.
    result.map(|result| RunResult { session_reset: false, ..result })
}
