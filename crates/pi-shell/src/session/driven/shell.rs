//! One bash with the driver in it: how it is started, given orders and listened to.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::fs::{MemfdFlags, Mode, OFlags};

use super::channel::{Channel, GREETING_LIMIT, Message};
use super::protocol::{self, Ended, Report, RunOrder};
use crate::bash_version;
use crate::error::ShellError;
use crate::private_dir::PrivateDir;
use crate::session::ground::{Ground, ReportId};
use crate::session::launch::{LaunchSpec, spawn_error};
use crate::stop::{DrivenTarget, Stage};
use crate::supervisor::{Child, SpawnRequest, Supervisor};

/// The script that a bash begins with: it loads the driver from descriptor 4, which is nobody's afterwards, and
/// never comes back. No function can be in its way: an environment is taken without those (`environment::is_dropped`).
const BOOT: &str = concat!(
    "\\builtin enable -f /proc/self/fd/4 pi_driver && ",
    "\\exec 4<&- && \\builtin pi_driver 3 bash\n"
);

/// Its name, in the session's folder.
const BOOT_NAME: &str = "boot";

/// Time that a text of our own may take; past it the shell does without.
const OWN_TEXT_LIMIT: Duration = Duration::from_secs(5);

/// Most bytes read of what bash says of a driver that it does not load.
const COMPLAINT_BYTES: usize = 1024;

/// Why there is no such shell.
pub(in crate::session) enum LaunchError {
    /// This bash and the driver do not fit: another engine may run it.
    Unfit(String),
    Failed(ShellError),
}

/// A bash that takes orders.
pub(in crate::session) struct DrivenShell {
    child: Child,
    channel: Channel,
    sequence: u32,
    /// It is a copy whose `$$` is still that of the shell it was copied from.
    owes_pid: bool,
}

