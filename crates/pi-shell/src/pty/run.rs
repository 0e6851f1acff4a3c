//! One program on its terminal: start, follow, stop, and everything that is left to read.
//!
//! # Theory of operation
//! The supervisor starts the program as leader of a session whose controlling terminal is ours, so
//! its tree is found, killed and reaped as that of any other command, also when the host dies.
//!
//! The end is the leader's own end, never the end of file: a daemon may hold the terminal open for
//! ever. What was written before is read to the last byte, for as long as the consumer takes;
//! after a stop, and past the deadline, the consumer's time is bounded. Then nothing is left of
//! the tree: a terminal that is gone has no background.
//!
//! The programs' end is held open here until the leader ended, so that reading meets no end of
//! file while the program has its streams closed and opens `/dev/tty` later.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use pi_process::deadline::{Deadline, until};
use pi_process::private_dir::PrivateDir;
use pi_process::supervisor::{Child, ChildExit, SpawnFailure, SpawnRequest, SpawnStep, Supervisor};
use pi_sandbox::{Egress, Enclosure, Sandbox, SandboxOptions, SessionPaths};
use pi_waiting::{Report, TerminalIdentity};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::PtyError;
use super::gather::Gather;
use super::hang_up::hang_up;
use super::looking::Looking;
use super::options::Launch;
use super::terminal::{self, Terminal};
use super::{Controls, OnStart, PtyResult};
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::Clock;
use crate::observer::Observer;
use crate::outcome::ExitOutcome;
use crate::source::ReadOutcome;

/// Bytes read at once, eight of the kernel's own buffers.
const READ_BYTES: usize = 32_768;

/// Time that a slow consumer gets for the rest of a program that ended past its deadline, or that
/// the caller has lost interest in.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// The same after a stop, which has used up most of the grace itself.
const STOPPED_DRAIN_LIMIT: Duration = Duration::from_millis(500);

/// Time for the supervisor to kill and reap what the leader left: milliseconds, unless the kernel
/// holds a process.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// Silence after which a terminal that someone outside of the tree holds open counts as read.
const HELD_LIMIT: Duration = Duration::from_millis(500);

/// Most bytes that can be in the kernel when the tree is dead: 64 KiB on their way and a line
/// discipline's 4 KiB (`tty_buffer.c`, `n_tty.c`), with room for other systems. What comes beyond
/// them is someone else's.
const KERNEL_BYTES: usize = 262_144;

/// Runs `launch` to its end.
pub(super) async fn run(
    launch: Launch,
    controls: &Controls,
    observer: Arc<dyn Observer>,
    on_start: Option<OnStart>,
) -> Result<PtyResult, PtyError> {
    let not_run = |outcome| PtyResult { outcome, sandbox: None, usage: None };
    let deadline = Clock::start(launch.timeout).deadline();
    let started = tokio::select! {
        biased;
        () = controls.cancel.cancelled() => return Ok(not_run(ExitOutcome::Cancelled)),
        // A program on a dead network file system takes as long as it likes to start.
        () = deadline.come() => return Ok(not_run(ExitOutcome::TimedOut)),
        started = Program::start(launch, controls) => started?,
    };
    if let Some(on_start) = on_start {
        on_start(started.leader.pid());
    }
    let sandbox = started.room.as_ref().map(|room| {
        let refusals = room.egress.as_ref().map(Egress::refusals);
        (room.sandbox.report().clone(), room.enclosure.plants(), refusals)
    });
    let identity = started.held.as_ref().filter(|_| observer.wants_quiet());
    let identity = identity.and_then(|held| TerminalIdentity::of(held).ok());
    let looking =
        Looking::new(&started.terminal, identity, started.supervisor.pid(), controls.input.total());
    let outflow = Delivery::new(Arc::clone(&observer), None);
    let mut run = Run { program: started, controls, outflow, observer, looking, deadline };
    let outcome = run.follow().await;
    run.finish(outcome).await;
    let sandbox = match sandbox {
        Some((report, plants, refusals)) => {
            Some(report.with_refused(refusals.as_deref()).with_plants(plants).await)
        }
        None => None,
    };
    Ok(PtyResult { outcome, sandbox, usage: run.program.leader.usage().await })
}

/// A program and its terminal.
struct Program {
    terminal: Arc<Terminal>,
    /// The programs' end, which stays open until the leader ended.
    held: Option<OwnedFd>,
    supervisor: Supervisor,
    leader: Child,
    /// Held until nothing of the tree is left.
    room: Option<Room>,
}

