//! One session's shell over its life: started, given a session's beginnings, replaced when it dies. How one command
//! is run stands in `run`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_process::stop::{self, ShellTarget};

use super::fit;
use super::loss::Loss;
use super::object::DriverObject;
use super::protocol::{Ended, RunOrder};
use super::shell::{DrivenShell, Heard, LaunchError};
use super::standby::Shared;
use crate::error::ShellError;
use crate::outcome::LostWithShell;
use crate::request::ShellOptions;
use crate::session::ground::Ground;
use crate::session::output_pipe::OutputPipe;
use crate::session::ownership::Title;
use crate::session::{launch, pool};
use crate::{proxy_variables, script};

/// Time that a session which cannot begin may take to be closed.
const START_CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// A session's shell and what is known of it.
#[expect(clippy::struct_excessive_bools, reason = "facts, each by itself")]
pub(in crate::session) struct Engine {
    pub(in crate::session) shared: Arc<Shared>,
    /// The shell, or none after it died and before the next command.
    pub(super) main: Option<DrivenShell>,
    /// The pipe of the last command, where no one has it any more.
    pub(super) idle_output: Option<OutputPipe>,
    /// Where the shell is.
    pub(in crate::session) cwd: PathBuf,
    /// What `$?` shows to the next command, where the shell itself does not know.
    pub(super) status: Option<i32>,
    /// Whether a dead shell is replaced; not for one command's sake.
    pub(super) keeps_session: bool,
    /// The last command was not begun, and no shell could be had for it.
    pub(in crate::session) not_begun: bool,
    /// What was lost with shells that were replaced, until a result says so.
    pub(super) lost_with_shell: Vec<LostWithShell>,
    /// The session's state was lost, and no result has reported it yet.
    pub(super) is_lost: bool,
    /// No command runs: what dies meanwhile has not changed anything since the last one.
    pub(super) is_between: bool,
    /// A trap runs beside commands that change nothing by themselves.
    pub(super) has_traps: bool,
    /// The shell has run a command of the session: the kernel's count for the whole of it is not that of one command.
    pub(super) has_run: bool,
    /// When the last command ended.
    pub(super) last_run: Instant,
    /// A builtin's name may mean something else than the builtin.
    pub(super) has_overrides: bool,
    /// Whether the session is this engine's.
    pub(in crate::session) title: Title,
    options: Arc<ShellOptions>,
}

impl Engine {
    /// Starts a session: takes a booted shell and gives it the session's environment.
    pub(in crate::session) async fn start(
        options: Arc<ShellOptions>,
        keeps_session: bool,
    ) -> Result<Self, ShellError> {
        let cwd = crate::validate::first_directory(options.cwd.as_deref())?;
        let (executable, spec) = launch::launch_spec(&options).await?;
        if let Some(reason) = fit::why_not_kept(&spec) {
            return Err(ShellError::NotKept { path: spec.shell, reason });
        }
        let (ground, shell) = pool::take(&executable, &spec).await?;
        Self::begin(ground, options, cwd, keeps_session, shell).await
    }

    /// Has a shell that takes a command, and a standby with its state.
    pub(in crate::session) async fn ready_for_copies(&mut self) -> Result<(), ShellError> {
        self.ensure_main().await?;
        self.catch_up().await;
        Ok(())
    }

    /// A read-only command has ended in a copy, with `status` where it has one: `$?` shows that from now on, and the
    /// session goes to where the copy was. Nothing else of the copy is kept.
    pub(in crate::session) async fn follow_copy(
        &mut self,
        status: Option<i32>,
        left_in: Option<&Path>,
    ) {
        self.last_run = Instant::now();
        if let Some(status) = status {
            self.status = Some(status);
            self.set_status(status);
        }
        let Some(cwd) = left_in.filter(|cwd| *cwd != self.cwd) else { return };
        let Some(shell) = &mut self.main else { return };
        let order = RunOrder { cwd: Some(cwd), status: self.status, ..RunOrder::default() };
        // Where it cannot, it stays where it is, and the result says where that is.
        if let Ok(Heard::Ended(ended)) = shell.ask(&order, None).await {
            self.status = None;
            self.note_cwd(&ended.cwd);
            self.note_surprises(&ended);
            self.shared.note_change();
        }
    }

    /// Whether state was lost that no result has reported yet; this one does.
    pub(in crate::session) fn take_loss(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }

    /// Whether the last command was not begun, for what the session stands on is gone.
    pub(in crate::session) fn has_lost_its_ground(&self) -> bool {
        self.not_begun && self.shared.is_broken()
    }

