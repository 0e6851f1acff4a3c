//! One session's shell over its life: started, given commands, replaced when it dies.
//!
//! The engine belongs to one task, so nothing here is locked but what copies of the session share
//! (`StandbySlot`, `Machinery`). How one command is followed stands in `run`, how a dead shell is
//! replaced in `recovery`; here is what holds between commands. See docs/life-of-a-run.md and docs/session-protocol.md.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::driver;
use super::frames::FrameBody;
use super::ground::Ground;
use super::main_shell::{LaunchSpec, MainShell};
use super::orders;
use super::output_pipe::OutputPipe;
use super::ownership::Title;
use super::protocol;
use super::shared::Shared;
use super::standby::{Births, ExpectedStandby};
use crate::environment;
use crate::error::ShellError;
use crate::outcome::LostWithShell;
use crate::request::ShellOptions;
use crate::script;
use crate::shell_path;
use crate::supervisor::ChildExit;

/// Time that sourcing a snapshot or a saved state may take; past it the shell does without.
const SOURCE_LIMIT: Duration = Duration::from_secs(5);

/// Time that a session which cannot begin may take to be closed.
const START_CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// What a session does without.
#[derive(Clone, Copy, Default)]
pub(super) struct Handicaps {
    /// No standby: forking one hung the shell (`ulimit -u`), or there is just one command.
    pub(super) standby: bool,
    /// No limits in a restored state: one that a command set kept bash from running the next.
    pub(super) limits: bool,
    /// No high descriptors: a limit that a command set (`ulimit -n`) is below them.
    pub(super) descriptors: bool,
}

/// Options of the shell that the driver goes by.
#[derive(Clone, Copy, Default)]
pub(super) struct Modes {
    /// Tracing; a standby does not tell it.
    pub(super) xtrace: bool,
    /// POSIX mode.
    pub(super) posix: bool,
    /// `set -a`.
    pub(super) exports_all: bool,
}

/// A session's shell and what is known of it.
pub(super) struct Engine {
    pub(super) shared: Arc<Shared>,
    /// The shell, or none after it died and before the next command.
    pub(super) main: Option<MainShell>,
    /// Standbys that were ordered, until they answer.
    pub(super) births: Births,
    /// The FIFO of the last command, where nobody holds it open any more.
    pub(super) idle_output: Option<OutputPipe>,
    /// Where the shell is.
    pub(super) cwd: PathBuf,
    /// What `$?` shows to the next command.
    pub(super) status: i32,
    pub(super) handicaps: Handicaps,
    /// Whether a dead shell is replaced; not for one command's sake.
    pub(super) keeps_session: bool,
    /// What was on after the last command.
    pub(super) modes: Modes,
    /// The last command was not begun, and no shell could be had for it.
    pub(super) not_begun: bool,
    /// What was lost with shells that were replaced, until a result says so.
    pub(super) lost_with_shell: Vec<LostWithShell>,
    pub(super) generation: u64,
    /// Whether the session is this engine's.
    pub(super) title: Title,
    options: Arc<ShellOptions>,
}

impl Engine {
    /// Gives a booted shell what the session begins with.
    pub(super) async fn begin(
        ground: Ground,
        options: Arc<ShellOptions>,
        cwd: PathBuf,
        keeps_session: bool,
        shell: MainShell,
    ) -> Result<Self, ShellError> {
        let shared = Arc::new(Shared::new(ground));
        shared.set_main(shell.child().pid(), shell.report_inode());
        let title = shared.ownership.owned();
        let mut engine = Self::over(shared, options, cwd, title);
        engine.main = Some(shell);
        engine.keeps_session = keeps_session;
        engine.handicaps.standby = !keeps_session;
        let first = engine.cwd.clone();
        engine.furnish().await?;
        // A booted shell is in the root directory, and stays there where it cannot enter another.
        if engine.cwd == Path::new("/") && !is_root(&first) {
            engine.close(START_CLOSE_LIMIT).await;
            return Err(ShellError::MissingWorkingDirectory { path: first });
        }
        Ok(engine)
    }

    /// The engine that has the session from now on, while the one before follows its command to the
    /// end. It has no shell yet.
    pub(super) fn beside(
        options: Arc<ShellOptions>,
        shared: Arc<Shared>,
        cwd: PathBuf,
        title: Title,
    ) -> Self {
        let mut engine = Self::over(shared, options, cwd, title);
        engine.status = engine.shared.status();
        engine.generation = engine.shared.next_serial();
        engine
    }

    /// An engine without a shell.
    fn over(shared: Arc<Shared>, options: Arc<ShellOptions>, cwd: PathBuf, title: Title) -> Self {
        Self {
            main: None,
            births: Births::new(&shared, title.clone()),
            idle_output: None,
            cwd,
            status: 0,
            handicaps: Handicaps::default(),
            keeps_session: true,
            modes: Modes::default(),
            not_begun: false,
            lost_with_shell: Vec::new(),
            generation: 0,
            title,
            options,
            shared,
        }
    }

