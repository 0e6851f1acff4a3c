//! What a session's shell and the copies of it have in common.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::limits::SessionLimits;
use super::main_shell::{LaunchSpec, MainShell};
use super::members::{Machinery, Survivors};
use super::output_pipe::OutputPipe;
use super::own_pid;
use super::ownership::Ownership;
use super::pool::Means;
use super::private_dir::PrivateDir;
use super::protocol::{Token, TokenSource};
use super::standby::StandbySlot;
use super::traps::Traps;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::late::LateReaders;
use crate::outcome::{OutputSummary, ProcessInfo};
use crate::sandbox::{Enclosure, Plants, SandboxReport, Stubs};
use crate::source::{ReadOutcome, Source as _};
use crate::stop;
use crate::supervisor::Supervisor;
use crate::tree::{self, ProcessIdentity};

/// Common ground of a session's shell and its copies.
pub(super) struct Shared {
    pub(super) supervisor: Supervisor,
    pub(super) folder: PrivateDir,
    pub(super) slot: StandbySlot,
    pub(super) machinery: Machinery,
    pub(super) survivors: Survivors,
    pub(super) late: LateReaders,
    /// The session's shell and the pipe on which it answers.
    main: Mutex<(i32, Option<(libc::dev_t, u64)>)>,
    /// Serial of the standby that the last finished command left: a copy waits for that one.
    current: AtomicU64,
    tokens: Mutex<TokenSource>,
    serial: AtomicU64,
    /// Which engine has the session.
    pub(super) ownership: Ownership,
    /// Held while the session is handed over: a shell that is starting is not a survivor.
    pub(super) handing_over: tokio::sync::Mutex<()>,
    /// The supervisor as a process.
    pub(super) root: ProcessIdentity,
    /// How the session's shells are started.
    pub(super) spec: LaunchSpec,
    /// A command left something that asks for the process id of its shell: a copy must have its own.
    asks_for_pid: AtomicBool,
    /// Traps that a command or a restored state may have set.
    traps: Mutex<Traps>,
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

impl Shared {
    /// `root` is which process the supervisor is.
    pub(super) fn new(means: Means, root: ProcessIdentity, spec: LaunchSpec) -> Self {
        let Means { supervisor, folder, enclosure, limits } = means;
        Self {
            limits,
            sandbox: spec.sandbox.as_ref().map(|sandbox| sandbox.report().clone()),
            temporary: enclosure.as_ref().map(|enclosure| enclosure.temporary.clone()),
            plants: enclosure.as_ref().and_then(Enclosure::plants),
            _stubs: enclosure.map(Enclosure::into_stubs),
            supervisor,
            folder,
            slot: StandbySlot::default(),
            machinery: Machinery::default(),
            survivors: Survivors::default(),
            late: LateReaders::default(),
            main: Mutex::new((0, None)),
            current: AtomicU64::new(0),
            tokens: Mutex::new(TokenSource::new()),
            serial: AtomicU64::new(0),
            ownership: Ownership::default(),
            handing_over: tokio::sync::Mutex::new(()),
            spec,
            root,
            asks_for_pid: AtomicBool::new(false),
            traps: Mutex::default(),
            status: AtomicI32::new(0),
        }
    }

    /// What a command that has just ended is told of the sandbox around it.
    pub(super) async fn sandbox_report(&self) -> Option<SandboxReport> {
        let report = self.sandbox.clone()?;
        Some(report.with_plants(self.plants.clone()).await)
    }

    /// A token for an order.
    pub(super) fn new_token(&self) -> Token {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// The next number for the names of this session's files.
    pub(super) fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The command that ordered this standby has finished.
    pub(super) fn set_current_standby(&self, serial: u64) {
        self.current.fetch_max(serial, Ordering::SeqCst);
    }

    /// Serial of the standby that has the session's state.
    pub(super) fn current_standby(&self) -> u64 {
        self.current.load(Ordering::SeqCst)
    }

    /// The session's shell was given `command`.
    pub(super) fn note_command(&self, command: &str) {
        if own_pid::is_kept_by(command) {
            self.asks_for_pid.store(true, Ordering::SeqCst);
        }
        self.note_traps(Traps::set_by(command.as_bytes()));
    }

    /// The session's shell may have these from now on.
    pub(super) fn note_traps(&self, set: Traps) {
        let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
        *traps = traps.and(set);
    }

    /// Traps that may be set.
    pub(super) fn traps(&self) -> Traps {
        *self.traps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command of the session's shell ended with `status`.
    pub(super) fn set_status(&self, status: i32) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The status of the last one.
    pub(super) fn status(&self) -> i32 {
        self.status.load(Ordering::SeqCst)
    }

    /// Whether a copy that runs `command` must have a process id of its own.
    pub(super) fn needs_own_pid(&self, command: &str) -> bool {
        own_pid::is_asked_for(command) || self.asks_for_pid.load(Ordering::SeqCst)
    }

    /// A new FIFO whose name begins with `kind`.
    pub(super) fn make_fifo(&self, kind: char) -> Result<PathBuf, ShellError> {
        let name = format!("{kind}{}", self.next_serial());
        self.folder
            .make_fifo(&name)
            .map_err(|source| ShellError::System { attempt: "make a FIFO", source })
    }

    /// A new FIFO for a command's output.
    pub(super) fn make_output(&self) -> Result<OutputPipe, ShellError> {
        OutputPipe::open(self.make_fifo('o')?)
            .map_err(|source| ShellError::System { attempt: "open a FIFO for output", source })
    }

    /// The session has a new shell.
    pub(super) fn set_main(&self, shell: &MainShell) {
        *self.main.lock().unwrap_or_else(PoisonError::into_inner) =
            (shell.child().pid(), shell.report_inode());
    }

    /// The shell's pid and the pipe on which it answers.
    pub(super) fn main(&self) -> (i32, Option<(libc::dev_t, u64)>) {
        *self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what a command of the session's shell left alive as survivors and describes it.
    pub(super) async fn account_for_survivors(&self) -> Vec<ProcessInfo> {
        self.account(&self.machinery.living()).await
    }

    /// The same for a copy's command: what the session's shell runs meanwhile is not its own.
    pub(super) async fn account_for_survivors_of_copy(&self) -> Vec<ProcessInfo> {
        self.account(&self.not_of_a_copy()).await
    }

    /// Processes that no copy's command started, nor what is below them.
    pub(super) fn not_of_a_copy(&self) -> HashSet<i32> {
        let mut spared = self.machinery.living();
        spared.insert(self.main().0);
        spared
    }

    async fn account(&self, spared: &HashSet<i32>) -> Vec<ProcessInfo> {
        let older = self.survivors.living();
        let (main, report) = self.main();
        let found = stop::processes_of(self.supervisor.pid(), spared, &older, main, report);
        self.survivors.extend(found.iter().map(|entry| entry.identity));
        let own = tree::identity_of(main).and_then(tree::describe).map(|own| own.command);
        tree::describe_settled(&found, own.as_deref()).await
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
        self.late.follow(output, delivery.into_sink(), first);
    }
}
