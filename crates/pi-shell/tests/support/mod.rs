//! What the tests of sessions share: a session with its options, an observer that keeps what it
//! is given, and waiting for a condition with a bound.

#![expect(clippy::expect_used, reason = "a failed expectation is a failed test")]
#![allow(dead_code, reason = "each test file uses a part; `expect` would fail in the others")]
#![allow(clippy::allow_attributes, reason = "see above")]

pub(crate) mod driver;
#[path = "../../../pi-supervisor/tests/support/executable.rs"]
mod executable;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pi_shell::{
    ExitOutcome, Observer, RunOptions, RunResult, SessionKind, Shell, ShellError, ShellOptions,
    SinkOptions, SinkUpdate,
};
use tokio_util::sync::CancellationToken;

/// Far more than anything takes on a busy machine; reached only by a defect.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Whether these are the tests over the bash driver: `driven.rs`.
pub(crate) fn is_driven() -> bool {
    env!("CARGO_CRATE_NAME") == "driven"
}

/// Whether these are the tests over a bash for each command: `per_command.rs`.
pub(crate) fn is_per_command() -> bool {
    env!("CARGO_CRATE_NAME") == "per_command"
}

/// Options with the supervisor of this build.
pub(crate) fn shell_options() -> ShellOptions {
    ShellOptions {
        kind: is_per_command().then_some(SessionKind::PerCommand),
        supervisor: Some(executable::executable().to_path_buf()),
        driver: is_driven().then(|| driver::object().to_path_buf()),
        cwd: Some("/".into()),
        ..ShellOptions::default()
    }
}

/// A session with default options, in `/`.
pub(crate) fn session() -> Shell {
    Shell::new(shell_options()).unwrap()
}

/// A command whose output is kept.
pub(crate) fn command(text: &str) -> RunOptions {
    RunOptions {
        command: text.to_owned(),
        sink: Some(SinkOptions::default()),
        ..RunOptions::default()
    }
}

/// Keeps chunks and nothing else.
#[derive(Default)]
pub(crate) struct Recorder {
    text: Mutex<String>,
}

impl Recorder {
    pub(crate) fn text(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for Recorder {
    fn wants_chunks(&self) -> bool {
        true
    }
    fn chunk(&self, text: &str) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    }
    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
    fn wants_updates(&self) -> bool {
        false
    }
    fn update(&self, _update: SinkUpdate) {}
}

/// Runs a command of a session to its end.
pub(crate) async fn run(shell: &Shell, text: &str) -> RunResult {
    attempt(shell, command(text)).await.unwrap()
}

/// Runs a command that may be refused.
pub(crate) async fn attempt(shell: &Shell, options: RunOptions) -> Result<RunResult, ShellError> {
    let run = shell.run(options, Arc::new(Recorder::default()), CancellationToken::new());
    tokio::time::timeout(PATIENCE, run).await.expect("the run never settled")
}

/// Output and status of a command.
pub(crate) async fn answer(shell: &Shell, text: &str) -> (String, i32) {
    let result = run(shell, text).await;
    (output_of(&result), status_of(&result))
}

pub(crate) fn output_of(result: &RunResult) -> String {
    result.output.as_ref().map(|output| output.text.clone()).unwrap_or_default()
}

/// The status as a shell tells it; -1 for a command that we stopped.
pub(crate) fn status_of(result: &RunResult) -> i32 {
    match result.outcome {
        ExitOutcome::Exited { code } => i32::from(code),
        ExitOutcome::Signaled { signal } => 128 + signal,
        ExitOutcome::TimedOut | ExitOutcome::Cancelled | ExitOutcome::Unanswered => -1,
    }
}

/// Polls until `condition` holds.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Starts a command and cancels it once `ready` exists.
pub(crate) async fn cancel_when(shell: &Shell, text: &str, ready: &std::path::Path) -> RunResult {
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (shell, cancel, options) = (shell.clone(), cancel.clone(), command(text));
        async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
    });
    eventually("the command began", || ready.exists()).await;
    cancel.cancel();
    tokio::time::timeout(PATIENCE, running).await.expect("never settled").unwrap().unwrap()
}

/// Says in the output of the tests why one is skipped, or a part of one.
pub(crate) fn skip(reason: &str) {
    use std::io::Write as _;
    // Past libtest, which shows nothing of a test that passes.
    drop(writeln!(std::io::stderr(), "skipped: {reason}"));
}

/// Whether a process is alive and no zombie.
pub(crate) fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}
