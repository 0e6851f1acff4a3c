//! The platform's part on Unix: a supervisor as parent of each bash, a pipe for its output.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pi_process::budget::GROUP_TERMINATE_GRACE;
use pi_process::stop::{self, ShellTarget, StopPlan};
use pi_process::supervisor::{Child, SpawnRequest};
use pi_process::sys::watch;
use pi_process::{ProcessInfo, ResourceLimits, ResourceUsage, tree};
use pi_sandbox::SandboxReport;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::files::SCRIPT_NAME;
use super::state::is_variable_name;
use crate::error::ShellError;
use crate::outcome::{ExitOutcome, LimitMet};
use crate::request::{EnvironmentEntry, ShellOptions};
use crate::session::filters;
use crate::session::ground::Ground;
use crate::session::kind::has_process_tree;
use crate::session::launch::spawn_error;
use crate::session::limits::LimitsMark;
use crate::session::ownership::Title;
use crate::session::tail::{FileId, Output, Sight};
use crate::session::unanswered::Waits;
use crate::source::{self, READ_BYTES, ReadOutcome, Source};

/// Whether such a session can be had: everything that options ask for is there.
#[expect(clippy::unnecessary_wraps, reason = "the same form as on Windows")]
pub(super) fn check(_options: &ShellOptions) -> Result<(), ShellError> {
    Ok(())
}

/// What a bash is started with: a state has every variable, and what was unset must not come back. Names that bash cannot
/// have are passed on by it all the same.
pub(super) fn environment(base: &[EnvironmentEntry], has_state: bool) -> Vec<EnvironmentEntry> {
    let is_given = |entry: &&EnvironmentEntry| !has_state || !is_variable_name(&entry.0);
    base.iter().filter(is_given).cloned().collect()
}

/// What a session has for its life.
pub(super) struct Place {
    ground: Arc<Ground>,
    /// How many shells are being started, of which nothing is known yet.
    starting: Arc<AtomicUsize>,
}

/// A shell is being started as long as this lives.
struct Starting(Arc<AtomicUsize>);

impl Starting {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a bash is started with.
pub(super) struct Start<'a> {
    pub(super) shell: &'a Path,
    /// Where its script is.
    pub(super) folder: &'a Path,
    pub(super) env: &'a [EnvironmentEntry],
    pub(super) limits: ResourceLimits,
}

impl Place {
    pub(super) async fn open(options: &ShellOptions) -> Result<Self, ShellError> {
        Ok(Self { ground: Arc::new(Ground::open(options).await?), starting: Arc::default() })
    }

    /// Whether its supervisor was killed or its folder removed.
    pub(super) fn is_broken(&self) -> bool {
        self.ground.is_broken()
    }

    pub(super) fn folder(&self) -> &Path {
        self.ground.folder.path()
    }

    /// The part of it that bash may write to.
    pub(super) fn written(&self) -> PathBuf {
        self.ground.folder.state()
    }

    /// Where programs put temporary files, in a sandbox.
    pub(super) fn temporary(&self) -> Option<&Path> {
        self.ground.temporary.as_deref()
    }

    /// Whether bash has to wait until it was put where it belongs.
    pub(super) fn holds_back(&self) -> bool {
        self.ground.limits.is_grouped()
    }

    /// What was met by a command that ended so.
    pub(super) fn limits_met(&self, process: &Process, outcome: ExitOutcome) -> Vec<LimitMet> {
        self.ground.limits.met(process.before, outcome)
    }

    pub(super) async fn sandbox_report(&self) -> Option<SandboxReport> {
        self.ground.sandbox_report().await
    }

    /// Starts a bash that evaluates its program. `title` is none for a copy.
    pub(super) async fn start(
        &self,
        start: Start<'_>,
        title: Option<Title>,
    ) -> Result<(Process, CommandPipe), ShellError> {
        let system = |attempt| move |source: io::Error| ShellError::system(attempt, source);
        let (waits, before) = (self.holds_back(), self.ground.limits.mark());
        let make = || -> io::Result<(OwnedFd, OwnedFd, OwnedFd, OwnedFd, Option<OwnedFd>)> {
            let (output, end) = pi_process::sys::pipe()?;
            rustix::io::ioctl_fionbio(&output, true)?;
            let (input, go) = if waits {
                let (input, go) = pi_process::sys::pipe()?;
                (input, Some(go))
            } else {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC;
                (rustix::fs::open("/dev/null", flags, Mode::empty())?, None)
            };
            let errors = pi_process::sys::open_again(&end)?;
            Ok((output, input, end, errors, go))
        };
        let (output, input, end, errors, go) = make().map_err(system("make a pipe"))?;
        let output = CommandPipe {
            fd: watch(output, Interest::READABLE).map_err(system("watch a pipe"))?,
            buffer: vec![0; READ_BYTES],
        };
        let argv: Vec<OsString> =
            vec![start.shell.into(), "--norc".into(), "--noprofile".into(), SCRIPT_NAME.into()];
        let command_line = argv.join(OsStr::new(" ")).to_string_lossy().into_owned();
        // A shell that is starting is not a survivor of another command.
        let turn = self.ground.handing_over.lock().await;
        let starting = Starting::begin(&self.starting);
        let child = self
            .ground
            .supervisor
            .spawn(SpawnRequest {
                argv,
                env: start.env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
                // It goes to its directory itself, which a sandbox may have inside only.
                cwd: start.folder.to_path_buf(),
                descriptors: vec![input, end, errors],
                controlling_terminal: false,
                umask: None,
                limits: start.limits,
            })
            .await
            .map_err(|failure| spawn_error(start.shell, start.folder, start.env, failure))?;
        self.ground.internal.insert(child.pid());
        drop(starting);
        drop(turn);
        if let Some(go) = go {
            self.ground.limits.add(child.pid())?;
            // One that is gone already tells it by its end.
            let _reported = rustix::io::write(&go, b"\n");
        }
        Ok((Process { child, command_line, title, before }, output))
    }

