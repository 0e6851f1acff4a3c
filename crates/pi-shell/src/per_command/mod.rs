//! Sessions where no bash can be kept: each command has a bash of its own.
//!
//! # Theory of operation
//! A command's bash evaluates the state that the one before wrote down, runs the command, and
//! writes its own state down when it ends, however it ends by itself (`program`). So directory,
//! variables, functions, aliases and options go on; jobs and descriptors do not. The command ends
//! with its bash; what it left in the background is read on and accounted for. The platform's part
//! (`platform`) starts bash, ends trees and reads pipes.
//!
//! The queue of commands, `abort` and `close` are `session`'s. See docs/per-command.md.

mod follow;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
mod program;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::follow::{Ending, Follow, StopReason};
use self::platform::{Output, Place};
use self::program::{Files, Program};
use crate::delivery::Delivery;
use crate::environment;
use crate::error::ShellError;
use crate::job::{Clock, Job};
use crate::late::LateReaders;
use crate::observer::{Observer, SinkUpdate};
use crate::outcome::{ExitOutcome, RunResult};
use crate::request::{EnvironmentEntry, RunOptions, ShellOptions};
use crate::script::SavedState;
use crate::shell_path;
use crate::source::{ReadOutcome, Source as _};
use crate::validate;

/// Time that a snapshot may take.
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(5);

/// What one bash hands on to the next.
#[derive(Clone)]
struct Kept {
    /// None before the first command.
    state: Option<Arc<SavedState>>,
    /// Where the session is.
    cwd: PathBuf,
    /// What `$?` shows to the next command.
    status: i32,
}

/// A session whose commands have a bash each.
pub(crate) struct PerCommand {
    options: Arc<ShellOptions>,
    shell: PathBuf,
    base_env: Vec<EnvironmentEntry>,
    /// Made with the first command, and anew where somebody killed or removed what it is made of.
    place: tokio::sync::Mutex<Option<Arc<Place>>>,
    kept: Mutex<Kept>,
    late: LateReaders,
    serial: AtomicU64,
}

impl PerCommand {
    /// A session; nothing is started.
    pub(crate) fn new(options: Arc<ShellOptions>) -> Result<Self, ShellError> {
        if let Some(wanted) = &options.sandbox {
            let reason = "sessions without a bash that is kept have no sandbox".to_owned();
            return Err(ShellError::SandboxUnavailable { mode: wanted.mode.name(), reason });
        }
        if options.limits.session_memory.or(options.limits.session_processes).is_some() {
            let reason =
                "sessions without a bash that is kept are not limited as a whole".to_owned();
            return Err(ShellError::LimitsUnavailable { reason });
        }
        let shell = shell_path::resolve(options.shell.as_deref())?;
        let base_env = base_environment(&options);
        let cwd = validate::first_directory(options.cwd.as_deref())?;
        Ok(Self {
            options,
            shell,
            base_env,
            place: tokio::sync::Mutex::default(),
            kept: Mutex::new(Kept { state: None, cwd, status: 0 }),
            late: LateReaders::default(),
            serial: AtomicU64::new(0),
        })
    }

    /// Runs a command. With `keeps`, what it changed is what the next one begins with; without,
    /// it is a copy that runs beside others.
    pub(crate) async fn run(&self, job: &Job, keeps: bool) -> Result<RunResult, ShellError> {
        let place = self.place().await?;
        let begins = self.kept().state.is_none();
        if let Some(snapshot) = self.options.snapshot_path.as_ref().filter(|_| begins) {
            let first = ShellOptions { snapshot_path: Some(snapshot.clone()), ..self.first() };
            // A snapshot that ends bash or takes too long is left out.
            drop(self.attempt(&place, &silent_job(&job.cancel), true, &first).await);
        }
        self.attempt(&place, job, keeps, &self.first()).await
    }

    /// What the first command of the session is given.
    fn first(&self) -> ShellOptions {
        ShellOptions { snapshot_path: None, ..(*self.options).clone() }
    }

