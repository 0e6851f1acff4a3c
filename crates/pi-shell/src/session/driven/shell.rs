//! One bash with the driver in it: how it is started, given orders and listened to.

use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pi_process::private_dir::PrivateDir;
use pi_process::stop::{DrivenTarget, Stage};
use pi_process::supervisor::{Child, ChildExit, SpawnRequest, Supervisor};
use pi_process::sys::signals;
use rustix::fs::MemfdFlags;

use super::channel::{Channel, GREETING_LIMIT, Message};
use super::faults::fault_in;
use super::fit::Pair;
use super::object::DriverObject;
use super::protocol::{self, Ended, Report, RunOrder};
use crate::bash_version;
use crate::error::ShellError;
use crate::session::ground::{Ground, ReportId};
use crate::session::launch::{LaunchSpec, spawn_error};

/// The script that a bash begins with: it loads the driver from descriptor 4, which is no one's afterwards, and
/// never comes back. No function can be in its way: an environment is taken without those (`environment::is_dropped`).
const BOOT: &str = concat!(
    "\\builtin enable -f /proc/self/fd/4 pi_driver && ",
    "\\exec 4<&- && \\builtin pi_driver 3 bash\n"
);

/// Its name, in the session's folder.
const BOOT_NAME: &str = "boot";

/// Time that a text of our own may take; past it the shell does without.
const OWN_TEXT_LIMIT: Duration = Duration::from_secs(5);

/// How often it is looked whether a shell that was killed is dead, where nothing is heard of that.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// Time from its death to the supervisor's word for it.
const REAP_LIMIT: Duration = Duration::from_millis(100);

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
    /// It has not answered its last order.
    owes_answer: bool,
    /// Which bash and driver it is, where `fit` started it.
    pub(super) pair: Option<Pair>,
}