    /// Gives a booted shell what the session begins with.
    async fn begin(
        ground: Ground,
        options: Arc<ShellOptions>,
        cwd: PathBuf,
        keeps_session: bool,
        shell: DrivenShell,
    ) -> Result<Self, ShellError> {
        let shared = Arc::new(Shared::new(ground, shell.pair.clone()));
        let title = shared.ownership.owned();
        let mut engine = Self::over(shared, options, cwd, title);
        engine.keeps_session = keeps_session;
        engine.note_main(shell);
        if let Err(error) = engine.initialize().await {
            engine.close(START_CLOSE_LIMIT).await;
            return Err(error);
        }
        Ok(engine)
    }

    /// An engine without a shell.
    pub(super) fn over(
        shared: Arc<Shared>,
        options: Arc<ShellOptions>,
        cwd: PathBuf,
        title: Title,
    ) -> Self {
        Self {
            shared,
            main: None,
            idle_output: None,
            cwd,
            status: None,
            keeps_session: true,
            not_begun: false,
            lost_with_shell: Vec::new(),
            is_lost: false,
            is_between: true,
            has_traps: false,
            has_overrides: false,
            has_run: false,
            last_run: Instant::now(),
            title,
            options,
        }
    }

    /// This is the session's shell from now on.
    pub(super) fn note_main(&mut self, shell: DrivenShell) {
        self.shared.set_main(shell.child().pid(), shell.report_id());
        self.main = Some(shell);
        self.has_run = false;
    }

    /// The output pipe for the next command.
    pub(super) fn take_output(&mut self) -> Result<OutputPipe, ShellError> {
        self.idle_output
            .take()
            .map_or_else(OutputPipe::anonymous, OutputPipe::renewed)
            .map_err(|source| ShellError::system("make a pipe for output", source))
    }

    /// A shell that takes a command: the one there is, or another one with its state. Returns what was lost.
    pub(in crate::session) async fn ensure_main(&mut self) -> Result<Loss, ShellError> {
        if self.main.as_ref().is_some_and(DrivenShell::is_alive) {
            return Ok(Loss::Nothing);
        }
        // What a trap did meanwhile is not known.
        let was_idle = self.is_between && !self.has_traps;
        if let Some(shell) = self.main.take() {
            let child = shell.child().clone();
            shell.end().await;
            self.shared.faults.note_end(&child, was_idle);
        }
        self.shared.settle().await;
        if self.shared.background_count() > 0
            && !self.lost_with_shell.contains(&LostWithShell::Jobs)
        {
            self.lost_with_shell.push(LostWithShell::Jobs);
        }
        let loss = if was_idle { Loss::Nothing } else { Loss::OfCommand };
        if let Some((shell, has_state)) = self.shared.promote().await {
            self.note_main(shell);
            return Ok(if has_state { loss } else { Loss::Everything });
        }
        let was_untouched = self.shared.is_untouched();
        self.launch().await?;
        Ok(if was_untouched { loss } else { Loss::Everything })
    }

    /// A fresh shell.
    pub(super) async fn launch(&mut self) -> Result<(), ShellError> {
        self.main = None;
        self.shared.drop_standbys().await;
        let spec = &self.shared.spec;
        let gone = || crate::shell_path::no_bash(&spec.shell);
        let driver = spec.driver.as_deref().ok_or_else(gone)?;
        let launched = match DriverObject::open(driver) {
            Ok(object) => {
                let Ground { supervisor, folder, .. } = &**self.shared;
                DrivenShell::launch(supervisor, spec, &object, folder).await
            }
            Err(reason) => Err(LaunchError::Unfit(reason)),
        };
        let shell = match launched {
            Ok(shell) => shell,
            Err(LaunchError::Failed(error)) => return Err(error),
            // It did fit when the session began.
            Err(LaunchError::Unfit(reason)) => {
                let source = io::Error::other(reason);
                return Err(ShellError::system("start bash", source));
            }
        };
        shell.bound_by(&self.shared)?;
        self.note_main(shell);
        if !self.cwd.is_dir() {
            self.cwd = PathBuf::from("/");
        }
        self.initialize().await
    }

