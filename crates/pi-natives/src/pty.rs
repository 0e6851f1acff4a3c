//! Programs on a pseudoterminal: converted options in, operations out, control calls through.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use napi_derive::napi;
use pi_shell::{
    Observer, OnStart, PtyArgvStartOptions, PtyError, PtyOptions, PtyResult, PtySession,
    PtyStartOptions, SandboxOptions,
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::bridge::Bridge;
use crate::error::{Failure, ThrownError, no_runtime};
use crate::mailbox::{Mailbox, Outbox, Wants};
use crate::outcome::{End, RunOutcome};
use crate::sandbox::SandboxRequest;
use crate::{runtime, settlement};

/// What to run on a terminal, and on what terminal.
#[napi(object, object_to_js = false)]
pub struct PtyRequest {
    /// Path of the `pi-supervisor` executable.
    pub supervisor: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// The environment that the program begins with.
    pub base_env: Option<HashMap<String, String>>,
    /// Variables on top of it.
    pub env: Option<HashMap<String, String>>,
    /// Milliseconds from the start to the deadline. Absent: no deadline.
    pub timeout_ms: Option<f64>,
    /// Columns; clamped.
    pub cols: Option<u32>,
    /// Rows; clamped.
    pub rows: Option<u32>,
    /// The sandbox that the program runs in. Absent: none.
    pub sandbox: Option<SandboxRequest>,
    /// Deliver the decoded text.
    pub wants_chunks: bool,
    /// Report who reads the terminal while it is quiet.
    pub wants_quiet: bool,
    /// An operation that ends with the program's pid as its count when it runs, and without one
    /// when it never does.
    pub start_id: Option<i64>,
    /// Start nothing; the end is that of a cancelled run.
    pub is_cancelled: bool,
}

impl From<PtyRequest> for PtyOptions {
    fn from(request: PtyRequest) -> Self {
        let entries = |variables: HashMap<String, String>| variables.into_iter().collect();
        Self {
            supervisor: request.supervisor.map(PathBuf::from),
            cwd: request.cwd.map(PathBuf::from),
            base_env: request.base_env.map(entries),
            env: request.env.map(entries).unwrap_or_default(),
            // TypeScript lets only numbers from 1 to 2^31 through.
            timeout: request.timeout_ms.map(|ms| Duration::from_secs_f64(ms / 1_000.0)),
            cols: request.cols,
            rows: request.rows,
            // Taken before: its rules can be wrong.
            sandbox: None,
        }
    }
}

/// A terminal with at most one program at a time. `PtySession` of the TypeScript surface stands
/// on it.
#[napi]
#[derive(Default)]
pub struct Pty {
    session: PtySession,
}

#[napi]
impl Pty {
    /// Opens nothing yet.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a command line as operation `id`.
    #[napi(catch_unwind)]
    pub fn start(
        &self,
        bridge: &Bridge,
        id: i64,
        command: String,
        shell: Option<String>,
        mut request: PtyRequest,
    ) -> Result<(), ThrownError> {
        let handle = runtime::handle().map_err(no_runtime)?;
        let sandbox = take_sandbox(&mut request)?;
        let start = Start::new(bridge, id, &request);
        let options = PtyOptions { sandbox, ..request.into() };
        let options = PtyStartOptions { command, shell: shell.map(PathBuf::from), options };
        start.spawn(handle, |observer, on_start, cancel| {
            self.session.start(options, observer, on_start, cancel)
        });
        Ok(())
    }

    /// Starts a program without a shell; otherwise as `start`.
    #[napi(catch_unwind)]
    pub fn start_argv(
        &self,
        bridge: &Bridge,
        id: i64,
        application: String,
        args: Vec<String>,
        mut request: PtyRequest,
    ) -> Result<(), ThrownError> {
        let handle = runtime::handle().map_err(no_runtime)?;
        let sandbox = take_sandbox(&mut request)?;
        let start = Start::new(bridge, id, &request);
        let options = PtyOptions { sandbox, ..request.into() };
        let options = PtyArgvStartOptions { application, args, options };
        start.spawn(handle, |observer, on_start, cancel| {
            self.session.start_argv(options, observer, on_start, cancel)
        });
        Ok(())
    }

    /// Types `data`. False: much of it waits, and a writer should too.
    #[napi(catch_unwind)]
    pub fn write(&self, data: String) -> Result<bool, ThrownError> {
        self.session.write(data.as_bytes()).map_err(thrown)
    }

    /// Bytes typed that the program's terminal has not taken.
    #[napi(catch_unwind)]
    pub fn pending_input(&self) -> i64 {
        crate::outcome::count(self.session.pending_input())
    }

    /// Changes the terminal's size; clamped.
    #[napi(catch_unwind)]
    pub fn resize(&self, cols: u32, rows: u32) -> Result<(), ThrownError> {
        self.session.resize(cols, rows).map_err(thrown)
    }

    /// Ends the program and all it started, or sends the signal of this number to its foreground.
    #[napi(catch_unwind)]
    pub fn kill(&self, signal: Option<i32>) -> Result<(), ThrownError> {
        self.session.kill(signal).map_err(thrown)
    }
}

/// The sandbox that is asked for; refused before anything is opened for it.
fn take_sandbox(request: &mut PtyRequest) -> Result<Option<SandboxOptions>, ThrownError> {
    let sandbox = request.sandbox.take().map(SandboxOptions::try_from).transpose();
    sandbox.map_err(crate::error::thrown)
}

/// One start on its way to the runtime.
struct Start {
    mailbox: Arc<Mailbox>,
    on_start: Option<OnStart>,
}

impl Start {
    fn new(bridge: &Bridge, id: i64, request: &PtyRequest) -> Self {
        let timeout =
            request.timeout_ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1_000.0).ok());
        let wants = Wants {
            chunks: request.wants_chunks,
            quiet: request.wants_quiet,
            timeout,
            ..Wants::default()
        };
        let on_start = request.start_id.map(|id| announce(bridge.open(id, Wants::default())));
        let mailbox = bridge.open(id, wants);
        if request.is_cancelled {
            mailbox.cancellation().cancel();
        }
        Self { mailbox, on_start }
    }

    fn spawn<F>(
        self,
        handle: &Handle,
        begin: impl FnOnce(Arc<dyn Observer>, Option<OnStart>, &CancellationToken) -> F,
    ) where
        F: Future<Output = Result<PtyResult, PtyError>> + Send + 'static,
    {
        let Self { mailbox, on_start } = self;
        let cancel = mailbox.cancellation().clone();
        let outbox = Outbox::new(Arc::clone(&mailbox), None);
        let running = begin(Arc::new(outbox), on_start, &cancel);
        let start = Instant::now();
        settlement::spawn(
            handle,
            mailbox,
            async move { Ok(end_of(running.await?, start.elapsed())) },
        );
    }
}

/// Tells the pid through `mailbox`, or, dropped unused, that there is none.
fn announce(mailbox: Arc<Mailbox>) -> OnStart {
    struct Announcement(Arc<Mailbox>);

    impl Drop for Announcement {
        fn drop(&mut self) {
            // No effect after the pid.
            self.0.end(End::default());
        }
    }

    let announcement = Announcement(mailbox);
    Box::new(move |pid| {
        announcement.0.end(End { count: Some(pid.into()), ..End::default() });
    })
}

/// A run of a session in all that both have; the rest does not exist for a terminal.
fn end_of(result: PtyResult, wall_time: Duration) -> End {
    RunOutcome::from(result.into_run(wall_time)).into()
}

impl From<PtyError> for Failure {
    fn from(error: PtyError) -> Self {
        Self { code: error.code().to_owned(), message: error.to_string(), reason: None }
    }
}

/// A core error as an exception.
fn thrown(error: PtyError) -> ThrownError {
    ThrownError::new(error.code(), error.to_string())
}
