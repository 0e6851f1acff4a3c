//! What a session stands on, whichever engine runs its commands: its supervisor, its folder, its limits, and
//! the processes that belong to it.

use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use pi_process::private_dir::{self, PrivateDir};
use pi_process::spared::{self, Spared};
#[cfg(target_os = "linux")]
use pi_process::stop::{ShellTarget, StopPlan};
use pi_process::supervisor::Supervisor;
use pi_process::tree::{self, ProcessIdentity};
use pi_process::{ProcessInfo, lock};
use pi_sandbox::{Egress, Enclosure, Plants, SandboxReport, SessionPaths, Stubs};

use super::launch::{self, LaunchSpec};
use super::limits::SessionLimits;
use super::members::{InternalProcesses, Survivors};
use super::ownership::Ownership;
use crate::error::ShellError;
use crate::late::LateReaders;
use crate::request::ShellOptions;

/// Device and inode of a file by which a shell tells its host something.
pub(super) type ReportId = Option<(libc::dev_t, u64)>;

/// What a session stands on.
pub(super) struct Ground {
    pub(super) supervisor: Supervisor,
    /// The supervisor's program, which proves as well what holds.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is proven there"))]
    pub(super) executable: PathBuf,
    pub(super) folder: PrivateDir,
    pub(super) internal: InternalProcesses,
    pub(super) survivors: Survivors,
    pub(super) late: LateReaders,
    /// The session's shell and what it answers on.
    main: Mutex<(i32, ReportId)>,
    /// Which engine has the session.
    pub(super) ownership: Ownership,
    /// Held while the session is handed over: a shell that is starting is not a survivor.
    pub(super) handing_over: tokio::sync::Mutex<()>,
    /// The supervisor as a process; none where processes cannot be looked up.
    root: Option<ProcessIdentity>,
    /// How the session's shells are started.
    pub(super) spec: LaunchSpec,
    /// What `$?` shows to the next command.
    status: AtomicI32,
    /// What bounds the session.
    pub(super) limits: SessionLimits,
    /// What commands can know of the sandbox around them.
    sandbox: Option<SandboxReport>,
    /// Looks for what they leave behind in it.
    plants: Option<Plants>,
    /// Where programs put temporary files, in a sandbox.
    pub(super) temporary: Option<PathBuf>,
    /// Held until the session is gone.
    _stubs: Option<Stubs>,
    /// The session's proxy, where its network has rules.
    egress: Option<Egress>,
}

impl Ground {
    /// What a session with these options stands on.
    pub(super) async fn open(options: &ShellOptions) -> Result<Self, ShellError> {
        private_dir::sweep_stale();
        let (executable, spec) = launch::launch_spec(options).await?;
        Self::make(&executable, spec).await
    }

    /// The same for sessions whose shells are started by `spec`, below the supervisor `executable`.
    pub(super) async fn make(executable: &Path, spec: LaunchSpec) -> Result<Self, ShellError> {
        let folder = PrivateDir::create()?;
        let limits = SessionLimits::make(spec.limits, folder.path())?;
        let enclosure = match &spec.sandbox {
            Some(sandbox) => Some(sandbox.enclose(&SessionPaths {
                executable,
                folder: folder.path(),
                state: &folder.state(),
                temporary: &folder.temporary(),
                visible: [vec![spec.shell.clone()], spec.visible.clone()].concat(),
                terminal: None,
            })?),
            None => None,
        };
        let surroundings = enclosure.as_ref().map(|enclosure| &enclosure.surroundings);
        let supervisor = Supervisor::launch(executable, Some(folder.path()), surroundings).await?;
        let egress = match &spec.sandbox {
            Some(sandbox) => Egress::start(sandbox, &supervisor)?,
            None => None,
        };
        Ok(Self {
            executable: executable.to_path_buf(),
            root: tree::identity_of(supervisor.pid()),
            limits,
            sandbox: spec.sandbox.as_ref().map(|sandbox| sandbox.report().clone()),
            temporary: enclosure.as_ref().map(|enclosure| enclosure.temporary.clone()),
            plants: enclosure.as_ref().and_then(Enclosure::plants),
            egress,
            _stubs: enclosure.map(Enclosure::into_stubs),
            supervisor,
            folder,
            internal: InternalProcesses::default(),
            survivors: Survivors::default(),
            late: LateReaders::default(),
            main: Mutex::new((0, None)),
            ownership: Ownership::default(),
            handing_over: tokio::sync::Mutex::new(()),
            spec,
            status: AtomicI32::new(0),
        })
    }