impl DrivenShell {
    /// Starts a bash and waits until it takes orders.
    pub(in crate::session) async fn launch(
        supervisor: &Supervisor,
        spec: &LaunchSpec,
        object: &DriverObject,
        folder: &PrivateDir,
    ) -> Result<Self, LaunchError> {
        let failed = |attempt| {
            move |source: io::Error| LaunchError::Failed(ShellError::system(attempt, source))
        };
        let object = object.descriptor().map_err(failed("copy a descriptor"))?;
        folder.write(BOOT_NAME, BOOT.as_bytes()).map_err(failed("write a boot script"))?;
        let (mut channel, theirs) = Channel::pair().map_err(failed("make a socket"))?;
        let (complaints, errors) = pi_process::sys::pipe().map_err(failed("make a pipe"))?;
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
            // Its end of the socket is closed before its end is reported, and what it said is in the pipe by then.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                drop(tokio::time::timeout(GREETING_LIMIT, child.exited()).await);
                Err(complaint_in(&complaints, child.exit_status()))
            }
            Err(error) => Err(error.to_string()),
        };
        let shell = Self::over(child, channel, false);
        let unfit = match greeting {
            // A wrapper that starts another process and waits for it: its answers would not be believed.
            Ok(greeting) if greeting.pid != shell.child.pid() => {
                format!("{} starts another process that is the bash", spec.shell.display())
            }
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
        Self { child, channel, sequence, owes_pid: is_copy, owes_answer: false, pair: None }
    }

    /// The process.
    pub(in crate::session) fn child(&self) -> &Child {
        &self.child
    }

    /// Whether it takes an order: it lives, and no order of before was left without an answer. A killed one whose debugger
    /// keeps it from being reaped has reported no end.
    pub(super) fn is_alive(&self) -> bool {
        !self.owes_answer && self.child.exit_status().is_none()
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
        self.sequence = self.sequence.wrapping_add(1);
        let own_pid = order.own_pid || self.owes_pid;
        let order = RunOrder { own_pid, has_errors: errors.is_some(), ..*order };
        let encoded = order.encode(self.sequence);
        let file = encoded.file.map(|text| text_file(&text)).transpose()?;
        let file = file.as_ref().map(OwnedFd::as_fd);
        let descriptors: Vec<BorrowedFd<'_>> =
            [Some(output), errors, file].into_iter().flatten().collect();
        self.channel.send(&encoded.message, &descriptors)?;
        self.owes_pid = false;
        self.owes_answer = true;
        Ok(self.sequence)
    }

    /// Has it leave a copy that takes orders from `socket`.
    pub(super) fn leave_copy(&mut self, socket: &OwnedFd) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        self.channel.send(&protocol::fork_order(self.sequence, false), &[socket.as_fd()])
    }

    /// Runs a text of our own, whose output has no reader, and stops it after `stop_after`, where that is given.
    pub(super) async fn ask(
        &mut self,
        order: &RunOrder<'_>,
        stop_after: Option<Duration>,
    ) -> io::Result<Heard> {
        let nothing = nowhere()?;
        self.ask_into(order, nothing.as_fd(), stop_after).await
    }

    /// The same with its output.
    pub(super) async fn ask_into(
        &mut self,
        order: &RunOrder<'_>,
        output: BorrowedFd<'_>,
        stop_after: Option<Duration>,
    ) -> io::Result<Heard> {
        let sequence = self.run(order, output, None)?;
        let child = self.child.clone();
        let mut running = Running::new(self, sequence);
        if let Some(moment) = stop_after {
            tokio::time::sleep(moment).await;
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
        let order = RunOrder { command: text, cwd, ..RunOrder::default() };
        Ok(match self.ask(&order, None).await? {
            // A shell that may change nothing of itself any more cannot be given what a session has.
            Heard::Ended(Ended { options, .. }) if options.contains('r') => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Heard::Ended(ended) => Ok(ended),
            Heard::Refused(errno) => Err(errno),
        })
    }

    /// Kills it, and waits a moment for its end.
    pub(super) async fn end(self) {
        let process = self.child.identity();
        drop(pi_process::tree::signal(process, libc::SIGKILL));
        let dead = async {
            while pi_process::tree::is_alive(process) {
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
            // A debugger that has hold of it may keep it a zombie for ever.
            tokio::time::sleep(REAP_LIMIT).await;
        };
        tokio::select! {
            biased;
            _ = self.child.exited() => {}
            () = dead => {}
            () = tokio::time::sleep(GREETING_LIMIT) => {}
        }
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
                Ok(message) => {
                    if let Some(heard) = self.answer_in(message) {
                        return heard;
                    }
                }
                Err(error) => {
                    self.note_end(&error);
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
                    self.note_end(&error);
                    return None;
                }
            }
        }
    }

    /// Whether the shell is dead, and nothing was heard of its end: a debugger keeps it from being reaped.
    pub(in crate::session) fn is_kept_dead(&self) -> bool {
        let child = &self.shell.child;
        self.stage.is_end_of_shell()
            && child.exit_status().is_none()
            && !pi_process::tree::is_alive(child.identity())
    }

    /// The answer of a shell that is dead, where there is one, and else whether it ended before it read the order.
    pub(in crate::session) fn last_words(&mut self) -> Result<Heard, bool> {
        // First: what else has its socket, a subshell or a copy that is being made, may close it at this moment.
        let is_unread = self.shell.channel.has_unread_order();
        self.heard_now().ok_or(is_unread || self.is_unread)
    }

    fn note_end(&mut self, error: &io::Error) {
        // The kernel's word for what lay unread at the other end (`unix(7)`).
        self.is_unread |= error.kind() == io::ErrorKind::ConnectionReset;
        self.stage.note_end_of_shell();
    }

    fn answer_in(&mut self, message: Message) -> Option<Heard> {
        let (sequence, heard) = match message.report {
            Report::Ended { sequence, ended } => (sequence, Heard::Ended(ended)),
            Report::Refused { sequence, errno } => (sequence, Heard::Refused(errno)),
            _ => return None,
        };
        // Whoever else has the socket, a subshell, does not speak for the shell.
        if (message.pid, sequence) != (self.shell.child.pid(), self.sequence) {
            return None;
        }
        self.stage.note_answer();
        self.shell.owes_answer = false;
        Some(heard)
    }
}

fn nowhere() -> io::Result<OwnedFd> {
    Ok(File::options().read(true).write(true).open("/dev/null")?.into())
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

/// What bash said before it ended, or how it ended where it said nothing.
fn complaint_in(pipe: &OwnedFd, exit: Option<ChildExit>) -> String {
    let mut bytes = [0; COMPLAINT_BYTES];
    let waiting = crate::source::bytes_in_pipe(pipe);
    let length = if waiting > 0 { rustix::io::read(pipe, &mut bytes).unwrap_or(0) } else { 0 };
    let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).trim().to_owned();
    match exit.and_then(fault_in) {
        _ if !text.is_empty() => text,
        Some(signal) => {
            format!("bash died of {} before it took orders", signals::name_of_fault(signal))
        }
        None => "bash ended before it took orders".to_owned(),
    }
}
