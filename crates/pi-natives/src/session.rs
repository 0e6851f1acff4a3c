//! Sessions and one-shots: converted options in, operations out.

use std::sync::Arc;

use napi_derive::napi;
use pi_shell::mask::Mask;
use pi_shell::{Observer, RunOptions, RunResult, Shell, ShellError, ShellOptions};
use tokio_util::sync::CancellationToken;

use crate::bridge::Bridge;
use crate::capture::Capture;
use crate::error::{Failure, ThrownError, no_runtime, thrown};
use crate::mailbox::{Outbox, Wants};
use crate::mask::SecretMask;
use crate::minimizer::MinimizedText;
use crate::outcome::{End, RunOutcome};
use crate::request::{RunRequest, SessionOptions};
use crate::{runtime, settlement};

/// One persistent bash. `Shell` of the TypeScript surface stands on it.
#[napi]
pub struct Session {
    /// Empty only while the session is dropped.
    shell: Option<Shell>,
    mask: Option<Mask>,
}

#[napi]
impl Session {
    /// Checks the options; starts nothing. `mask`: what is masked in the output of each run.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: SessionOptions, mask: Option<&SecretMask>) -> Result<Self, ThrownError> {
        let options = ShellOptions::try_from(options).map_err(thrown)?;
        let shell = Shell::new(options).map_err(thrown)?;
        Ok(Self { shell: Some(shell), mask: mask.and_then(SecretMask::core) })
    }

    /// Starts run `id`; its output and end come over `bridge`. With `isCancelled` nothing is
    /// spawned and the end is that of a cancelled run. True where `bridge` has something to take already.
    #[napi(catch_unwind)]
    pub fn run(
        &self,
        bridge: &Bridge,
        id: i64,
        request: RunRequest,
        is_cancelled: bool,
    ) -> Result<bool, ThrownError> {
        let shell = self.shell()?;
        let mask = self.mask.clone();
        start(bridge, id, request, mask, is_cancelled, |options, observer, cancel| async move {
            // Its task is the operation's, which is never dropped before its end.
            shell.run_to_end(options, observer, cancel).await
        })
    }

    /// Operation `id`: stops all runs of the session and ends when they have.
    #[napi(catch_unwind)]
    pub fn abort(&self, bridge: &Bridge, id: i64) -> Result<(), ThrownError> {
        self.operate(bridge, id, |shell| async move {
            shell.abort().await;
            Ok(End::default())
        })
    }

    /// Operation `id`: ends the session and everything it started.
    #[napi(catch_unwind)]
    pub fn close(&self, bridge: &Bridge, id: i64) -> Result<(), ThrownError> {
        self.operate(bridge, id, |shell| async move {
            shell.close().await;
            Ok(End::default())
        })
    }

    /// Operation `id`: lets the command that runs go on beside the session. Its count is 1 where
    /// that was done.
    #[napi(catch_unwind)]
    pub fn hand_over(&self, bridge: &Bridge, id: i64) -> Result<(), ThrownError> {
        self.operate(
            bridge,
            id,
            |shell| async move { Ok(usize::from(shell.hand_over().await).into()) },
        )
    }

    /// Operation `id`: how many background jobs of the session live.
    #[napi(catch_unwind)]
    pub fn live_background_job_count(&self, bridge: &Bridge, id: i64) -> Result<(), ThrownError> {
        self.operate(bridge, id, |shell| async move {
            Ok(shell.live_background_job_count().await.into())
        })
    }

    /// The process above everything that the session started; absent before its first run.
    #[napi(catch_unwind)]
    pub fn root_pid(&self) -> Result<Option<i32>, ThrownError> {
        Ok(self.shell()?.root_pid())
    }

    /// What background children wrote after their commands ended, the oldest command's first.
    #[napi(catch_unwind)]
    pub fn late_output(&self) -> Result<String, ThrownError> {
        Ok(self.shell()?.late_output())
    }

    fn operate<F>(
        &self,
        bridge: &Bridge,
        id: i64,
        operation: impl FnOnce(Shell) -> F,
    ) -> Result<(), ThrownError>
    where
        F: Future<Output = Result<End, Failure>> + Send + 'static,
    {
        let shell = self.shell()?;
        let handle = runtime::handle().map_err(no_runtime)?;
        settlement::spawn(handle, bridge.open(id, Wants::default()), operation(shell));
        Ok(())
    }

    fn shell(&self) -> Result<Shell, ThrownError> {
        self.shell.clone().ok_or_else(|| thrown(ShellError::Closed))
    }
}

