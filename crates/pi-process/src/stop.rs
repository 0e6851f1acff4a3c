//! Stops a running command, politely first. The durations are in `budget`.
//!
//! # Theory of operation
//! The shell itself is signalled first: one with the driver by the driver's signal, after which it lives on, any other by
//! SIGTERM, after which it ends and writes its state down. So no later statement of the script runs.
//! The processes of the command follow a ladder, SIGINT, SIGTERM, SIGKILL, from the first rung that
//! they do not ignore. Each rung stops all of them, signals all of them and lets them go on
//! together: a subshell whose child dies first would go on to its next statement. Targets are found again on each round by descent from the
//! supervisor, never by process group alone: programs make groups of their own.
//!
//! Older background jobs, standbys and copies of the session are no targets.

use std::collections::{HashMap, HashSet};
#[cfg(target_os = "linux")]
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::budget::{GIVE_UP_AFTER, KILL_AFTER, SHELL_KILL_AFTER, TERMINATE_AFTER};
use crate::spared::{Look, SparedNow, look_below};
use crate::supervisor::Child;
use crate::sys::signals::{CONTINUE, INTERRUPT, KILL, STOP, TERMINATE};
use crate::tree::{self, ProcessEntry, ProcessIdentity};

/// The driver's own signal: `PI_STOP_SIGNAL` in bash-driver/protocol.h.
#[cfg(target_os = "linux")]
pub const DRIVER_STOP_SIGNAL: i32 = 32;

/// Rounds of one freeze: each finds the processes that were born during the one before.
const FREEZE_ROUNDS: usize = 200;

/// Whom a stop is about.
#[derive(Clone)]
pub struct StopPlan {
    /// Root of the session's tree.
    pub supervisor: i32,
    /// The shell of the command; signalled first.
    pub shell: ShellTarget,
    /// The session runs something else meanwhile: only what is below the shell is the command's.
    pub is_beside: bool,
    /// Processes that are no targets, with everything below them.
    pub spared: SparedNow,
    /// Device and inode of the socket on which the driver answers; none without a driver.
    pub report: Option<(libc::dev_t, u64)>,
    /// Processes that lived before the command; they and their children are no targets.
    pub older: HashSet<ProcessIdentity>,
}

/// A shell that the driver stops, and that goes on afterwards.
#[cfg(target_os = "linux")]
#[derive(Clone)]
pub struct DrivenTarget {
    /// The shell itself.
    pub child: Child,
    /// Which order is to be stopped.
    pub sequence: u32,
    /// How far its command has come.
    pub stage: Arc<Stage>,
}

/// What has become of a driven shell's command. It begins as one that runs.
#[cfg(target_os = "linux")]
#[derive(Default)]
pub struct Stage(AtomicU8);

#[cfg(target_os = "linux")]
impl Stage {
    const DONE: u8 = 1;
    const NOT_A_SHELL: u8 = 2;

    /// The shell has answered.
    pub fn note_answer(&self) {
        self.0.store(Self::DONE, Ordering::SeqCst);
    }

    /// It answers no one any more: it is dead, or another program (`exec`).
    pub fn note_end_of_shell(&self) {
        self.0.store(Self::NOT_A_SHELL, Ordering::SeqCst);
    }

    /// Whether it answers no one any more.
    pub fn is_end_of_shell(&self) -> bool {
        self.0.load(Ordering::SeqCst) == Self::NOT_A_SHELL
    }
}

#[cfg(target_os = "linux")]
impl DrivenTarget {
    fn is(&self, stage: u8) -> bool {
        self.stage.0.load(Ordering::SeqCst) == stage
    }

    /// Whether what has its pid lives, and is not the shell any more.
    fn is_another_program(&self) -> bool {
        self.is(Stage::NOT_A_SHELL) && self.child.exit_status().is_none()
    }

    /// Has bash give its command up.
    pub fn interrupt(&self) {
        let shell = self.child.identity();
        // One that is gone needs none.
        drop(tree::queue_signal(shell, DRIVER_STOP_SIGNAL, self.sequence));
    }
}

/// The shell that runs the command to stop.
#[derive(Clone)]
pub enum ShellTarget {
    /// One that ends with its command, a child of the supervisor.
    Main(Child),
    /// One with the driver: the session's own or a copy.
    #[cfg(target_os = "linux")]
    Driven(DrivenTarget),
}

