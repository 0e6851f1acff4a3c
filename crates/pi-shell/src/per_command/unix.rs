//! The platform's part on Unix: a supervisor as parent of each bash, a pipe for its output.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::program::LOADER;
use crate::capabilities::has_process_tree;
use crate::error::ShellError;
use crate::outcome::{ExitOutcome, ProcessInfo};
use crate::request::{EnvironmentEntry, ResourceLimits, ShellOptions};
use crate::session::{PrivateDir, spawn_error};
use crate::source::{self, READ_BYTES, ReadOutcome, Source};
use crate::stop::{self, GROUP_TERMINATE_GRACE, ShellTarget, StopPlan};
use crate::supervisor::{Child, ChildExit, SpawnRequest, Supervisor};
use crate::sys::signals::KILL;
use crate::sys::watch;
use crate::tree::{self, ProcessIdentity};

/// Where a session goes whose directory is gone.
pub(super) fn root() -> PathBuf {
    PathBuf::from("/")
}

/// What a session has for its life.
pub(super) struct Place {
    supervisor: Supervisor,
    folder: PrivateDir,
    /// The shells of commands that run.
    running: Mutex<HashSet<i32>>,
    survivors: Mutex<HashSet<ProcessIdentity>>,
}

/// What a bash is started with.
pub(super) struct Start<'a> {
    pub(super) shell: &'a Path,
    pub(super) program: &'a Path,
    pub(super) cwd: &'a Path,
    pub(super) env: &'a [EnvironmentEntry],
    pub(super) limits: ResourceLimits,
}

impl Place {
    pub(super) async fn open(options: &ShellOptions) -> Result<Self, ShellError> {
        let executable =
            options.supervisor.clone().unwrap_or_else(|| PathBuf::from("pi-supervisor"));
        let folder = PrivateDir::create()?;
        let supervisor = Supervisor::launch(&executable, None).await?;
        Ok(Self { supervisor, folder, running: Mutex::default(), survivors: Mutex::default() })
    }

    /// Whether somebody killed its supervisor or removed its folder.
    pub(super) fn is_broken(&self) -> bool {
        let supervisor = tree::identity_of(self.supervisor.pid());
        !self.folder.path().is_dir()
            || (has_process_tree() && !supervisor.is_some_and(tree::is_alive))
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a bash that evaluates its program.
    pub(super) async fn start(&self, start: Start<'_>) -> Result<(Process, Output), ShellError> {
        let system = |attempt| move |source: io::Error| ShellError::System { attempt, source };
        let make = || -> io::Result<(OwnedFd, OwnedFd, OwnedFd, OwnedFd)> {
            let (output, end) = crate::sys::pipe()?;
            rustix::io::ioctl_fionbio(&output, true)?;
            let null =
                rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            let errors = crate::sys::open_again(&end)?;
            Ok((output, null, end, errors))
        };
        let (output, null, end, errors) = make().map_err(system("make a pipe"))?;
        let output = Output {
            fd: watch(output, Interest::READABLE).map_err(system("watch a pipe"))?,
            buffer: vec![0; READ_BYTES],
        };
        let argv: Vec<OsString> = vec![
            start.shell.into(),
            "--norc".into(),
            "--noprofile".into(),
            "-c".into(),
            LOADER.into(),
            "bash".into(),
            start.program.into(),
        ];
        let command_line = argv.join(OsStr::new(" ")).to_string_lossy().into_owned();
        let child = self
            .supervisor
            .spawn(SpawnRequest {
                argv,
                env: start.env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
                cwd: start.cwd.to_path_buf(),
                descriptors: vec![null, end, errors],
                controlling_terminal: false,
                umask: None,
                limits: start.limits,
            })
            .await
            .map_err(|failure| spawn_error(start.shell, start.cwd, start.env, failure))?;
        lock(&self.running).insert(child.pid());
        Ok((Process { child, command_line }, output))
    }

    /// Counts what the command left alive as survivors, and describes it.
    pub(super) async fn account_for_survivors(&self, process: &Process) -> Vec<ProcessInfo> {
        lock(&self.running).remove(&process.child.pid());
        let (spared, older) = (lock(&self.running).clone().into(), self.living());
        let own = process.child.pid();
        let found = stop::processes_of(self.supervisor.pid(), &spared, &older, own, None);
        lock(&self.survivors).extend(found.iter().map(|entry| entry.identity));
        tree::describe_settled(&found, Some(&process.command_line)).await
    }

    fn living(&self) -> HashSet<ProcessIdentity> {
        let mut survivors = lock(&self.survivors);
        survivors.retain(|identity| tree::is_alive(*identity));
        survivors.clone()
    }

    pub(super) fn background_count(&self) -> usize {
        self.living().len()
    }

    pub(super) async fn close(&self, bound: Duration) {
        drop(self.supervisor.close(bound).await);
    }
}

/// The bash of one command.
pub(super) struct Process {
    child: Child,
    /// Which a subshell of it has too.
    command_line: String,
}

impl Process {
    /// Waits for its end.
    pub(super) async fn ended(&self) -> ExitOutcome {
        match self.child.exited().await {
            ChildExit::Exited(code) => ExitOutcome::Exited { code },
            ChildExit::Signaled(signal) => ExitOutcome::Signaled { signal },
            ChildExit::Lost => ExitOutcome::Signaled { signal: KILL },
        }
    }

    /// Ends it and all that it started, at most for what the ladder takes.
    pub(super) async fn stop(&self, place: &Place) {
        if !has_process_tree() {
            return self.stop_group().await;
        }
        let mut spared = lock(&place.running).clone();
        spared.remove(&self.child.pid());
        let plan = StopPlan {
            supervisor: place.supervisor.pid(),
            shell: ShellTarget::Main(self.child.clone()),
            is_beside: false,
            spared: Arc::new(move || spared.clone().into()),
            report: None,
            older: place.living(),
        };
        drop(stop::stop(&plan).await);
    }

    /// The same where processes cannot be looked up: bash leads a group of its own.
    async fn stop_group(&self) {
        let Some(group) = Pid::from_raw(self.child.pid()) else { return };
        // A group that is gone needs no signal.
        rustix::process::kill_process_group(group, Signal::TERM).ok();
        drop(tokio::time::timeout(GROUP_TERMINATE_GRACE, self.child.exited()).await);
        rustix::process::kill_process_group(group, Signal::KILL).ok();
        drop(tokio::time::timeout(GROUP_TERMINATE_GRACE, self.child.exited()).await);
    }
}

/// The pipe that a command writes to.
pub(super) struct Output {
    fd: AsyncFd<OwnedFd>,
    buffer: Vec<u8>,
}

impl Output {
    /// Bytes that lie in the pipe now.
    pub(super) fn waiting_bytes(&self) -> usize {
        source::bytes_in_pipe(self.fd.get_ref())
    }
}

impl Source for Output {
    fn bytes(&self, length: usize) -> &[u8] {
        self.buffer.get(..length).unwrap_or_default()
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn read_now(&mut self) -> io::Result<ReadOutcome> {
        source::read_pipe(self.fd.get_ref(), &mut self.buffer)
    }

    async fn readable(&mut self) -> io::Result<()> {
        self.fd.readable().await?.clear_ready();
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves a set as it was: there is no half-done change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