/// What a program in a sandbox has of its own.
struct Room {
    sandbox: Arc<Sandbox>,
    enclosure: Enclosure,
    /// Its proxy, where its network has rules; started after the supervisor.
    egress: Option<Egress>,
    folder: PrivateDir,
}

impl Room {
    async fn open(
        wanted: &SandboxOptions,
        executable: &Path,
        cwd: &Path,
        terminal: Option<PathBuf>,
    ) -> Result<Self, ShellError> {
        let sandbox = Sandbox::open(wanted, executable).await?;
        let folder = PrivateDir::create()?;
        let enclosure = sandbox.enclose(&SessionPaths {
            executable,
            folder: folder.path(),
            state: &folder.state(),
            temporary: &folder.temporary(),
            visible: vec![cwd.to_path_buf()],
            terminal,
        })?;
        Ok(Self { sandbox, enclosure, egress: None, folder })
    }
}

impl Program {
    async fn start(launch: Launch, controls: &Controls) -> Result<Self, PtyError> {
        let (terminal, held) = Terminal::open(controls.size())?;
        let mut room = match &launch.sandbox {
            Some(wanted) => {
                let own = terminal::path_of(&held);
                Some(Room::open(wanted, &launch.supervisor, &launch.cwd, own).await?)
            }
            None => None,
        };
        let surroundings = room.as_ref().map(|room| &room.enclosure.surroundings);
        let folder = room.as_ref().map(|room| room.folder.path());
        let supervisor = Supervisor::launch(&launch.supervisor, folder, surroundings)
            .await
            .map_err(ShellError::from)?;
        if let Some(room) = &mut room {
            room.egress = Egress::start(&room.sandbox, &supervisor).map_err(ShellError::from)?;
        }
        let copy =
            || held.try_clone().map_err(|source| ShellError::system("copy a descriptor", source));
        let Launch { argv, mut env, cwd, too_large, .. } = launch;
        if let Some(room) = &room {
            env.retain(|(name, _)| name != "TMPDIR");
            env.push(("TMPDIR".into(), room.enclosure.temporary.clone().into_os_string()));
        }
        let name = argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let request = SpawnRequest {
            argv,
            env,
            cwd: cwd.clone(),
            descriptors: vec![copy()?, copy()?, copy()?],
            controlling_terminal: true,
            ..SpawnRequest::default()
        };
        let leader = supervisor.spawn(request).await.map_err(|failure| {
            if failure.is_too_large() {
                too_large.into()
            } else {
                spawn_error(&name, &cwd, failure)
            }
        })?;
        let terminal = Arc::new(terminal);
        controls.attach(&terminal, &leader);
        Ok(Self { terminal, held: Some(held), supervisor, leader, room })
    }
}

/// A program that is followed.
struct Run<'a> {
    program: Program,
    controls: &'a Controls,
    outflow: Delivery,
    observer: Arc<dyn Observer>,
    looking: Looking,
    deadline: Deadline,
}

enum Event {
    Cancelled,
    Deadline,
    Ended(ChildExit),
    Stopped,
    Read(ReadOutcome),
    Taken,
    Due,
    Typed,
    Quiet(Report),
}