impl ShellTarget {
    /// Which process the shell is.
    pub fn identity(&self) -> ProcessIdentity {
        match self {
            Self::Main(child) => child.identity(),
            #[cfg(target_os = "linux")]
            Self::Driven(target) => target.child.identity(),
        }
    }

    /// Whether it is over with the command.
    fn is_done(&self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Self::Driven(target) => {
                target.is(Stage::DONE)
                    || target.child.exit_status().is_some()
                    // Its debugger may keep it from being reaped.
                    || target.is(Stage::NOT_A_SHELL) && !tree::is_alive(target.child.identity())
            }
            Self::Main(child) => child.exit_status().is_some(),
        }
    }

    /// Whether it outlives the command that is stopped.
    fn lives_on(&self) -> bool {
        !matches!(self, Self::Main(_))
    }

    /// Has one that lives on give its command up, also one that was stopped.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(clippy::unused_self, reason = "none lives on there")
    )]
    fn interrupt_and_resume(&self) {
        #[cfg(target_os = "linux")]
        if let Self::Driven(target) = self {
            // What is another program by now is ended as one.
            if !target.is(Stage::NOT_A_SHELL) {
                target.interrupt();
            }
            signal_quietly(self.identity(), CONTINUE);
        }
    }
}

/// Whom the ladder is for at one look.
struct Targets {
    found: Vec<ProcessIdentity>,
    /// As in [`Look`].
    is_whole: bool,
}

impl StopPlan {
    /// Whom the ladder is for: the command's processes, its shell where that has become another program, and what lives of
    /// the `known` ones. A process that lost its parent is the supervisor's child: beside the session only its
    /// identity tells whose it is, and what it has started since is found below it.
    fn find_targets(&self, known: &HashSet<ProcessIdentity>) -> Targets {
        let Look { found, mut is_whole } = self.look();
        let mut found: Vec<_> = found.into_iter().map(|entry| entry.identity).collect();
        #[cfg(target_os = "linux")]
        if let ShellTarget::Driven(target) = &self.shell
            && target.is_another_program()
        {
            found.push(self.shell.identity());
        }
        let lost = known.iter().filter(|one| !found.contains(one) && tree::is_alive(**one));
        for one in lost.copied().collect::<Vec<_>>() {
            found.push(one);
            if self.is_beside {
                let below =
                    look_below(one.pid, || (self.spared)(), &self.older, self.shell.identity().pid);
                is_whole &= below.is_whole;
                let new = below.found.into_iter().map(|entry| entry.identity);
                let new: Vec<_> = new.filter(|one| !found.contains(one)).collect();
                found.extend(new);
            }
        }
        Targets { found, is_whole }
    }

    /// The living processes of the command, parents before children, without its shell.
    pub fn targets(&self) -> Vec<ProcessEntry> {
        self.look().found
    }

    fn look(&self) -> Look {
        let shell = self.shell.identity();
        let root = if self.is_beside { shell.pid } else { self.supervisor };
        look_below(root, || (self.spared)(), &self.older, shell.pid)
    }

