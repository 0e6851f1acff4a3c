//! A bash session: `Shell`, its queue of commands, and its end.
//!
//! # Module map
//! ```text
//! mod        Shell: run, abort, close                        inner    what it consists of: its options, its engine's place
//! one_shot   a session for one command
//! admission  a run that waits for its turn and has it     active_runs  those that have not settled
//! driven     one bash that is kept, over the driver         per_command  a bash for each command, where none can be kept
//! kind       which of the two a session has
//! read_only  a command in a copy that can change nothing
//! hand_over  a command goes on beside the session            ownership  which engine has the session then
//! rest       what is done when no command comes             effects  what a command's text tells of it
//! tail       what is read when a command has ended              filters  what `>(…)` still has to pass on
//! unanswered looks for a program that waits for input that cannot come
//! ground     what both kinds stand on                       launch, pool  how their bash is started; spares
//! output_pipe, flood, members, limits  the nouns they use
//! ```
//! See docs/life-of-a-run.md, docs/session-protocol.md and docs/per-command.md.

mod active_runs;
mod admission;
#[cfg(target_os = "linux")]
mod driven;
#[cfg_attr(
    not(any(target_os = "linux", test)),
    expect(dead_code, reason = "a kept shell has the rest")
)]
mod effects;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "a kept shell has the rest"))]
mod filters;
#[cfg(target_os = "linux")]
mod flood;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "a kept shell has the rest"))]
mod ground;
#[cfg(target_os = "linux")]
mod hand_over;
mod inner;
mod kind;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod members;
mod one_shot;
#[cfg(target_os = "linux")]
mod output_pipe;
#[cfg_attr(
    not(any(target_os = "linux", test)),
    expect(dead_code, reason = "a kept shell has the rest")
)]
mod ownership;
mod per_command;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod read_only;
#[cfg(target_os = "linux")]
mod rest;
mod tail;
mod unanswered;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pi_process::budget::HARD_TIMEOUT_GRACE;
use tokio_util::sync::CancellationToken;

use self::active_runs::ActiveRuns;
use self::admission::{Admission, AdmittedRun};
#[cfg(target_os = "linux")]
use self::driven::Engine;
use self::inner::{Inner, Place};
pub(crate) use self::kind::default_kind;
use self::kind::offered_kind;
pub use self::kind::{DriverState, driver_state};
pub use self::one_shot::execute_shell;
use self::per_command::PerCommand;
use crate::error::ShellError;
#[cfg(target_os = "linux")]
use crate::inline;
use crate::job::Job;
use crate::observer::Observer;
use crate::outcome::{ExitOutcome, RunResult};
use crate::request::{Concurrency, RunOptions, ShellOptions};
use crate::{proxy_variables, validate};

/// Where none is kept.
#[cfg(not(target_os = "linux"))]
type Engine = std::convert::Infallible;

/// Time that closing a session may take: the supervisor kills and reaps in milliseconds.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// A persistent session over one real bash. Cheap to clone; the bash starts with the first run
/// and ends with `close` or with the last clone.
#[derive(Clone)]
pub struct Shell {
    inner: Arc<Inner>,
}

impl Shell {
    /// A session. Checks the options; nothing is spawned before the first run.
    pub fn new(options: ShellOptions) -> Result<Self, ShellError> {
        Self::make(options, true)
    }

    fn make(mut options: ShellOptions, is_session: bool) -> Result<Self, ShellError> {
        validate::check_shell_options(&options)?;
        proxy_variables::bound(&mut options);
        let kind = options.kind.unwrap_or_else(offered_kind);
        Ok(Self { inner: Arc::new(Inner::new(options, kind, is_session)) })
    }

    /// Runs one command and resolves with how it ended, whatever that was.
    ///
    /// Commands of one session queue; the wait is not charged to the timeout. Dropping the future
    /// does not stop the command: cancel the token for that.
    pub async fn run(
        &self,
        options: RunOptions,
        observer: Arc<dyn Observer>,
        cancel: CancellationToken,
    ) -> Result<RunResult, ShellError> {
        match self.admit(options, observer, cancel).await? {
            Admission::Refused(result) => Ok(*result),
            // A task of its own: a caller that drops the future must not leave the engine half-way.
            Admission::Granted(run) => match tokio::spawn(run.complete()).await {
                Ok(result) => result,
                Err(error) => {
                    Err(ShellError::system("run the command", std::io::Error::other(error)))
                }
            },
        }
    }