impl Run<'_> {
    /// Reads until the leader has ended, by itself or by us.
    async fn follow(&mut self) -> ExitOutcome {
        let mut buffer = vec![0_u8; READ_BYTES];
        let mut stopping = None;
        let mut is_open = true;
        let mut gather = Gather::new(Instant::now());
        let Program { terminal, supervisor, leader, .. } = &self.program;
        let mut typing = pin!(self.controls.input.pump(terminal));
        let mut ended = pin!(leader.exited());
        let mut ladder = pin!(hang_up(supervisor, leader));
        loop {
            let event = {
                let is_ready = self.outflow.is_ready();
                tokio::select! {
                    biased;
                    () = self.controls.cancel.cancelled(), if stopping.is_none() => Event::Cancelled,
                    exit = &mut ended, if stopping.is_none() => Event::Ended(exit),
                    () = self.deadline.come(), if stopping.is_none() => Event::Deadline,
                    () = &mut ladder, if stopping.is_some() => Event::Stopped,
                    never = &mut typing => match never {},
                    () = self.outflow.drained(), if !is_ready => Event::Taken,
                    () = until(gather.due()), if gather.due().is_some() => Event::Due,
                    read = terminal.read(&mut buffer), if is_ready && is_open => Event::Read(read),
                    () = self.controls.input.typed() => Event::Typed,
                    report = self.looking.report(), if stopping.is_none() => Event::Quiet(report),
                }
            };
            match event {
                Event::Cancelled => {
                    self.outflow.stopping();
                    stopping = Some(ExitOutcome::Cancelled);
                }
                Event::Deadline => {
                    if !self.deadline.extend_if_late() {
                        self.outflow.stopping();
                        stopping = Some(ExitOutcome::TimedOut);
                    }
                }
                Event::Ended(exit) => return exit.into(),
                Event::Stopped => return stopping.unwrap_or(ExitOutcome::Cancelled),
                Event::Read(ReadOutcome::Data(count)) => {
                    self.looking.stir();
                    let at_once = gather.is_sent_at_once(count, Instant::now());
                    self.outflow.push_part(buffer.get(..count).unwrap_or_default(), at_once);
                }
                Event::Due => {
                    gather.sent();
                    self.outflow.flush();
                }
                Event::Read(_) => is_open = false,
                Event::Typed => self.looking.stir(),
                Event::Quiet(report) => self.observer.quiet(report),
                Event::Taken => {}
            }
        }
    }

    /// Ends what the leader left, reads the rest, and waits until it was taken.
    async fn finish(&mut self, outcome: ExitOutcome) {
        self.program.held = None;
        let Self { program, controls, outflow, deadline, .. } = self;
        let Program { terminal, supervisor, .. } = program;
        let is_stopped = outcome.is_stop();
        let limit = if is_stopped {
            Some(Instant::now() + STOPPED_DRAIN_LIMIT)
        } else {
            deadline.and(DRAIN_LIMIT)
        };
        let patience = async {
            tokio::select! {
                () = until(limit) => {}
                // The caller has lost interest in a program that ended by itself.
                () = controls.cancel.cancelled(), if !is_stopped => {
                    tokio::time::sleep(DRAIN_LIMIT).await;
                }
            }
        };
        let tree_is_dead = CancellationToken::new();
        let closing = async {
            supervisor.close(CLOSE_LIMIT).await;
            tree_is_dead.cancel();
        };
        let reading = async {
            tokio::select! {
                () = read_rest(terminal, outflow, &tree_is_dead) => {}
                () = patience => {}
            }
        };
        tokio::join!(closing, reading);
    }
}

/// Reads to the end of what the tree wrote, and waits until all of it was taken.
async fn read_rest(terminal: &Terminal, outflow: &mut Delivery, tree_is_dead: &CancellationToken) {
    let mut buffer = vec![0_u8; READ_BYTES];
    let mut rest = KERNEL_BYTES;
    while rest > 0 {
        outflow.drained().await;
        let silence = async {
            tree_is_dead.cancelled().await;
            tokio::time::sleep(HELD_LIMIT).await;
        };
        let read = tokio::select! {
            biased;
            read = terminal.read(&mut buffer) => read,
            () = silence => break,
        };
        let ReadOutcome::Data(count) = read else { break };
        outflow.push(buffer.get(..count).unwrap_or_default());
        if tree_is_dead.is_cancelled() {
            rest = rest.saturating_sub(count);
        }
    }
    outflow.end();
    outflow.flush();
    outflow.drained().await;
}

/// What a failed start means to the caller.
fn spawn_error(program: &str, cwd: &Path, failure: SpawnFailure) -> PtyError {
    match failure.step {
        SpawnStep::ChangeDirectory => {
            ShellError::of_directory(cwd.to_path_buf(), failure.source).into()
        }
        SpawnStep::Execute | SpawnStep::Interpreter => {
            PtyError::Spawn { reason: format!("`{program}`: {}", failure.source) }
        }
        _ => PtyError::Spawn { reason: failure.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_failed_is_explained_by_its_step() {
        let explained = |step| {
            let failure = SpawnFailure { step, source: std::io::ErrorKind::NotFound.into() };
            spawn_error("vim", Path::new("/gone"), failure).to_string()
        };

        let folder = explained(SpawnStep::ChangeDirectory);
        assert_eq!(folder, "Working directory does not exist: /gone");
        for step in [SpawnStep::Execute, SpawnStep::Interpreter] {
            let program = explained(step);
            assert!(program.starts_with("Failed to spawn PTY command: `vim`: "), "{program}");
        }
        let other = explained(SpawnStep::Descriptors);
        assert!(other.contains("cannot start the program (Descriptors)"), "{other}");
    }
}