    /// Gives a fresh shell what the session begins with: directory, variables, snapshot.
    async fn initialize(&mut self) -> Result<(), ShellError> {
        let mut text = format!("{};", script::UNSET_OLDPWD);
        if let Some(temporary) = &self.shared.temporary {
            text.push_str("\\builtin export TMPDIR=");
            text.push_str(&script::quote(&temporary.to_string_lossy()));
            text.push(';');
        }
        for (name, value) in &self.options.session_env {
            text.push_str("\\builtin export ");
            text.push_str(name);
            text.push('=');
            text.push_str(&script::quote(value));
            text.push(';');
        }
        let snapshot = self.options.snapshot_path.as_deref().filter(|path| path.is_file());
        if let Some(path) = snapshot {
            text.push_str("\n\\builtin . ");
            text.push_str(&script::quote_path(path));
            text.push('\n');
            // What a person's own shell exports is not for a sandbox that has a proxy of its own.
            for (name, value) in proxy_variables::of_sandbox(self.options.sandbox.as_ref()) {
                let value = script::quote(&value);
                let _infallible = write!(text, "\\builtin export {name}={value};");
            }
        }
        let has_snapshot = snapshot.is_some();
        let initialized = self.run_own(&text).await;
        if initialized.is_err() {
            self.note_end(!has_snapshot);
        }
        match initialized {
            Ok(()) => {}
            Err(ShellError::Process(pi_process::ProcessError::System { .. })) if has_snapshot => {
                // One that ends the shell or takes too long is left out.
                if let Some(shell) = self.main.take() {
                    let plan = self.shared.plan(ShellTarget::Main(shell.child().clone()), false);
                    drop(stop::stop(&plan).await);
                }
                let options = ShellOptions { snapshot_path: None, ..(*self.options).clone() };
                self.options = Arc::new(options);
                return Box::pin(self.launch()).await;
            }
            Err(error) => return Err(error),
        }
        self.status = Some(0);
        Ok(())
    }

    async fn run_own(&mut self, text: &str) -> Result<(), ShellError> {
        let system = |source| ShellError::system("set the session up", source);
        let broken = || system(io::ErrorKind::BrokenPipe.into());
        let shell = self.main.as_mut().ok_or_else(broken)?;
        match shell.run_own(text, Some(&self.cwd)).await.map_err(system)? {
            Ok(ended) => {
                self.note_cwd(&ended.cwd);
                self.note_surprises(&ended);
                Ok(())
            }
            Err(errno) => {
                let source = io::Error::from_raw_os_error(errno);
                Err(ShellError::of_directory(self.cwd.clone(), source))
            }
        }
    }

    /// The shell may have died of a fault; `is_idle`: while it ran nothing of a command.
    pub(super) fn note_end(&self, is_idle: bool) {
        if let Some(shell) = &self.main {
            self.shared.faults.note_end(shell.child(), is_idle && !self.has_traps);
        }
    }

    /// What makes a plain builtin more than that.
    pub(super) fn note_surprises(&mut self, ended: &Ended) {
        self.has_traps = ended.has_traps;
        self.has_overrides = ended.has_overrides;
    }

    /// Has the shell leave a standby, where one is of use: none has the session's state.
    pub(super) fn leave_standby(&mut self) {
        if (self.wants_standby() || self.shared.has_lost_standby())
            && self.keeps_session
            && let Some(shell) = &mut self.main
        {
            self.shared.leave_standby(shell, &self.title);
        }
    }

    fn wants_standby(&self) -> bool {
        self.keeps_session && self.shared.wants_standby() && self.title.holds()
    }

    /// Where the session has had no command for `span`: what the last ones changed is put into a standby, and what only
    /// a next command would need is given back. Returns whether that was done, or there is nothing to do.
    pub(in crate::session) fn rest(&mut self, span: Duration) -> bool {
        if self.last_run.elapsed() >= span {
            self.leave_standby();
            self.shared.renew_confined();
            self.idle_output = None;
            return true;
        }
        !self.wants_standby() && self.idle_output.is_none()
    }

    /// What `$?` shows from now on, in copies too.
    pub(super) fn set_status(&mut self, status: i32) {
        if self.title.holds() {
            self.shared.set_status(status);
        }
    }

    /// Where the shell says it is; asked of the system where it says nothing usable.
    pub(super) fn note_cwd(&mut self, cwd: &Path) {
        if cwd.is_absolute() {
            self.cwd = cwd.to_path_buf();
        } else if let Some(main) = &self.main
            && let Ok(cwd) = std::fs::read_link(format!("/proc/{}/cwd", main.child().pid()))
        {
            self.cwd = cwd;
        }
    }

    /// Waits for the standby of the last command, so that copies have its state.
    pub(in crate::session) async fn catch_up(&mut self) {
        self.leave_standby();
        self.shared.settle().await;
    }

    /// Ends everything the session started.
    pub(in crate::session) async fn close(mut self, bound: Duration) {
        self.main = None;
        self.shared.end_standbys().await;
        self.shared.supervisor.close(bound).await;
        self.shared.limits.remove().await;
    }
}