    /// As `run`, for a caller that polls the future to its end, come what may: then it needs no
    /// task of its own. Dropped before, it leaves a session that must be closed.
    pub async fn run_to_end(
        &self,
        options: RunOptions,
        observer: Arc<dyn Observer>,
        cancel: CancellationToken,
    ) -> Result<RunResult, ShellError> {
        match self.admit(options, observer, cancel).await? {
            Admission::Refused(result) => Ok(*result),
            Admission::Granted(run) => run.complete().await,
        }
    }

    /// Checks a command and waits for its turn.
    async fn admit(
        &self,
        options: RunOptions,
        observer: Arc<dyn Observer>,
        cancel: CancellationToken,
    ) -> Result<Admission, ShellError> {
        let refused = |options| Ok(Admission::Refused(Box::new(never_started(options))));
        validate::check_run_options(&options)?;
        if self.is_closed() {
            return Err(ShellError::Closed);
        }
        if cancel.is_cancelled() {
            return refused(&options);
        }
        let cancel = cancel.child_token();
        let registration = ActiveRuns::register(&self.inner.active, cancel.clone());
        let job = Job { options, observer, cancel };
        // The place in the queue is taken here, in the order of the calls.
        let turn = match job.options.concurrency {
            Concurrency::Queue => tokio::select! {
                biased;
                () = job.cancel.cancelled() => return refused(&job.options),
                turn = self.inner.turn() => Some(turn),
            },
            Concurrency::Clone => None,
        };
        let run = AdmittedRun { shell: self.clone(), job, turn, registration };
        Ok(Admission::Granted(Box::new(run)))
    }

    #[cfg(target_os = "linux")]
    async fn run_in_turn(
        &self,
        job: &Job,
        engine: &mut Option<Engine>,
    ) -> Result<RunResult, ShellError> {
        match self.run_prepared(job, engine).await {
            // Nothing was run yet; a session whose means are gone begins again.
            Err(_) if engine.as_ref().is_some_and(Engine::has_lost_its_ground) => {
                if let Some(broken) = engine.take() {
                    self.inner.note_loss();
                    broken.close(CLOSE_LIMIT).await;
                }
                self.run_prepared(job, engine).await
            }
            result => result,
        }
    }

    #[cfg(target_os = "linux")]
    async fn run_prepared(
        &self,
        job: &Job,
        engine: &mut Option<Engine>,
    ) -> Result<RunResult, ShellError> {
        let engine = self.started(engine).await?;
        engine.prepare(self.inner.take_loss()).await?;
        let result = engine.run(job).await;
        if engine.title.holds() {
            self.inner.note_cwd(engine);
            self.inner.rest_later(engine);
        }
        result
    }

    /// Runs a command in a bash of its own; `keeps` as in `PerCommand::run`.
    async fn run_alone(&self, job: &Job, keeps: bool) -> Result<RunResult, ShellError> {
        #[cfg(target_os = "linux")]
        inline::elsewhere().await;
        if self.is_closed() {
            return Err(ShellError::Closed);
        }
        let session = if let Some(session) = self.inner.per_command.get() {
            Arc::clone(session)
        } else {
            let made =
                Arc::new(PerCommand::new(Arc::clone(&self.inner.options), self.inner.is_session)?);
            Arc::clone(self.inner.per_command.get_or_init(|| made))
        };
        let result = session.run(job, keeps).await;
        // What fails because the session is being closed says so.
        result.map_err(|error| if self.is_closed() { ShellError::Closed } else { error })
    }