impl Drop for Session {
    /// The garbage collector found the session unused. Runs in progress hold the core themselves;
    /// without any, the last handle goes and the bash with it.
    fn drop(&mut self) {
        if let (Some(shell), Some(handle)) = (self.shell.take(), runtime::started()) {
            // On the runtime: the core's own clean-up may need it, and the JavaScript thread
            // should not wait for a system call of ours.
            handle.spawn(async move { drop(shell) });
        }
    }
}

/// Starts run `id` on a fresh bash that ends with it. `mask`: what is masked in its output.
#[napi(catch_unwind)]
pub fn execute(
    bridge: &Bridge,
    id: i64,
    session: SessionOptions,
    request: RunRequest,
    is_cancelled: bool,
    mask: Option<&SecretMask>,
) -> Result<bool, ThrownError> {
    let session = ShellOptions::try_from(session).map_err(thrown)?;
    let mask = mask.and_then(SecretMask::core);
    start(bridge, id, request, mask, is_cancelled, |options, observer, cancel| {
        pi_shell::execute_shell(session, options, observer, cancel)
    })
}

/// Opens the mailbox of run `id` and starts `run` with what `request` asks for.
fn start<F>(
    bridge: &Bridge,
    id: i64,
    mut request: RunRequest,
    mask: Option<Mask>,
    is_cancelled: bool,
    run: impl FnOnce(RunOptions, Arc<dyn Observer>, CancellationToken) -> F,
) -> Result<bool, ThrownError>
where
    F: Future<Output = Result<RunResult, ShellError>> + Send + 'static,
{
    let (wants, spin) = (request.wants(), request.spin());
    let capture = request.take_capture().map_err(thrown)?.map(Arc::new);
    let options = masked(request.try_into().map_err(thrown)?, mask);
    let handle = runtime::handle().map_err(no_runtime)?;
    let mailbox = bridge.open(id, wants);
    let cancel = mailbox.cancellation().clone();
    if is_cancelled {
        cancel.cancel();
    }
    let outbox = Outbox::new(Arc::clone(&mailbox), capture.clone());
    let running = run(options, Arc::new(outbox), cancel);
    let settling = settlement::settling(mailbox, async move {
        let mut outcome = RunOutcome::from(running.await?);
        outcome.minimized = minimized(capture, outcome.exit_code).await;
        Ok(outcome.into())
    });
    Ok(bridge.begin(handle, settling, spin))
}

/// `options` with `mask` for all that a run gives out.
fn masked(mut options: RunOptions, mask: Option<Mask>) -> RunOptions {
    if let Some(sink) = &mut options.sink {
        sink.mask.clone_from(&mask);
    }
    options.mask = mask;
    options
}

/// The output rewritten, if it was captured and the command ended by itself.
async fn minimized(capture: Option<Arc<Capture>>, exit_code: Option<u8>) -> Option<MinimizedText> {
    let (capture, exit_code) = (capture?, exit_code?);
    // Up to a tenth of a second of computing, which must not hold up the other runs' thread.
    let work = tokio::task::spawn_blocking(move || capture.minimize(exit_code));
    let (minimized, original) = work.await.ok().flatten()?;
    Some(MinimizedText::new(minimized, Some(original)))
}
