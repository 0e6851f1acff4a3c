//! What a session stands on, whichever engine runs its commands: its supervisor, its folder, its limits, and
//! the processes that belong to it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::launch::LaunchSpec;
use super::limits::SessionLimits;
use super::members::{Machinery, Survivors};
use super::output_pipe::OutputPipe;
use super::ownership::Ownership;
use super::pool::Means;
use crate::delivery::Delivery;
use crate::late::LateReaders;
use crate::outcome::{OutputSummary, ProcessInfo};
use crate::private_dir::PrivateDir;
use crate::sandbox::{Enclosure, Plants, SandboxReport, Stubs};
use crate::source::{ReadOutcome, Source as _};
use crate::stop::{self, Spared};
use crate::supervisor::Supervisor;
use crate::tree::{self, ProcessIdentity};

/// Device and inode of a file by which a shell tells its host something.
pub(super) type ReportId = Option<(libc::dev_t, u64)>;

/// What a session stands on.
pub(super) struct Ground {
    pub(super) supervisor: Supervisor,
    pub(super) folder: PrivateDir,
    pub(super) machinery: Machinery,
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
    /// What commands are told of the sandbox around them.
    sandbox: Option<SandboxReport>,
    /// Looks for what they leave behind in it.
    plants: Option<Plants>,
    /// Where programs put temporary files, in a sandbox.
    pub(super) temporary: Option<PathBuf>,
    /// Held until the session is gone.
    _stubs: Option<Stubs>,
}

impl Ground {
    /// `root` is which process the supervisor is.
    pub(super) fn new(means: Means, root: Option<ProcessIdentity>, spec: LaunchSpec) -> Self {
        let Means { supervisor, folder, enclosure, limits } = means;
        Self {
            limits,
            sandbox: spec.sandbox.as_ref().map(|sandbox| sandbox.report().clone()),
            temporary: enclosure.as_ref().map(|enclosure| enclosure.temporary.clone()),
            plants: enclosure.as_ref().and_then(Enclosure::plants),
            _stubs: enclosure.map(Enclosure::into_stubs),
            supervisor,
            folder,
            machinery: Machinery::default(),
            survivors: Survivors::default(),
            late: LateReaders::default(),
            main: Mutex::new((0, None)),
            ownership: Ownership::default(),
            handing_over: tokio::sync::Mutex::new(()),
            spec,
            root,
            status: AtomicI32::new(0),
        }
    }

    /// Whether the session's means are gone: its supervisor was killed or its folder removed.
    pub(super) fn is_broken(&self) -> bool {
        !self.folder.path().is_dir() || self.root.is_some_and(|root| !tree::is_alive(root))
    }

    /// What a command that has just ended is told of the sandbox around it.
    pub(super) async fn sandbox_report(&self) -> Option<SandboxReport> {
        let report = self.sandbox.clone()?;
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
        *self.main.lock().unwrap_or_else(PoisonError::into_inner) = (pid, report);
    }

    /// The shell's pid and what it answers on.
    pub(super) fn main(&self) -> (i32, ReportId) {
        *self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what a command of the session's shell left alive as survivors and describes it, after `patience` as it is then.
    pub(super) async fn account_for_survivors(&self, patience: Duration) -> Vec<ProcessInfo> {
        self.account(&self.machinery.living(), patience).await
    }

    /// Whether the supervisor has no children but the session's shell and what is the session's own, by one look: a
    /// command whose shell has no children left nothing then.
    #[cfg(target_os = "linux")]
    pub(super) fn has_only_its_own(&self) -> bool {
        let Some(children) = tree::children_of_single_thread(self.supervisor.pid()) else {
            return false;
        };
        let (main, _) = self.main();
        let own = self.machinery.known_pids();
        // Without the shell the list is not whole (`proc_tid_children(5)`).
        children.contains(&main) && children.iter().all(|pid| *pid == main || own.contains(pid))
    }

    /// The same for a copy's command: what the session's shell runs meanwhile is not its own.
    pub(super) async fn account_for_survivors_of_copy(
        &self,
        patience: Duration,
    ) -> Vec<ProcessInfo> {
        self.account(&self.not_of_a_copy(), patience).await
    }

    /// Processes that no copy's command started, nor what is below them.
    pub(super) fn not_of_a_copy(&self) -> Spared {
        let mut spared = self.machinery.living();
        spared.pids.insert(self.main().0);
        spared
    }

    async fn account(&self, spared: &Spared, patience: Duration) -> Vec<ProcessInfo> {
        let older = self.survivors.living();
        let (main, _) = self.main();
        let found = stop::processes_of(self.supervisor.pid(), spared, &older, main);
        self.survivors.extend(found.iter().map(|entry| entry.identity));
        let own = tree::identity_of(main).and_then(tree::describe).map(|own| own.command);
        tree::describe_settled(&found, own.as_deref(), patience).await
    }

    /// How many processes that outlived their commands are alive.
    pub(super) fn background_count(&self) -> usize {
        self.survivors.living().len()
    }

    /// Ends a command's output. What survivors still write to it is read on, and goes to the spill file,
    /// which is there from now on. Returns the pipe too where nobody holds it any more.
    pub(super) fn put_output_away(
        &self,
        mut output: OutputPipe,
        mut delivery: Delivery,
        has_survivors: bool,
    ) -> (Option<OutputSummary>, Option<OutputPipe>) {
        let read = output.read_now();
        let is_held = !matches!(read, Ok(ReadOutcome::Closed));
        let summary = delivery.summary(is_held && has_survivors);
        match read {
            Ok(ReadOutcome::Closed) => return (summary, Some(output)),
            Ok(ReadOutcome::Data(first)) => self.keep_late_output(output, delivery, first),
            Ok(ReadOutcome::Empty) | Err(_) => self.keep_late_output(output, delivery, 0),
        }
        (summary, None)
    }

    /// Follows what background children still write, where they hold the pipe; the last read
    /// found the `first` bytes of it.
    pub(super) fn keep_late_output(
        &self,
        mut output: OutputPipe,
        delivery: Delivery,
        first: usize,
    ) {
        output.forget_next();
        self.late.follow(output, delivery.into_late(), first);
    }
}