    /// What lives of the command once it has ended. Beside the session, that is what is below its
    /// shell and what has lost its parent, which others may have left as well.
    pub fn left_behind(&self) -> Vec<ProcessEntry> {
        let mut found = self.targets();
        if self.is_beside {
            let shell = self.shell.identity().pid;
            let beside = look_below(self.supervisor, || (self.spared)(), &self.older, shell);
            found.extend(beside.found);
        }
        found
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rung {
    Interrupt,
    Terminate,
    Kill,
}

impl Rung {
    fn signal(self) -> i32 {
        match self {
            Self::Interrupt => INTERRUPT,
            Self::Terminate => TERMINATE,
            Self::Kill => KILL,
        }
    }

    /// The first one, from this one on, that a process does not ignore: it would only be waited for in vain.
    fn heeded_by(self, pid: i32) -> Self {
        let heeded = |rung: &Self| *rung == Self::Kill || !tree::ignores(pid, rung.signal());
        let from_here = [self, self.max(Self::Terminate)];
        from_here.into_iter().find(heeded).unwrap_or(Self::Kill)
    }
}

/// Ends the shell and its processes. Returns those that could not be ended.
///
/// Takes at most `GIVE_UP_AFTER`. Copies that lost their standby keep their own descendants, so
/// what a copy left behind when its shell died is followed by identity.
pub async fn stop(plan: &StopPlan) -> Vec<ProcessIdentity> {
    let start = Instant::now();
    let mut signalled: HashMap<ProcessIdentity, Rung> = HashMap::new();
    let mut known: HashSet<ProcessIdentity> = HashSet::new();
    let mut pause = Duration::from_millis(1);
    let mut quiet_rounds = 0;
    if plan.is_beside {
        // When such a shell ends, its children become the supervisor's: they are noted before.
        signal_quietly(plan.shell.identity(), STOP);
        known.extend(plan.find_targets(&known).found);
    }
    signal_shell(plan);
    let supervisor = tree::identity_of(plan.supervisor);
    loop {
        let elapsed = start.elapsed();
        if let Some(supervisor) = supervisor {
            // One that a command stopped reaps nothing and reports nothing.
            signal_quietly(supervisor, CONTINUE);
        }
        let Targets { found: mut targets, is_whole } = plan.find_targets(&known);
        known.extend(&targets);
        let is_quiet = targets.is_empty() && plan.shell.is_done();
        if is_quiet && is_whole {
            // Twice: a process between fork and its parent's death may be missed by one scan.
            quiet_rounds += 1;
            if quiet_rounds == 2 {
                return Vec::new();
            }
            tokio::task::yield_now().await;
            continue;
        }
        quiet_rounds = 0;
        if elapsed > GIVE_UP_AFTER {
            if !plan.shell.is_done() {
                targets.push(plan.shell.identity());
            }
            return targets;
        }
        if elapsed >= SHELL_KILL_AFTER && !plan.shell.is_done() {
            signal_quietly(plan.shell.identity(), KILL);
        }
        if elapsed >= KILL_AFTER {
            kill_frozen(plan, &mut known);
        } else if elapsed >= TERMINATE_AFTER {
            signal_once(&targets, Rung::Terminate, &mut signalled);
        } else {
            signal_once(&targets, Rung::Interrupt, &mut signalled);
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(Duration::from_millis(20));
    }
}

/// The shell's own signal. One that ignores SIGTERM would go on with the script when its child
/// dies, so it is killed before its children are touched.
fn signal_shell(plan: &StopPlan) {
    let shell = plan.shell.identity();
    if plan.shell.lives_on() {
        plan.shell.interrupt_and_resume();
        return;
    }
    let signal = if tree::ignores(shell.pid, TERMINATE) { KILL } else { TERMINATE };
    signal_quietly(shell, signal);
    signal_quietly(shell, CONTINUE);
}

/// Signals those that have not been sent this signal yet, all at once.
fn signal_once(
    targets: &[ProcessIdentity],
    rung: Rung,
    signalled: &mut HashMap<ProcessIdentity, Rung>,
) {
    let fresh: Vec<(ProcessIdentity, Rung)> = targets
        .iter()
        .filter(|identity| signalled.get(identity).is_none_or(|before| *before < rung))
        .map(|identity| (*identity, rung.heeded_by(identity.pid)))
        .collect();
    let steps: [fn(Rung) -> i32; 3] = [|_| STOP, Rung::signal, |_| CONTINUE];
    for step in steps {
        for (identity, heeded) in &fresh {
            signal_quietly(*identity, step(*heeded));
        }
    }
    signalled.extend(fresh);
}

/// Stops every process until a scan finds no new one, then kills them: a process that forks
/// faster than it is found would get away otherwise (PT-07).
fn kill_frozen(plan: &StopPlan, known: &mut HashSet<ProcessIdentity>) {
    let mut frozen: HashSet<ProcessIdentity> = HashSet::new();
    let shell = plan.shell.identity();
    signal_quietly(shell, STOP);
    for _ in 0..FREEZE_ROUNDS {
        let found = plan.find_targets(known).found;
        let fresh: Vec<_> = found.into_iter().filter(|one| !frozen.contains(one)).collect();
        if fresh.is_empty() {
            break;
        }
        for identity in fresh {
            signal_quietly(identity, STOP);
            frozen.insert(identity);
            known.insert(identity);
        }
    }
    if !plan.shell.lives_on() {
        signal_quietly(shell, KILL);
    }
    for identity in frozen {
        signal_quietly(identity, KILL);
    }
    // A shell whose children are gone finds that it was interrupted.
    plan.shell.interrupt_and_resume();
}

/// A process that is gone needs no signal, and one that is not ours to signal shows in the next
/// scan: neither is an error here.
fn signal_quietly(identity: ProcessIdentity, signal: i32) {
    drop(tree::signal(identity, signal));
}

#[cfg(test)]
#[path = "stop_cases.rs"]
mod cases;
