//! The engine that a session with a kept bash has: over the driver, or over shell text in the tests of that. Where the
//! driver is missing or does not fit, none is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use super::driven;
use super::engine::{self, Engine as ScriptEngine};
use super::ground::Ground;
use super::main_shell::LaunchSpec;
use super::ownership::Title;
use super::pool::{self, BootedShell};
use super::recovery::Loss;
use super::{copies, shared};
use crate::capabilities::SessionKind;
use crate::error::ShellError;
use crate::job::Job;
use crate::outcome::RunResult;
use crate::request::ShellOptions;

/// One of the two.
pub(super) enum Engine {
    Script(Box<ScriptEngine>),
    #[cfg(target_os = "linux")]
    Driven(Box<driven::Engine>),
}

/// The same for whichever engine it is.
macro_rules! each {
    ($engine:expr, $one:ident => $result:expr) => {
        match $engine {
            Self::Script($one) => $result,
            #[cfg(target_os = "linux")]
            Self::Driven($one) => $result,
        }
    };
}

impl Engine {
    /// Starts a session: takes a booted shell and gives it the session's environment.
    pub(super) async fn start(
        options: Arc<ShellOptions>,
        keeps_session: bool,
    ) -> Result<Self, ShellError> {
        let cwd = crate::validate::first_directory(options.cwd.as_deref())?;
        let (executable, spec) = pool::spec_for(&options).await?;
        if options.kind != Some(SessionKind::Script)
            && let Some(reason) = why_not_kept(&spec)
        {
            return Err(ShellError::NotKept { path: spec.shell, reason });
        }
        let (means, shell) = pool::take(&executable, &spec).await?.into_parts();
        let system = |source| ShellError::System { attempt: "find the supervisor", source };
        let identity = crate::tree::identity_of(means.supervisor.pid())
            .ok_or_else(|| system(engine::died()))?;
        let ground = Ground::new(means, Some(identity), spec);
        Ok(match shell {
            BootedShell::Script(shell) => {
                let engine = ScriptEngine::begin(ground, options, cwd, keeps_session, *shell);
                Self::Script(Box::new(engine.await?))
            }
            #[cfg(target_os = "linux")]
            BootedShell::Driven(shell) => {
                let engine = driven::Engine::begin(ground, options, cwd, keeps_session, *shell);
                Self::Driven(Box::new(engine.await?))
            }
        })
    }

    /// Readies it for a command; returns whether state was lost. An error means that nothing was run.
    pub(super) async fn prepare(&mut self) -> Result<bool, ShellError> {
        each!(self, one => {
            one.not_begun = true;
            let lost = one.prepare().await?;
            one.not_begun = false;
            Ok(lost)
        })
    }

    /// Runs a command.
    pub(super) async fn run(&mut self, job: &Job, lost: bool) -> Result<RunResult, ShellError> {
        each!(self, one => one.run(job, lost).await)
    }

    /// Has a shell that takes a command, and a standby with its state.
    pub(super) async fn ready_for_copies(&mut self) -> Result<Loss, ShellError> {
        each!(self, one => {
            let loss = one.ensure_main().await?;
            one.catch_up().await;
            Ok(loss)
        })
    }

    /// No command came for `span`: sees to what was put off. Returns whether there is nothing left to do.
    pub(super) fn rest(&mut self, span: Duration) -> bool {
        match self {
            Self::Script(_) => true,
            #[cfg(target_os = "linux")]
            Self::Driven(one) => one.rest(span),
        }
    }

    /// Whether the last command was not begun, for what the session stands on is gone.
    pub(super) fn has_lost_its_ground(&self) -> bool {
        each!(self, one => one.not_begun && one.shared.is_broken())
    }

    pub(super) fn title(&self) -> &Title {
        each!(self, one => &one.title)
    }

    /// What copies need while it is busy, and where the session is.
    pub(super) fn parts(&self) -> (Parts, PathBuf) {
        match self {
            Self::Script(one) => (Parts::Script(Arc::clone(&one.shared)), one.cwd.clone()),
            #[cfg(target_os = "linux")]
            Self::Driven(one) => (Parts::Driven(Arc::clone(&one.shared)), one.cwd.clone()),
        }
    }

    /// Ends everything the session started.
    pub(super) async fn close(self, bound: Duration) {
        each!(self, one => one.close(bound).await);
    }
}

/// Why a bash of such a session is not kept, as far as that is known before one is started.
fn why_not_kept(spec: &LaunchSpec) -> Option<String> {
    #[cfg(target_os = "linux")]
    if let Some(driver) = &spec.driver {
        return driven::known_misfit(spec, driver);
    }
    let what = if cfg!(target_os = "linux") {
        "no bash driver is installed; build it with `npm run build:native`"
    } else {
        "the bash driver that keeps one is there for Linux only"
    };
    (spec.driver.is_none() || !cfg!(target_os = "linux")).then(|| what.to_owned())
}

/// What a session's shell and its copies have in common.
#[derive(Clone)]
pub(super) enum Parts {
    Script(Arc<shared::Shared>),
    #[cfg(target_os = "linux")]
    Driven(Arc<driven::Shared>),
}

impl Parts {
    pub(super) fn ground(&self) -> &Ground {
        each!(self, one => one)
    }

    /// Takes the session from the engine that follows a command; `None`: none does.
    pub(super) fn take_over(&self) -> Option<Title> {
        each!(self, one => one.ownership.take_over(one.current_standby()))
    }

    /// Waits until there is something to copy that has the session's state.
    pub(super) async fn until_fresh(&self) {
        match self {
            Self::Script(_) => {}
            #[cfg(target_os = "linux")]
            Self::Driven(shared) => shared.until_fresh().await,
        }
    }

    /// Runs a command in a copy.
    pub(super) async fn run_copy(&self, job: &Job, cwd: &Path) -> Result<RunResult, ShellError> {
        match self {
            Self::Script(shared) => copies::run(shared, job, cwd).await,
            #[cfg(target_os = "linux")]
            Self::Driven(shared) => driven::run_copy(shared, job, cwd).await,
        }
    }

    /// The engine that has the session from now on.
    pub(super) async fn engine_beside(
        self,
        options: Arc<ShellOptions>,
        cwd: PathBuf,
        title: Title,
    ) -> Engine {
        match self {
            Self::Script(shared) => {
                let engine = ScriptEngine::beside(options, shared, cwd, title);
                Engine::Script(Box::new(engine.with_state_of_standby().await))
            }
            #[cfg(target_os = "linux")]
            Self::Driven(shared) => {
                Engine::Driven(Box::new(driven::Engine::beside(options, shared, cwd, title).await))
            }
        }
    }
}