    /// The output FIFO for the next command.
    pub(super) fn take_output(&mut self) -> Result<OutputPipe, ShellError> {
        self.idle_output.take().map_or_else(|| self.shared.make_output(), Ok)
    }

    /// Gives a fresh shell what the session begins with: variables, snapshot, directory.
    pub(super) async fn furnish(&mut self) -> Result<(), ShellError> {
        let options = Arc::clone(&self.options);
        let mut text = String::from("__pi_m=;");
        text.push_str("\\builtin cd -- ");
        text.push_str(&script::quote_path(&self.cwd));
        text.push(';');
        text.push_str(script::UNSET_OLDPWD);
        if let Some(temporary) = &self.shared.temporary {
            text.push_str(";\\builtin export TMPDIR=");
            text.push_str(&script::quote(&temporary.to_string_lossy()));
        }
        for (name, value) in &options.session_env {
            text.push_str(";\\builtin export ");
            text.push_str(name);
            text.push('=');
            text.push_str(&script::quote(value));
        }
        let token = self.shared.new_token();
        text.push_str(";__pi_e 0 ");
        text.push_str(&token);
        self.command(&text, &token).await?;
        if let Some(path) = &options.snapshot_path {
            self.source_snapshot(path).await?;
        }
        self.order_standby();
        Ok(())
    }

    /// Sources the snapshot. One that ends the shell or takes too long is left out.
    async fn source_snapshot(&mut self, path: &Path) -> Result<(), ShellError> {
        if !path.is_file() {
            return Ok(());
        }
        let token = self.shared.new_token();
        let generation = self.generation;
        let quoted = script::quote_path(path);
        let text = format!(
            "__pi_m=;\\builtin . {quoted} </dev/null >/dev/null 2>&1;{};__pi_e 0 {token}",
            driver::exit_trap(self.shared.folder.path(), generation),
        );
        if self.command(&text, &token).await.is_ok() {
            return Ok(());
        }
        self.main = None;
        drop(self.shared.supervisor.sweep().await);
        self.generation = self.shared.next_serial();
        let options = ShellOptions { snapshot_path: None, ..(*self.options).clone() };
        self.options = Arc::new(options);
        let (spec, cwd) = (self.shared.spec.clone(), self.cwd.clone());
        self.launch_main(&spec, &cwd).await?;
        Box::pin(self.furnish()).await
    }

    /// Starts a bash in `cwd` that is the session's shell from now on.
    pub(super) async fn launch_main(
        &mut self,
        spec: &LaunchSpec,
        cwd: &Path,
    ) -> Result<(), ShellError> {
        let token = self.shared.new_token();
        let main = MainShell::launch(
            &self.shared.supervisor,
            spec,
            cwd,
            self.shared.folder.path(),
            self.generation,
            &token,
        )
        .await?;
        self.shared.limits.add(main.child().pid())?;
        self.shared.set_main(main.child().pid(), main.report_inode());
        self.main = Some(main);
        Ok(())
    }

    /// Runs a text of the driver's own and waits for its answer, bounded.
    pub(super) async fn command(&mut self, text: &str, token: &str) -> Result<(), ShellError> {
        let system = |source| ShellError::System { attempt: "set the session up", source };
        let file = self.send(text).map_err(system)?;
        let answer = tokio::time::timeout(SOURCE_LIMIT, self.answer_to(token)).await;
        orders::remove(file);
        match answer {
            Ok(answer) => answer.map_err(system),
            Err(_elapsed) => Err(system(io::Error::from(io::ErrorKind::TimedOut))),
        }
    }

    /// Waits for the status that answers an order.
    async fn answer_to(&mut self, token: &str) -> io::Result<()> {
        loop {
            let main = self.main.as_mut().ok_or_else(died)?;
            let child = main.child().clone();
            let (frames, mut dead) = tokio::select! {
                biased;
                frames = main.frames() => (frames?, false),
                _ = child.exited() => (main.pending_frames(), true),
            };
            let mut answered = false;
            for frame in frames {
                if frame.token != token {
                    self.births.note(frame).await;
                } else if let FrameBody::Status { cwd, flags, .. } = frame.body {
                    self.note_cwd(&cwd);
                    answered = !is_restricted(&flags);
                    dead |= !answered;
                }
            }
            if answered || dead {
                return if answered { Ok(()) } else { Err(died()) };
            }
        }
    }

    /// Gives the shell an order, through a file where it does not fit a message. The file is
    /// the caller's to remove once the order was answered.
    pub(super) fn send(&mut self, text: &str) -> io::Result<Option<PathBuf>> {
        let serial = self.shared.next_serial();
        let (order, file) = orders::order_text(&self.shared.folder, serial, text)?;
        let main = self.main.as_mut().ok_or_else(died)?;
        main.send(&protocol::main_order(&order))?;
        Ok(file)
    }

