//! A bash for each command: sessions where no bash can be kept, or where the driver does not fit the one there is.
//!
//! # Theory of operation
//! A command's bash evaluates the state that the one before wrote down, runs the command, and writes its own state down
//! when it ends, however it ends by itself (`program`, `state`). So directory, variables, functions, aliases, options and
//! traps go on; jobs and descriptors do not. The command ends with its bash; what it left in the background is read on and
//! accounted for. A command that is handed over goes on with its bash, and what it leaves is dropped. The platform's part
//! (`platform`) starts bash, ends trees and reads pipes.
//!
//! The queue of commands, `abort` and `close` are the parent module's. See docs/per-command.md.

mod dump;
mod files;
mod follow;
mod parts;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
mod program;
mod silent;
mod state;

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_process::{budget, lock};

use self::files::Files;
use self::follow::Follow;
use self::platform::{CommandPipe, Place, Process};
use self::program::Program;
use self::silent::silent_job;
use self::state::State;
use super::effects;
use super::ownership::{Ownership, Title};
use super::unanswered::Waits;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::Job;
use crate::late::LateReaders;
use crate::outcome::{ExitOutcome, LostWithShell, RunResult};
use crate::request::{EnvironmentEntry, ShellOptions};
use crate::{environment, proxy_variables, shell_path, validate};

/// What one bash hands on to the next.
#[derive(Clone)]
struct Kept {
    /// None before the first command.
    state: Option<Arc<State>>,
    /// Where the session is.
    cwd: PathBuf,
    /// What `$?` shows to the next command.
    status: i32,
}

/// A command whose bash has ended.
struct Ended {
    outcome: ExitOutcome,
    /// The session is still this command's.
    keeps: bool,
    wall_time: Duration,
    /// What it began with.
    kept: Kept,
    /// Where it was to run.
    directory: Option<PathBuf>,
}

/// What a bash left.
#[derive(Default)]
struct Left {
    /// It could not tell its state, although the command may have changed it.
    is_lost: bool,
    /// It had descriptors above 2.
    has_descriptors: bool,
}

/// A session whose commands have a bash each.
pub(super) struct PerCommand {
    options: Arc<ShellOptions>,
    shell: PathBuf,
    base_env: Vec<EnvironmentEntry>,
    /// Made with the first command, and again where it was killed or removed from outside.
    place: tokio::sync::Mutex<Option<Arc<Place>>>,
    kept: Mutex<Kept>,
    late: LateReaders,
    serial: AtomicU64,
    /// Which of its commands has the session.
    ownership: Ownership,
    /// Whether there is a next command.
    is_session: bool,
}

