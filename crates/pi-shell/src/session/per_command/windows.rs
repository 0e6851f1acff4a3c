//! The platform's part on Windows: a job object around each bash, a pipe for its output.
//!
//! Neither can be waited for together with other things, so both are looked at in short intervals.
#![expect(clippy::unused_self, clippy::unused_async, reason = "the same form as on Unix")]

use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pi_process::sys::job::{self, Job};
use pi_process::{ProcessInfo, ResourceLimits, ResourceUsage, lock};
use pi_sandbox::SandboxReport;
use tokio::time::Instant;
use windows_sys::Win32::System::Threading::CREATE_NO_WINDOW;

use super::files::SCRIPT_NAME;
use crate::error::ShellError;
use crate::outcome::{ExitOutcome, LimitMet};
use crate::request::{EnvironmentEntry, ShellOptions};
use crate::session::ownership::Title;
use crate::session::tail::{FileId, Output, Sight};
use crate::session::unanswered::Waits;
use crate::source::{READ_BYTES, ReadOutcome, Source};

/// How often a process or a pipe is looked at. Starting a bash takes ten times as long here.
const LOOK_INTERVAL: Duration = Duration::from_millis(4);

/// Time for a job that was ended to be empty.
const END_LIMIT: Duration = Duration::from_secs(2);

/// Whether such a session can be had. What needs Unix is refused.
pub(super) fn check(options: &ShellOptions) -> Result<(), ShellError> {
    if let Some(wanted) = &options.sandbox {
        let reason = "Windows has no sandbox that commands can run in".to_owned();
        return Err(ShellError::SandboxUnavailable { mode: wanted.mode.name(), reason });
    }
    if options.limits.session_memory.or(options.limits.session_processes).is_some() {
        let reason = "only Linux has control groups".to_owned();
        return Err(ShellError::LimitsUnavailable { reason });
    }
    Ok(())
}

/// What a bash is started with: MSYS needs the system's own variables, whatever the state has.
pub(super) fn environment(base: &[EnvironmentEntry], _has_state: bool) -> Vec<EnvironmentEntry> {
    base.to_vec()
}

/// What a session has for its life.
pub(super) struct Place {
    folder: PathBuf,
    /// Of commands that left something running.
    jobs: Mutex<Vec<Arc<Job>>>,
}

/// What a bash is started with. Windows has no limits of that kind.
pub(super) struct Start<'a> {
    pub(super) shell: &'a Path,
    /// Where its script is.
    pub(super) folder: &'a Path,
    pub(super) env: &'a [EnvironmentEntry],
    #[expect(dead_code, reason = "the same fields as on Unix")]
    pub(super) limits: ResourceLimits,
}

impl Place {
    pub(super) async fn open(_options: &ShellOptions) -> Result<Self, ShellError> {
        let name = format!("pi-bash-{}-{}", std::process::id(), nanoseconds());
        let folder = std::env::temp_dir().join(name);
        // A person's temporary folder is private on Windows; the name must be new all the same.
        std::fs::create_dir(&folder).map_err(|source| {
            ShellError::system("make a private folder for the session", source)
        })?;
        Ok(Self { folder, jobs: Mutex::default() })
    }