    /// Counts what the command left alive as survivors, and describes it.
    pub(super) async fn account_for_survivors(
        &self,
        process: &Process,
        patience: Duration,
    ) -> Vec<ProcessInfo> {
        let ground = &self.ground;
        let own = process.child.pid();
        let _starting = ground.handing_over.lock().await;
        ground.internal.remove(own);
        let spared = || ground.internal.living();
        ground.account_for(own, Some(&process.command_line), spared, patience).await
    }

    pub(super) fn background_count(&self) -> usize {
        self.ground.background_count()
    }

    #[expect(clippy::unnecessary_wraps, reason = "on Windows there is none")]
    pub(super) fn root_pid(&self) -> Option<i32> {
        Some(self.ground.supervisor.pid())
    }

    pub(super) async fn close(&self, bound: Duration) {
        self.ground.supervisor.close(bound).await;
        self.ground.limits.remove().await;
    }
}

/// Children of the supervisor: one of them may be a shell that is being started.
fn children_of(supervisor: i32) -> impl Iterator<Item = i32> {
    let below = tree::descendants(supervisor).into_iter();
    below.filter(move |entry| entry.parent == supervisor).map(|entry| entry.identity.pid)
}

/// The bash of one command.
pub(super) struct Process {
    child: Child,
    /// Which a subshell of it has too.
    command_line: String,
    /// None for a copy.
    title: Option<Title>,
    /// What had been met before it was started.
    before: LimitsMark,
}

impl Process {
    /// Waits for its end.
    pub(super) async fn ended(&self) -> ExitOutcome {
        self.child.exited().await.into()
    }

    /// What it used, once it has ended.
    pub(super) async fn usage(&self) -> Option<ResourceUsage> {
        self.child.usage().await
    }

    /// Ends it and all that it started, at most for what the ladder takes.
    pub(super) async fn stop(&self, place: &Place) {
        if !has_process_tree() {
            return self.stop_group().await;
        }
        drop(stop::stop(&self.plan(place)).await);
    }

    /// Whom a stop is about. Beside the session, only what is below the shell.
    fn plan(&self, place: &Place) -> StopPlan {
        let (ground, own) = (Arc::clone(&place.ground), self.child.pid());
        let starting = Arc::clone(&place.starting);
        StopPlan {
            supervisor: ground.supervisor.pid(),
            shell: ShellTarget::Main(self.child.clone()),
            is_beside: !self.title.as_ref().is_some_and(Title::holds),
            report: None,
            older: ground.survivors.living(),
            spared: Arc::new(move || {
                // Looked at first: one that is known by then is not starting any more.
                let is_starting = starting.load(Ordering::SeqCst) > 0;
                let mut spared = ground.internal.living();
                // Its pid comes with the supervisor's answer; until then it is one of these.
                spared.is_provisional = is_starting;
                if is_starting {
                    spared.pids.extend(children_of(ground.supervisor.pid()));
                }
                spared.pids.remove(&own);
                spared
            }),
        }
    }

    /// Looks whether it waits for input that cannot come, where that is due.
    pub(super) fn look(&self, place: &Place, output: &CommandPipe, waits: &mut Waits) {
        waits.tick(|| output.file_id().ok(), || self.plan(place));
    }

    /// What passes its output on still, or has it.
    pub(super) fn sight(&self, place: &Place, output: FileId) -> Sight {
        if !has_process_tree() {
            return Sight::Others;
        }
        filters::look_for_forks_of(&self.plan(place), output, &self.command_line)
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
pub(super) struct CommandPipe {
    fd: AsyncFd<OwnedFd>,
    buffer: Vec<u8>,
}

impl Output for CommandPipe {
    fn waiting_bytes(&self) -> usize {
        source::bytes_in_pipe(self.fd.get_ref())
    }

    fn file_id(&self) -> io::Result<FileId> {
        filters::file_id_of(self.fd.get_ref().try_clone()?)
    }
}

impl Source for CommandPipe {
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