    #[cfg(target_os = "linux")]
    async fn run_copy(&self, job: &Job) -> Result<RunResult, ShellError> {
        inline::elsewhere().await;
        // The first run may still be starting the session, and a plain builtin leaves a standby to whoever needs it. Their
        // ends are waited for, but not that of a command which was given one.
        let ready = async {
            self.inner.opened().await;
            let shared = self.inner.shared().clone();
            match shared {
                Some((shared, _)) => shared.until_fresh().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = job.cancel.cancelled() => return Ok(never_started(&job.options)),
            mut engine = self.inner.turn() => {
                let engine = self.started(&mut engine).await?;
                engine.ready_for_copies().await?;
            }
            () = ready => {}
        }
        let Some((shared, cwd)) = self.inner.shared().clone() else {
            return Err(ShellError::Closed);
        };
        let result = driven::run_copy(&shared, job, &cwd).await.map(|end| end.result);
        // What fails because the session is being closed says so.
        result.map_err(|error| if self.is_closed() { ShellError::Closed } else { error })
    }

    #[cfg(target_os = "linux")]
    async fn started<'a>(
        &self,
        slot: &'a mut Option<Engine>,
    ) -> Result<&'a mut Engine, ShellError> {
        if self.is_closed() {
            return Err(ShellError::Closed);
        }
        if slot.is_none() {
            inline::elsewhere().await;
            let engine =
                Engine::start(Arc::clone(&self.inner.options), self.inner.is_session).await?;
            self.inner.note_cwd(&engine);
            *slot = Some(engine);
        }
        slot.as_mut().ok_or(ShellError::Closed)
    }

    /// Each command has a bash of its own here, so that nothing has to be started for the session to go on.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_async, reason = "the same call everywhere")]
    pub async fn hand_over(&self) -> bool {
        !self.is_closed() && self.hand_over_alone()
    }

    /// Has a command that has a bash of its own go on beside the session. Returns whether there was one.
    fn hand_over_alone(&self) -> bool {
        let is_taken = self.inner.per_command.get().is_some_and(|session| session.take_over());
        if is_taken {
            self.inner.move_to(Place::default());
        }
        is_taken
    }

    /// Cancels all runs of this session, waiting ones too; resolves when they are settled. Fine
    /// when there is none.
    pub async fn abort(&self) {
        // The runs settle within their own bound; this one only guards against a fault in that.
        drop(tokio::time::timeout(HARD_TIMEOUT_GRACE, self.inner.active.abort()).await);
    }

    /// Cancels what runs, kills everything the session started, and refuses later runs. A second
    /// call waits for the first.
    pub async fn close(&self) {
        self.inner.closed.store(true, Ordering::SeqCst);
        self.abort().await;
        #[cfg(target_os = "linux")]
        if let Some(engine) = self.close_engine().await {
            engine.close(CLOSE_LIMIT).await;
        }
        if let Some(session) = self.inner.per_command.get() {
            session.close(CLOSE_LIMIT).await;
        }
    }

    #[cfg(target_os = "linux")]
    async fn close_engine(&self) -> Option<Engine> {
        let engine = self.inner.turn().await.take();
        self.inner.shared().take();
        engine
    }

    /// How many processes that outlived their commands are alive.
    pub async fn live_background_job_count(&self) -> usize {
        if let Some(session) = self.inner.per_command.get() {
            return session.background_count().await;
        }
        #[cfg(target_os = "linux")]
        if let Some((shared, _)) = self.inner.shared().clone() {
            return shared.background_count();
        }
        0
    }

    /// The process above everything that the session started. None before its first run, while the session is opened, and
    /// where there is none (Windows).
    pub fn root_pid(&self) -> Option<i32> {
        if let Some(session) = self.inner.per_command.get() {
            return session.root_pid();
        }
        #[cfg(target_os = "linux")]
        if let Some((shared, _)) = self.inner.shared().clone() {
            return Some(shared.supervisor.pid());
        }
        None
    }

    /// What background children wrote after their commands ended, oldest command first: up to
    /// 64 KiB of each of the last 16 commands.
    pub fn late_output(&self) -> String {
        if let Some(session) = self.inner.per_command.get() {
            return session.late_output();
        }
        #[cfg(target_os = "linux")]
        if let Some((shared, _)) = self.inner.shared().clone() {
            return shared.late.text();
        }
        String::new()
    }

    fn is_closed(&self) -> bool {
        self.inner.closed.load(Ordering::SeqCst)
    }
}

/// The result of a run that was cancelled before anything was spawned for it.
fn never_started(options: &RunOptions) -> RunResult {
    RunResult {
        outcome: ExitOutcome::Cancelled,
        working_dir: None,
        session_reset: false,
        survivors: Vec::new(),
        wall_time: Duration::ZERO,
        output: options.sink.clone().map(|sink| pi_output::Sink::new(sink).finish(None)),
        sandbox: None,
        lost_with_shell: Vec::new(),
        limits_met: Vec::new(),
        read_only: None,
        input_wanted: None,
        usage: None,
    }
}