    /// Orders a standby now. Without one a session still works; it only loses more when it dies.
    pub(super) fn order_standby(&mut self) {
        if let Some(expected) = self.prepare_standby() {
            let text =
                protocol::standby_text(&expected.token, expected.path(), self.shared.traps());
            // It always fits a message, so there is no file to remove.
            if self.send(&text).is_ok() {
                self.shared.set_current_standby(expected.serial);
                self.births.expect(expected);
            }
        }
    }

    /// Makes what a standby needs, for an order that asks for one.
    pub(super) fn prepare_standby(&mut self) -> Option<ExpectedStandby> {
        if self.handicaps.standby {
            return None;
        }
        let serial = self.shared.next_serial();
        let path = self.shared.folder.make_fifo(&format!("s{serial}")).ok()?;
        ExpectedStandby::prepare(path, self.shared.new_token(), serial).ok()
    }

    /// What `$?` shows from now on, in copies too.
    pub(super) fn set_status(&mut self, status: i32) {
        self.status = status;
        if self.title.holds() {
            self.shared.set_status(status);
        }
    }

    /// What a command left in the shell.
    pub(super) fn note_status(&mut self, status: i32, flags: &str, cwd: &Path) {
        self.set_status(status);
        self.modes.xtrace = flags.contains('x');
        self.modes.posix = flags.contains('_');
        self.modes.exports_all = flags.contains('a');
        self.note_cwd(cwd);
    }

    /// Where the shell says it is; asked of the system where it says nothing usable.
    fn note_cwd(&mut self, cwd: &Path) {
        if cwd.is_absolute() {
            self.cwd = cwd.to_path_buf();
        } else if let Some(main) = &self.main
            && let Ok(cwd) = std::fs::read_link(format!("/proc/{}/cwd", main.child().pid()))
        {
            self.cwd = cwd;
        }
    }

    /// The directory that bash has to change to; none where it is in `cwd` by that name and in
    /// fact. A change costs a copy of the shell afterwards, and `cd -` would lead nowhere.
    pub(super) fn change_to(&self, cwd: PathBuf) -> Option<PathBuf> {
        let is_there = cwd == self.cwd
            && self.main.as_ref().is_some_and(|main| works_in(main.child().pid(), &cwd));
        (!is_there).then_some(cwd)
    }

    /// Waits for the standby of the last command, so that copies have its state.
    pub(super) async fn catch_up(&mut self) {
        if let Some(mut main) = self.main.take() {
            self.await_standby(&mut main).await;
            self.main = Some(main);
        }
    }

    /// Ends everything the session started.
    pub(super) async fn close(mut self, bound: Duration) {
        self.main = None;
        *self.shared.slot.lock().await = None;
        drop(self.shared.supervisor.close(bound).await);
        self.shared.limits.remove().await;
    }

    /// Name of the file that the shell's last breath goes to.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }
}

/// What is told when the shell ends while it is set up.
pub(super) fn died() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "bash ended unexpectedly")
}

/// Whether a shell with these flags (`$-`) takes no more redirections (`set -r`), and thus no order.
pub(super) fn is_restricted(flags: &str) -> bool {
    flags.contains('r')
}

/// The status that a dead shell's command had.
pub(super) fn status_of(exit: ChildExit) -> i32 {
    match exit {
        ChildExit::Exited(code) => i32::from(code),
        ChildExit::Signaled(signal) => 128 + signal,
        ChildExit::Lost => 137,
    }
}

pub(super) fn launch_spec(options: &ShellOptions, cwd: &Path) -> Result<LaunchSpec, ShellError> {
    let env: Vec<(OsString, OsString)> = match &options.base_env {
        Some(entries) => entries
            .iter()
            .filter(|(name, _)| !environment::is_dropped(name))
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        None => environment::host_environment(),
    };
    Ok(LaunchSpec {
        shell: shell_path::resolve(options.shell.as_deref())?,
        env,
        limits: options.limits,
        sandbox: None,
        driver: options.driver.clone(),
        visible: match &options.sandbox {
            Some(_) => [&options.snapshot_path, &options.driver]
                .into_iter()
                .flatten()
                .cloned()
                .chain([cwd.to_path_buf()])
                .collect(),
            None => Vec::new(),
        },
    })
}

/// Whether a directory is the root by whatever name.
fn is_root(directory: &Path) -> bool {
    std::fs::canonicalize(directory).is_ok_and(|real| real == Path::new("/"))
}

/// Whether a process has that directory, itself and not a newer one of its name. False where the
/// system does not tell.
pub(super) fn works_in(pid: i32, directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    match (identity(Path::new(&format!("/proc/{pid}/cwd"))), identity(directory)) {
        (Ok(its), Ok(wanted)) => its == wanted,
        _ => false,
    }
}
