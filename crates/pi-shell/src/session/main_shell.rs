//! The bash that runs a session's commands: how it is started, ordered and listened to.
//!
//! What is said stands in `protocol`; when it is said is the engine's business.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::descriptors::Descriptors;
use super::driver;
use super::frames::{Frame, FrameBody, FrameReader};
use super::protocol::{self, MainOrder};
use crate::bash_version;
use crate::environment;
use crate::error::ShellError;
use crate::request::ResourceLimits;
use crate::sandbox::Sandbox;
use crate::source;
use crate::supervisor::{Child, SpawnFailure, SpawnRequest, SpawnStep, Supervisor};
use crate::sys::{pipe, watch};
use crate::tree::{self, ProcessState};

/// Time a bash may take to greet. It needs milliseconds; a program that is no bash never does.
const GREETING_LIMIT: Duration = Duration::from_secs(5);

/// How a bash is started. Two equal ones give interchangeable shells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaunchSpec {
    pub(super) shell: PathBuf,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) limits: ResourceLimits,
    /// The sandbox around it.
    pub(super) sandbox: Option<Arc<Sandbox>>,
    /// The driver to load, where the system and the bash take it.
    pub(super) driver: Option<PathBuf>,
    /// What must be seen in the sandbox. Without one nothing is named: spares must fit.
    pub(super) visible: Vec<PathBuf>,
}

/// A bash that reads our orders.
pub(super) struct MainShell {
    child: Child,
    control: OwnedFd,
    report: AsyncFd<OwnedFd>,
    frames: FrameReader,
    /// Size of the last order's message.
    message_bytes: usize,
    /// How often it had given its processor up at the last look; none where nobody tells.
    switches: Option<u64>,
    /// Tells the state files of the bashes of one session apart.
    pub(super) generation: u64,
    /// Where bash has its own descriptors during a command.
    pub(super) descriptors: Descriptors,
}

impl MainShell {
    /// Starts a bash in `cwd` and waits for its greeting.
    pub(super) async fn launch(
        supervisor: &Supervisor,
        spec: &LaunchSpec,
        cwd: &Path,
        folder: &Path,
        generation: u64,
        token: &str,
    ) -> Result<Self, ShellError> {
        let system = |attempt| move |source: io::Error| ShellError::System { attempt, source };
        let (control_end, control) = pipe().map_err(system("make a pipe"))?;
        let (report, report_end) = pipe().map_err(system("make a pipe"))?;
        rustix::io::ioctl_fionbio(&report, true)
            .map_err(io::Error::from)
            .map_err(system("make a pipe non-blocking"))?;
        let errors = report_end.try_clone().map_err(system("copy a descriptor"))?;
        let report = watch(report, Interest::READABLE).map_err(system("watch a pipe"))?;
        let child = supervisor
            .spawn(SpawnRequest {
                argv: vec![
                    spec.shell.clone().into_os_string(),
                    "--norc".into(),
                    "--noprofile".into(),
                    protocol::SCRIPT_NAME.into(),
                ],
                env: spec.env.clone(),
                // Where its script has that name; it goes to `cwd` itself.
                cwd: folder.to_path_buf(),
                descriptors: vec![control_end, report_end, errors],
                controlling_terminal: false,
                umask: None,
                limits: spec.limits,
            })
            .await
            .map_err(|failure| spawn_error(&spec.shell, cwd, &spec.env, failure))?;
        let descriptors = Descriptors::within(open_files_limit(spec.limits));
        let frames = FrameReader::default();
        let mut shell = Self {
            child,
            control,
            report,
            frames,
            message_bytes: 0,
            switches: None,
            generation,
            descriptors,
        };
        shell.greet(&spec.shell, (folder, cwd), token).await?;
        Ok(shell)
    }

    async fn greet(
        &mut self,
        path: &Path,
        (folder, cwd): (&Path, &Path),
        token: &str,
    ) -> Result<(), ShellError> {
        let no_bash = || crate::shell_path::no_bash(path);
        let text = driver::boot_text(folder, cwd, self.generation, self.descriptors, token);
        self.write(text.as_bytes()).map_err(|_died| no_bash())?;
        let exited = self.child.clone();
        let greeting = async {
            loop {
                for frame in self.frames().await? {
                    if let (true, FrameBody::Ready { major, minor }) =
                        (frame.token == token, &frame.body)
                    {
                        return Ok((*major, *minor));
                    }
                }
            }
        };
        let version = tokio::select! {
            biased;
            version = tokio::time::timeout(GREETING_LIMIT, greeting) => version,
            _ = exited.exited() => return Err(no_bash()),
        };
        match version {
            Ok(Ok((major, minor))) => {
                bash_version::note(path, (major, minor));
                if (major, minor) < bash_version::OLDEST_KEPT {
                    return Err(ShellError::OldShell { path: path.to_path_buf(), major, minor });
                }
                Ok(())
            }
            Ok(Err(source)) => Err(ShellError::System { attempt: "read from bash", source }),
            Err(_elapsed) => Err(no_bash()),
        }
    }

    /// The process.
    pub(super) fn child(&self) -> &Child {
        &self.child
    }