    async fn attempt(
        &self,
        place: &Place,
        job: &Job,
        keeps: bool,
        first: &ShellOptions,
    ) -> Result<RunResult, ShellError> {
        let kept = self.kept().clone();
        let directory = match &job.options.cwd {
            Some(cwd) => Some(validate::check_directory(cwd, &kept.cwd)?),
            None => kept.state.is_none().then(|| kept.cwd.clone()),
        };
        let files = Files::new(place.folder(), self.serial.fetch_add(1, Ordering::Relaxed));
        let program = Program {
            files: &files,
            state: kept.state.as_deref(),
            first: kept.state.is_none().then_some(first),
            base_env: &self.base_env,
            cwd: directory.as_deref(),
            status: kept.status,
            env: &job.options.env,
        };
        let clock = Clock::start(job.options.timeout);
        let failed = |source| ShellError::System { attempt: "give bash a command", source };
        program.write(&job.options.command).map_err(failed)?;
        let start = platform::Start {
            shell: &self.shell,
            program: &files.program,
            cwd: &if kept.cwd.is_dir() { kept.cwd } else { platform::root() },
            env: &self.base_env,
            limits: self.options.limits,
        };
        let (process, mut output) = place.start(start).await?;
        let mut delivery = Delivery::new(Arc::clone(&job.observer), job.options.sink.clone());
        let ending = Follow {
            process: &process,
            place,
            output: &mut output,
            delivery: &mut delivery,
            deadline: clock.deadline(),
            cancel: &job.cancel,
        }
        .complete()
        .await;
        let wall_time = clock.elapsed();
        let survivors = place.account_for_survivors(&process).await;
        let summary = self.put_output_away(output, delivery, !survivors.is_empty());
        let is_bash = files.begun.exists() || matches!(ending, Ending::Stopped(_));
        let outcome = outcome_of(ending);
        let lost = self.take_over(&files, outcome, keeps);
        files.remove();
        if !is_bash {
            return Err(shell_path::no_bash(&self.shell));
        }
        Ok(RunResult {
            outcome,
            working_dir: Some(self.kept().cwd.clone()),
            session_reset: lost && keeps,
            survivors,
            wall_time,
            output: summary,
            sandbox: None,
            lost_with_shell: Vec::new(),
            limits_met: Vec::new(),
        })
    }

    /// What commands are started in.
    async fn place(&self) -> Result<Arc<Place>, ShellError> {
        let mut place = self.place.lock().await;
        if let Some(sound) = place.as_ref().filter(|place| !place.is_broken()) {
            return Ok(Arc::clone(sound));
        }
        let made = Arc::new(Place::open(&self.options).await?);
        *place = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Takes over the state that the command's bash left. Returns whether there was none.
    fn take_over(&self, files: &Files, outcome: ExitOutcome, keeps: bool) -> bool {
        let state = SavedState::read(&files.state).filter(|state| !state.inside_function);
        let cwd = files.read_directory();
        let lost = state.is_none();
        if keeps {
            let mut kept = self.kept();
            kept.status = match outcome {
                ExitOutcome::Exited { code } => i32::from(code),
                ExitOutcome::Signaled { signal } => 128 + signal,
                ExitOutcome::TimedOut | ExitOutcome::Cancelled => kept.status,
            };
            if let Some(state) = state {
                kept.state = Some(Arc::new(state));
                kept.cwd = cwd.unwrap_or_else(|| kept.cwd.clone());
            }
        }
        lost
    }

    /// Ends the delivery, or has it go on where somebody still holds the pipe.
    fn put_output_away(
        &self,
        mut output: Output,
        mut delivery: Delivery,
        has_survivors: bool,
    ) -> Option<crate::outcome::OutputSummary> {
        let read = output.read_now();
        let summary = delivery.summary(has_survivors && !matches!(read, Ok(ReadOutcome::Closed)));
        match read {
            Ok(ReadOutcome::Closed) | Err(_) => {}
            Ok(ReadOutcome::Data(first)) => self.late.follow(output, delivery.into_sink(), first),
            Ok(ReadOutcome::Empty) => self.late.follow(output, delivery.into_sink(), 0),
        }
        summary
    }

    /// How many processes that outlived their commands are alive.
    pub(crate) async fn background_count(&self) -> usize {
        self.place.lock().await.as_ref().map_or(0, |place| place.background_count())
    }

    /// What background children wrote after their commands ended.
    pub(crate) fn late_output(&self) -> String {
        self.late.text()
    }

    /// Ends everything the session started.
    pub(crate) async fn close(&self, bound: Duration) {
        let place = self.place.lock().await.take();
        if let Some(place) = place {
            place.close(bound).await;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic elsewhere leaves whole values.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run of nothing, for the sake of the state that it leaves.
fn silent_job(cancel: &CancellationToken) -> Job {
    Job {
        options: RunOptions { timeout: Some(SNAPSHOT_LIMIT), ..RunOptions::default() },
        observer: Arc::new(Silent),
        cancel: cancel.clone(),
    }
}

/// Hears nothing.
struct Silent;

impl Observer for Silent {
    fn wants_chunks(&self) -> bool {
        false
    }

    fn chunk(&self, _text: &str) {}

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

    fn wants_updates(&self) -> bool {
        false
    }

    fn update(&self, _update: SinkUpdate) {}
}

fn outcome_of(ending: Ending) -> ExitOutcome {
    match ending {
        Ending::Ended(outcome) => outcome,
        Ending::Stopped(StopReason::TimedOut) => ExitOutcome::TimedOut,
        Ending::Stopped(StopReason::Cancelled) => ExitOutcome::Cancelled,
    }
}

/// What every bash of the session is started with.
fn base_environment(options: &ShellOptions) -> Vec<EnvironmentEntry> {
    match &options.base_env {
        Some(entries) => {
            entries.iter().filter(|(name, _)| !environment::is_dropped(name)).cloned().collect()
        }
        None => environment::host_environment()
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
    }
}