    /// Whether someone removed its folder.
    pub(super) fn is_broken(&self) -> bool {
        !self.folder.is_dir()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The part of it that bash writes to.
    pub(super) fn written(&self) -> PathBuf {
        self.folder.clone()
    }

    /// There is no sandbox.
    pub(super) fn temporary(&self) -> Option<&Path> {
        None
    }

    /// Bash has to wait until it is in its job.
    pub(super) fn holds_back(&self) -> bool {
        true
    }

    pub(super) fn limits_met(&self, _process: &Process, _outcome: ExitOutcome) -> Vec<LimitMet> {
        Vec::new()
    }

    pub(super) async fn sandbox_report(&self) -> Option<SandboxReport> {
        None
    }

    /// Starts a bash that evaluates its program.
    pub(super) async fn start(
        &self,
        start: Start<'_>,
        _title: Option<Title>,
    ) -> Result<(Process, CommandPipe), ShellError> {
        let failed = |source| ShellError::system("start bash", source);
        let (reader, writer) = io::pipe().map_err(failed)?;
        let errors = writer.try_clone().map_err(failed)?;
        let job = Job::new().map_err(failed)?;
        let mut child = Command::new(start.shell)
            .args(["--norc", "--noprofile", SCRIPT_NAME])
            .env_clear()
            .envs(start.env.iter().map(|(name, value)| (name, value)))
            .current_dir(start.folder)
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(errors)
            .creation_flags(CREATE_NO_WINDOW)
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let assigned = job.assign(&child);
        if let Err(source) = assigned {
            // It has done nothing yet.
            drop(child.kill());
            return Err(failed(source));
        }
        if let Some(mut input) = input {
            // A bash that is gone already tells it by its end.
            drop(input.write_all(b"\n"));
        }
        let pid = i32::try_from(child.id()).unwrap_or_default();
        let process = Process { child: Mutex::new(child), job: Arc::new(job), pid };
        Ok((process, CommandPipe { reader, buffer: vec![0; READ_BYTES] }))
    }

    /// Keeps the job of a command that left something alive, and lists that.
    pub(super) async fn account_for_survivors(
        &self,
        process: &Process,
        _patience: Duration,
    ) -> Vec<ProcessInfo> {
        let living = process.job.processes();
        if living.is_empty() {
            return Vec::new();
        }
        let mut jobs = lock(&self.jobs);
        jobs.retain(|job| !job.processes().is_empty());
        jobs.push(Arc::clone(&process.job));
        let started_at_ms = u64::try_from(nanoseconds() / 1_000_000).unwrap_or_default();
        living
            .into_iter()
            .filter_map(|id| i32::try_from(id).ok())
            .filter(|pid| *pid != process.pid)
            .map(|pid| ProcessInfo { pid, command: format!("[{pid}]"), started_at_ms })
            .collect()
    }

    pub(super) fn background_count(&self) -> usize {
        lock(&self.jobs).iter().map(|job| job.processes().len()).sum()
    }

    /// Commands have no process above them; their job objects have them together.
    #[expect(clippy::unused_self, reason = "elsewhere it is the supervisor's")]
    pub(super) fn root_pid(&self) -> Option<i32> {
        None
    }

    /// Ends what commands left running.
    pub(super) async fn close(&self, bound: Duration) {
        let jobs: Vec<Arc<Job>> = lock(&self.jobs).drain(..).collect();
        for job in &jobs {
            job.terminate();
        }
        for job in jobs {
            end_of(&job, bound).await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What stays there is empty of meaning without this session.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The bash of one command, with everything it started.
pub(super) struct Process {
    child: Mutex<Child>,
    job: Arc<Job>,
    pid: i32,
}

impl Process {
    /// Waits for its end.
    pub(super) async fn ended(&self) -> ExitOutcome {
        loop {
            let status = lock(&self.child).try_wait();
            match status {
                Ok(Some(status)) => {
                    let code = u8::try_from(status.code().unwrap_or(1) & 0xff).unwrap_or(u8::MAX);
                    return ExitOutcome::Exited { code };
                }
                Ok(None) => tokio::time::sleep(LOOK_INTERVAL).await,
                // Nothing more can be known of it.
                Err(_) => return ExitOutcome::Exited { code: 1 },
            }
        }
    }

    /// What it used is not counted here.
    #[expect(clippy::unused_async, reason = "the same form as on Unix")]
    pub(super) async fn usage(&self) -> Option<ResourceUsage> {
        None
    }

    /// What a program waits for cannot be seen.
    #[expect(clippy::unused_self, reason = "the same form as on Unix")]
    pub(super) fn look(&self, _place: &Place, _output: &CommandPipe, _waits: &mut Waits) {}

    /// What still passes its output on cannot be seen.
    pub(super) fn sight(&self, _place: &Place, _output: FileId) -> Sight {
        Sight::Others
    }

    /// Ends it and all that it started. There is no politer way: a console's Ctrl-C reaches
    /// whoever shares the console.
    pub(super) async fn stop(&self, _place: &Place) {
        self.job.terminate();
        end_of(&self.job, END_LIMIT).await;
    }
}

/// Waits until a job is empty, at most for `bound`.
async fn end_of(job: &Job, bound: Duration) {
    let deadline = Instant::now() + bound;
    while !job.processes().is_empty() && Instant::now() < deadline {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// The pipe that a command writes to.
pub(super) struct CommandPipe {
    reader: PipeReader,
    buffer: Vec<u8>,
}

impl Output for CommandPipe {
    fn waiting_bytes(&self) -> usize {
        job::waiting_bytes(&self.reader).ok().flatten().unwrap_or_default()
    }

    fn file_id(&self) -> io::Result<FileId> {
        Err(io::ErrorKind::Unsupported.into())
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
        match job::waiting_bytes(&self.reader)? {
            None => Ok(ReadOutcome::Closed),
            Some(0) => Ok(ReadOutcome::Empty),
            // Does not wait: something is there, and no one else reads.
            Some(_) => self.reader.read(&mut self.buffer).map(ReadOutcome::Data),
        }
    }

    async fn readable(&mut self) -> io::Result<()> {
        tokio::time::sleep(LOOK_INTERVAL).await;
        Ok(())
    }
}

fn nanoseconds() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}