    /// Whether the session's means are gone: its supervisor was killed or its folder removed.
    pub(super) fn is_broken(&self) -> bool {
        !self.folder.path().is_dir() || self.root.is_some_and(|root| !tree::is_alive(root))
    }

    /// What a command that has just ended is notified of the sandbox around it.
    pub(super) async fn sandbox_report(&self) -> Option<SandboxReport> {
        let report = self.sandbox.clone()?;
        let refusals = self.egress.as_ref().map(Egress::refusals);
        let report = report.with_refused(refusals.as_deref());
        Some(report.with_plants(self.plants.clone()).await)
    }

    /// A command of the session's shell ended with `status`.
    pub(super) fn set_status(&self, status: i32) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The status of the last one.
    pub(super) fn status(&self) -> i32 {
        self.status.load(Ordering::SeqCst)
    }

    /// The session has a new shell.
    pub(super) fn set_main(&self, pid: i32, report: ReportId) {
        *lock(&self.main) = (pid, report);
    }

    /// The shell's pid and what it answers on.
    pub(super) fn main(&self) -> (i32, ReportId) {
        *lock(&self.main)
    }

    /// Counts what a command of the session's shell left alive as survivors and describes it, after `patience` as it is then.
    pub(super) async fn account_for_survivors(&self, patience: Duration) -> Vec<ProcessInfo> {
        self.account(|| self.internal.living(), patience).await
    }

    /// Whether the supervisor has no children but the session's shell and what is the session's own, by one look: a
    /// command whose shell has no children left nothing then.
    #[cfg(target_os = "linux")]
    pub(super) fn has_only_its_own(&self) -> bool {
        let Some(children) = tree::children_of_single_thread(self.supervisor.pid()) else {
            return false;
        };
        let (main, _) = self.main();
        let mut own = self.internal.known_pids();
        own.insert(main);
        // Without the shell the list is not whole (`proc_tid_children(5)`).
        children.contains(&main) && children.iter().all(|pid| own.contains(pid))
    }

    /// The same for a copy's command: what the session's shell runs meanwhile is not its own.
    pub(super) async fn account_for_survivors_of_copy(
        &self,
        patience: Duration,
    ) -> Vec<ProcessInfo> {
        self.account(|| self.not_of_a_copy(), patience).await
    }

    /// Processes that no copy's command started, nor what is below them.
    pub(super) fn not_of_a_copy(&self) -> Spared {
        let mut spared = self.internal.living();
        spared.pids.insert(self.main().0);
        spared
    }

    async fn account(
        &self,
        spared: impl FnOnce() -> Spared,
        patience: Duration,
    ) -> Vec<ProcessInfo> {
        let (main, _) = self.main();
        let own = tree::identity_of(main).and_then(tree::describe).map(|own| own.command);
        self.account_for(main, own.as_deref(), spared, patience).await
    }

    /// The same for what the shell `shell` started, whose command line is or was `command_line`.
    pub(super) async fn account_for(
        &self,
        shell: i32,
        command_line: Option<&str>,
        spared: impl FnOnce() -> Spared,
        patience: Duration,
    ) -> Vec<ProcessInfo> {
        let older = self.survivors.living();
        let found = spared::look_below(self.supervisor.pid(), spared, &older, shell).found;
        self.survivors.extend(found.iter().map(|entry| entry.identity));
        tree::describe_settled(&found, command_line, patience).await
    }

    /// Whom a stop of the session's `shell` is about; `is_beside` as in `StopPlan`.
    #[cfg(target_os = "linux")]
    pub(super) fn plan(&self, shell: ShellTarget, is_beside: bool) -> StopPlan {
        let internal = self.internal.clone();
        StopPlan {
            supervisor: self.supervisor.pid(),
            shell,
            is_beside,
            spared: Arc::new(move || internal.living()),
            report: self.main().1,
            older: self.survivors.living(),
        }
    }

    /// How many processes that outlived their commands are alive.
    pub(super) fn background_count(&self) -> usize {
        self.survivors.living().len()
    }
}