impl DrivenShell {
    /// Starts a bash and waits until it takes orders.
    pub(in crate::session) async fn launch(
        supervisor: &Supervisor,
        spec: &LaunchSpec,
        driver: &Path,
        folder: &PrivateDir,
    ) -> Result<Self, LaunchError> {
        let failed = |attempt| {
            move |source: io::Error| LaunchError::Failed(ShellError::System { attempt, source })
        };
        let object = open_driver(driver).map_err(LaunchError::Unfit)?;
        folder.write(BOOT_NAME, BOOT.as_bytes()).map_err(failed("write a boot script"))?;
        let (mut channel, theirs) = Channel::pair().map_err(failed("make a socket"))?;
        let (complaints, errors) = crate::sys::pipe().map_err(failed("make a pipe"))?;
        let nothing = nowhere().map_err(failed("open /dev/null"))?;
        let output = errors.try_clone().map_err(failed("copy a descriptor"))?;
        let child = supervisor
            .spawn(SpawnRequest {
                argv: vec![
                    spec.shell.clone().into_os_string(),
                    "--norc".into(),
                    "--noprofile".into(),
                    BOOT_NAME.into(),
                ],
                env: spec.env.clone(),
                // Where its script has that name; orders name another directory.
                cwd: folder.path().to_path_buf(),
                descriptors: vec![nothing, output, errors, theirs, object],
                controlling_terminal: false,
                umask: None,
                limits: spec.limits,
            })
            .await
            .map_err(|failure| {
                LaunchError::Failed(spawn_error(&spec.shell, Path::new("/"), &spec.env, failure))
            })?;
        let greeting = tokio::select! {
            biased;
            greeting = channel.greeting() => greeting,
            _ = child.exited() => Err(io::ErrorKind::BrokenPipe.into()),
        };
        let greeting = match greeting {
            Ok(greeting) => Ok(greeting),
            // Its end of the socket is closed before its end is told, and what it said is in the pipe by then.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                drop(tokio::time::timeout(GREETING_LIMIT, child.exited()).await);
                Err(complaint_in(&complaints))
            }
            Err(error) => Err(error.to_string()),
        };
        let shell = Self::over(child, channel, false);
        let unfit = match greeting {
            Ok(greeting) => {
                if bash_version::fits(&greeting.bash) && greeting.can_stop {
                    return Ok(shell);
                }
                format!("bash {} is not one that the driver is known to fit", greeting.bash)
            }
            Err(reason) => reason,
        };
        shell.end().await;
        Err(LaunchError::Unfit(unfit))
    }

    /// A shell that has greeted.
    pub(super) fn over(child: Child, channel: Channel, is_copy: bool) -> Self {
        // Not to be guessed from within a command, which could answer in the shell's place.
        let [a, b, c, d, ..] = RandomState::new().hash_one(child.pid()).to_ne_bytes();
        let sequence = u32::from_ne_bytes([a, b, c, d]);
        Self { child, channel, sequence, owes_pid: is_copy }
    }

    /// The process.
    pub(in crate::session) fn child(&self) -> &Child {
        &self.child
    }

    pub(super) fn is_alive(&self) -> bool {
        self.child.exit_status().is_none()
    }

    /// Which file it answers on.
    pub(in crate::session) fn report_id(&self) -> ReportId {
        self.channel.peer()
    }

    /// Gives it a command, whose output goes to `output`, its errors to `errors` where they are apart. Returns by which
    /// number it is answered.
    pub(super) fn run(
        &mut self,
        order: &RunOrder<'_>,
        output: BorrowedFd<'_>,
        errors: Option<BorrowedFd<'_>>,
    ) -> io::Result<u32> {
        let sequence = self.next_sequence();
        let own_pid = order.own_pid || self.owes_pid;
        let order = RunOrder { own_pid, has_errors: errors.is_some(), ..*order };
        let encoded = order.encode(sequence);
        let file = encoded.file.map(|text| text_file(&text)).transpose()?;
        let file = file.as_ref().map(OwnedFd::as_fd);
        let descriptors: Vec<BorrowedFd<'_>> =
            [Some(output), errors, file].into_iter().flatten().collect();
        self.channel.send(&encoded.message, &descriptors)?;
        self.owes_pid = false;
        Ok(sequence)
    }

    /// Has it leave a copy that takes orders from `socket`.
    pub(super) fn leave_copy(&mut self, socket: &OwnedFd) -> io::Result<()> {
        let sequence = self.next_sequence();
        self.channel.send(&protocol::fork_order(sequence, false), &[socket.as_fd()])
    }

    /// Runs a text of our own, whose output nobody wants, and has it stopped at once where `is_stopped` says so.
    pub(super) async fn ask(
        &mut self,
        order: &RunOrder<'_>,
        is_stopped: bool,
    ) -> io::Result<Heard> {
        let nothing = nowhere()?;
        let sequence = self.run(order, nothing.as_fd(), None)?;
        let child = self.child.clone();
        let mut running = Running::new(self, sequence);
        if is_stopped {
            running.target().interrupt();
        }
        tokio::select! {
            biased;
            heard = tokio::time::timeout(OWN_TEXT_LIMIT, running.heard()) => {
                heard.map_err(|_elapsed| io::ErrorKind::TimedOut.into())
            }
            _ = child.exited() => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Runs a text of our own, whose output has no reader, from `cwd` on. Returns how it ended.
    pub(super) async fn run_own(
        &mut self,
        text: &str,
        cwd: Option<&Path>,
    ) -> io::Result<Result<Ended, i32>> {
        let order = RunOrder { command: text, cwd, status: Some(0), ..RunOrder::default() };
        Ok(match self.ask(&order, false).await? {
            // A shell that may change nothing of itself any more cannot be given what a session has.
            Heard::Ended(Ended { options, .. }) if options.contains('r') => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Heard::Ended(ended) => Ok(ended),
            Heard::Refused(errno) => Err(errno),
        })
    }

    fn next_sequence(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Kills it, and waits a moment for its end.
    pub(super) async fn end(self) {
        drop(crate::tree::signal(self.child.identity(), libc::SIGKILL));
        drop(tokio::time::timeout(GREETING_LIMIT, self.child.exited()).await);
    }

    /// Counts its processes to the session's limits.
    pub(super) fn bound_by(&self, ground: &Ground) -> Result<(), ShellError> {
        ground.limits.add(self.child.pid())
    }
}

/// What a shell said to its command.
pub(in crate::session) enum Heard {
    Ended(Ended),
    /// Nothing was run, for this errno.
    Refused(i32),
}

/// A shell with a command to follow.
pub(in crate::session) struct Running<'a> {
    shell: &'a mut DrivenShell,
    sequence: u32,
    stage: Arc<Stage>,
    is_unread: bool,
}

impl<'a> Running<'a> {
    pub(super) fn new(shell: &'a mut DrivenShell, sequence: u32) -> Self {
        Self { shell, sequence, stage: Arc::default(), is_unread: false }
    }

    /// Whom a stop is about.
    pub(in crate::session) fn target(&self) -> DrivenTarget {
        DrivenTarget {
            child: self.shell.child.clone(),
            sequence: self.sequence,
            stage: Arc::clone(&self.stage),
        }
    }

    /// Waits for the answer; for ever where none comes. Cancel-safe.
    pub(in crate::session) async fn heard(&mut self) -> Heard {
        loop {
            match self.shell.channel.receive().await {
                Ok(Some(message)) => {
                    if let Some(heard) = self.answer_in(message) {
                        return heard;
                    }
                }
                end => {
                    self.note_end(end.err());
                    // How it went is the supervisor's to tell.
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// The answer, where it is there already.
    pub(in crate::session) fn heard_now(&mut self) -> Option<Heard> {
        loop {
            match self.shell.channel.receive_now() {
                Ok(Some(message)) => {
                    if let Some(heard) = self.answer_in(message) {
                        return Some(heard);
                    }
                }
                Ok(None) => return None,
                Err(error) => {
                    self.note_end(Some(error));
                    return None;
                }
            }
        }
    }

    /// Whether the shell ended before it read the order.
    pub(in crate::session) fn has_unread_order(&self) -> bool {
        self.is_unread
    }

    fn note_end(&mut self, error: Option<io::Error>) {
        // The kernel's word for what lay unread at the other end (`unix(7)`).
        self.is_unread |= error.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionReset);
        self.stage.0.store(Stage::NOT_A_SHELL, Ordering::SeqCst);
    }

    fn answer_in(&mut self, message: Message) -> Option<Heard> {
        // Whoever else has the socket, a subshell, does not speak for the shell.
        if message.pid != self.shell.child.pid() {
            return None;
        }
        let heard = match message.report {
            Report::Ended { sequence, ended } if sequence == self.sequence => Heard::Ended(ended),
            Report::Refused { sequence, errno } if sequence == self.sequence => {
                Heard::Refused(errno)
            }
            _ => return None,
        };
        self.stage.0.store(Stage::DONE, Ordering::SeqCst);
        Some(heard)
    }
}

/// The driver's object, which must be nobody else's to write.
fn open_driver(path: &Path) -> Result<OwnedFd, String> {
    let refused = |reason: String| format!("{}: {reason}", path.display());
    let object = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| refused(error.to_string()))?;
    let found = rustix::fs::fstat(&object).map_err(|error| refused(error.to_string()))?;
    let own = rustix::process::geteuid().as_raw();
    if found.st_uid != 0 && found.st_uid != own {
        return Err(refused("belongs to another user".to_owned()));
    }
    if found.st_mode & 0o002 != 0 {
        return Err(refused("can be written by everybody".to_owned()));
    }
    Ok(object)
}

fn nowhere() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?)
}

fn text_file(text: &[u8]) -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create("pi-order", MemfdFlags::CLOEXEC)?;
    let mut rest = text;
    while !rest.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(&file, rest))?;
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(file)
}

/// What bash said before it ended.
fn complaint_in(pipe: &OwnedFd) -> String {
    let mut bytes = [0; COMPLAINT_BYTES];
    let waiting = crate::source::bytes_in_pipe(pipe);
    let length = if waiting > 0 { rustix::io::read(pipe, &mut bytes).unwrap_or(0) } else { 0 };
    let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).trim().to_owned();
    if text.is_empty() { "bash ended before it took orders".to_owned() } else { text }
}