impl PerCommand {
    /// A session, or one command where the state that it leaves has no reader; nothing is started.
    pub(super) fn new(options: Arc<ShellOptions>, is_session: bool) -> Result<Self, ShellError> {
        platform::check(&options)?;
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
            ownership: Ownership::default(),
            is_session,
        })
    }

    /// Runs a command. With `keeps`, what it changed is what the next one begins with; without, it is a copy that runs
    /// beside others.
    pub(super) async fn run(&self, job: &Job, keeps: bool) -> Result<RunResult, ShellError> {
        let place = self.place().await?;
        let begins = lock(&self.kept).state.is_none();
        if let (true, Some(_)) = (begins, &self.options.snapshot_path) {
            // A snapshot that ends bash or takes too long is left out.
            drop(self.attempt(&place, &silent_job(&job.cancel), true, &self.options).await);
        }
        let first = ShellOptions { snapshot_path: None, ..(*self.options).clone() };
        self.attempt(&place, job, keeps, &first).await
    }

    /// The command that runs goes on beside the session, which has the state from before it. Returns whether there was one.
    pub(super) fn take_over(&self) -> bool {
        self.ownership.take_over(0).is_some()
    }

    async fn attempt(
        &self,
        place: &Place,
        job: &Job,
        keeps: bool,
        first: &ShellOptions,
    ) -> Result<RunResult, ShellError> {
        let kept = lock(&self.kept).clone();
        let directory = match &job.options.cwd {
            Some(cwd) => Some(validate::check_directory(cwd, &kept.cwd)?),
            None => kept.state.is_none().then(|| kept.cwd.clone()),
        };
        let directory =
            directory.filter(|directory| kept.state.is_none() || *directory != kept.cwd);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let files = Files::new(place.folder(), &place.written(), serial);
        let mark = new_mark();
        let given = platform::environment(&self.base_env, kept.state.is_some());
        let program = Program {
            files: &files,
            mark: &mark,
            state: kept.state.as_deref(),
            keeps: keeps && (self.is_session || first.snapshot_path.is_some()),
            options: first,
            holds_back: place.holds_back(),
            temporary: place.temporary(),
            base_env: &given,
            cwd: directory.as_deref(),
            status: kept.status,
            env: &job.options.env,
        };
        let clock = job.begin();
        let failed = |source| ShellError::system("give bash a command", source);
        program.write(&job.options.command).map_err(failed)?;
        let start = platform::Start {
            shell: &self.shell,
            folder: &files.folder,
            env: &given,
            limits: self.options.limits,
        };
        let title = keeps.then(|| self.ownership.owned());
        let (process, mut output) = place.start(start, title.clone()).await?;
        if let Some(title) = &title {
            title.begin();
        }
        let mut delivery = Delivery::new(Arc::clone(&job.observer), Some(&job.options));
        let mut waits = Waits::new(job.options.on_input_wait);
        let outcome = Follow {
            process: &process,
            place,
            output: &mut output,
            delivery: &mut delivery,
            deadline: clock.deadline(),
            cancel: &job.cancel,
            waits: &mut waits,
        }
        .complete()
        .await;
        let keeps = title.as_ref().is_some_and(Title::end);
        let ended = Ended { outcome, keeps, wall_time: clock.elapsed(), kept, directory };
        let result = self.conclude(place, job, &process, &files, &mark, ended, (output, delivery));
        let result = result.await;
        files.remove();
        result.map(|result| RunResult { input_wanted: waits.into_seen(), ..result })
    }

    /// Turns the end of a command into its result, and takes over what its bash left.
    #[expect(clippy::too_many_arguments, reason = "one command's own things, each of another kind")]
    async fn conclude(
        &self,
        place: &Place,
        job: &Job,
        process: &Process,
        files: &Files,
        mark: &str,
        ended: Ended,
        (output, delivery): (CommandPipe, Delivery),
    ) -> Result<RunResult, ShellError> {
        let Ended { outcome, keeps, wall_time, kept, directory } = ended;
        let patience = budget::settle_limit(outcome.is_stop());
        let survivors = place.account_for_survivors(process, patience).await;
        let (summary, _closed) = self.late.put_away(output, delivery, !survivors.is_empty());
        let left = self.take_over_state(files, mark, outcome, job, &kept, keeps);
        let marks = match files.marks_at_begin() {
            None if !outcome.is_stop() => {
                return Err(shell_path::no_bash(&self.shell));
            }
            Some(marks) if marks.contains(&b'd') => {
                return Err(refused(directory.unwrap_or(kept.cwd)));
            }
            marks => marks.unwrap_or_default(),
        };
        let has_begun = marks.contains(&b'c');
        let is_missed = keeps && self.is_session;
        let jobs = (!survivors.is_empty()).then_some(LostWithShell::Jobs);
        let descriptors = left.has_descriptors.then_some(LostWithShell::Descriptors);
        let lost = jobs.into_iter().chain(descriptors);
        let working_dir = Some(lock(&self.kept).cwd.clone());
        let usage = if job.options.usage { process.usage().await } else { None };
        Ok(RunResult {
            outcome,
            working_dir,
            // Before it began, the state was as it is.
            session_reset: is_missed && (left.is_lost && has_begun || marks.contains(&b'f')),
            survivors,
            wall_time,
            output: summary,
            sandbox: place.sandbox_report().await,
            lost_with_shell: lost.filter(|_| is_missed).collect(),
            limits_met: place.limits_met(process, outcome),
            read_only: None,
            input_wanted: None,
            usage,
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

    /// Takes over the state that the command's bash left, where `keeps` says that it has the session.
    fn take_over_state(
        &self,
        files: &Files,
        mark: &str,
        outcome: ExitOutcome,
        job: &Job,
        before: &Kept,
        keeps: bool,
    ) -> Left {
        if !keeps {
            return Left::default();
        }
        let builtin = state::read(&files.builtin);
        let state = state::read(&files.state).and_then(|text| {
            State::parse(&text, mark, builtin.as_deref(), before.state.as_deref())
        });
        let mut kept = lock(&self.kept);
        kept.status = outcome.status().unwrap_or(kept.status);
        let Some(state) = state else {
            let is_lost = !effects::only_replaces_shell(&job.options.command);
            return Left { is_lost, has_descriptors: false };
        };
        let has_descriptors = state.has_descriptors;
        let base = [self.base_env.as_slice(), self.options.session_env.as_slice()].concat();
        let state = state.without_call(&job.options.env, before.state.as_deref(), &base);
        kept.cwd.clone_from(&state.directory);
        kept.state = Some(Arc::new(state));
        Left { is_lost: false, has_descriptors }
    }

    /// How many processes that outlived their commands are alive.
    pub(super) async fn background_count(&self) -> usize {
        self.place.lock().await.as_ref().map_or(0, |place| place.background_count())
    }

    /// The process above everything that its commands started. None while its place is made.
    pub(super) fn root_pid(&self) -> Option<i32> {
        self.place.try_lock().ok()?.as_ref()?.root_pid()
    }

    /// What background children wrote after their commands ended.
    pub(super) fn late_output(&self) -> String {
        self.late.text()
    }

    /// Ends everything the session started.
    pub(super) async fn close(&self, bound: Duration) {
        let place = self.place.lock().await.take();
        if let Some(place) = place {
            place.close(bound).await;
        }
    }
}

/// A word that no command of the session can know before it is used.
fn new_mark() -> String {
    let hasher = std::hash::RandomState::new().build_hasher();
    format!("pi-{:016x}", hasher.finish())
}

/// The directory that bash could not enter.
fn refused(path: PathBuf) -> ShellError {
    use std::io::ErrorKind;
    let kind = if path.is_dir() { ErrorKind::PermissionDenied } else { ErrorKind::NotFound };
    ShellError::of_directory(path, kind.into())
}

/// What the session's first bash is started with. Scripts of ours name it, so it is text.
fn base_environment(options: &ShellOptions) -> Vec<EnvironmentEntry> {
    let env = environment::base(options.base_env.as_deref());
    proxy_variables::without_host_proxies(env, options.sandbox.as_ref())
        .into_iter()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::new_mark;

    #[test]
    fn no_command_can_know_the_mark_of_the_next_from_its_own() {
        let (one, other) = (new_mark(), new_mark());
        assert_ne!(one, other);
        // Its end stands in the names of variables.
        assert_eq!((one.len(), other.len()), (19, 19));
    }
}