    /// Gives an order. The pipe is empty whenever bash waits for one, and an order is far
    /// smaller than a pipe, so this does not block; a dead bash gives EPIPE.
    pub(super) fn send(&mut self, order: &MainOrder) -> io::Result<()> {
        self.frames.forget_noise();
        self.message_bytes = order.message_bytes;
        self.write(&order.bytes)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(&self.control, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits until bash wrote something; returns the frames in it, which may be none. Cancel-safe:
    /// what was read is kept.
    pub(super) async fn frames(&mut self) -> io::Result<Vec<Frame>> {
        let mut buffer = [0_u8; 4096];
        loop {
            let mut ready = self.report.readable().await?;
            let read = ready.try_io(|report| Ok(rustix::io::read(report.as_fd(), &mut buffer)?));
            match read {
                Ok(Ok(0)) => {
                    // Every writer is gone. The exit is told by the supervisor; wait for that.
                    std::future::pending::<()>().await;
                }
                Ok(Ok(length)) => {
                    if length < buffer.len() {
                        // The pipe was emptied: the next wait needs no read that finds nothing.
                        ready.clear_ready();
                    }
                    return Ok(self.frames.push(buffer.get(..length).unwrap_or_default()));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }

    /// The frames that are there already. Not more: what an EXIT trap left in the background may
    /// write faster than we read.
    pub(super) fn pending_frames(&mut self) -> Vec<Frame> {
        let mut buffer = [0_u8; 4096];
        let mut frames = Vec::new();
        let mut rest = source::bytes_in_pipe(self.report.get_ref());
        while rest > 0
            && let Ok(length @ 1..) = rustix::io::read(self.report.get_ref(), &mut buffer)
        {
            rest = rest.saturating_sub(length);
            frames.extend(self.frames.push(buffer.get(..length).unwrap_or_default()));
        }
        frames
    }

    /// Whether the last order lies in the pipe unread.
    pub(super) fn has_unread_order(&self) -> bool {
        let size = self.message_bytes as u64;
        rustix::io::ioctl_fionread(&self.control).is_ok_and(|unread| size > 0 && unread >= size)
    }

    /// Whether bash wrote `text` outside of commands since the last order.
    pub(super) fn complained_of(&self, text: &str) -> bool {
        self.frames.noise_contains(text)
    }

    /// How much bash wrote outside of commands since the last order and was not taken.
    pub(super) fn noise_bytes(&self) -> usize {
        self.frames.noise_bytes()
    }

    /// What bash wrote outside of commands since the last order or this.
    pub(super) fn take_noise(&mut self) -> Vec<u8> {
        self.frames.take_noise()
    }

    /// The same, when it has ended.
    pub(super) fn take_last_noise(&mut self) -> Vec<u8> {
        self.frames.take_last_noise()
    }

    /// So much is expected until the next order.
    pub(super) fn expect_noise(&mut self, bytes: usize) {
        self.frames.expect_noise(bytes);
    }

    /// Device and inode of the pipe on which it answers.
    pub(super) fn report_inode(&self) -> Option<(libc::dev_t, u64)> {
        let found = rustix::fs::fstat(self.report.get_ref()).ok()?;
        Some((found.st_dev, found.st_ino))
    }

    /// Whether it waits outside of a command: it sleeps, and it waits for an order. A bash that reads
    /// a long text, lacks a processor, or waits for a program that its prompt of traces (`PS4`)
    /// runs does none of that. Where the system does not tell what it waits for, its own output must
    /// be our pipe, and it must not have run since the last look.
    pub(super) fn is_between_commands(&mut self) -> bool {
        let pid = self.child.pid();
        let switches = tree::switches_of(pid);
        let has_rested = std::mem::replace(&mut self.switches, switches) == switches;
        let sleeps = tree::entry_of(pid).is_some_and(|entry| entry.state == ProcessState::Sleeping);
        if !sleeps {
            return false;
        }
        tree::reads_from(pid, &self.control).unwrap_or_else(|| {
            let ours = self.report_inode();
            has_rested && ours.is_some() && crate::stop::standard_output(pid) == ours
        })
    }
}

/// How many files a bash with these limits may have open: never more than its host. `None`: no
/// limit.
fn open_files_limit(limits: ResourceLimits) -> Option<u64> {
    let own = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    match (own, limits.open_files) {
        (Some(own), Some(wanted)) => Some(own.min(wanted)),
        (own, wanted) => own.or(wanted),
    }
}

/// What a failed start means to the caller.
pub(super) fn spawn_error<T: AsRef<OsStr>>(
    shell: &Path,
    cwd: &Path,
    env: &[(T, T)],
    failure: SpawnFailure,
) -> ShellError {
    match failure.step {
        // The arguments are ours and few.
        _ if failure.is_too_large() => environment::too_large("baseEnv", env),
        SpawnStep::ChangeDirectory => match failure.source.kind() {
            io::ErrorKind::NotFound => {
                ShellError::MissingWorkingDirectory { path: cwd.to_path_buf() }
            }
            io::ErrorKind::NotADirectory => ShellError::NotADirectory { path: cwd.to_path_buf() },
            _ => ShellError::WorkingDirectoryDenied {
                path: cwd.to_path_buf(),
                source: failure.source,
            },
        },
        SpawnStep::Execute | SpawnStep::Interpreter => ShellError::UnusableShell {
            path: shell.to_path_buf(),
            reason: format!(
                "cannot be executed: {}; set `shell` to the path of a bash",
                failure.source
            ),
        },
        _ => ShellError::System { attempt: "start bash", source: failure.source },
    }
}
