//! Whether a bash and the driver fit: tried in a shell of its own before the first session has it, and remembered for
//! each pair of files as long as this process lives.
//!
//! Bash promises no binary interface. What is tried here is where the driver depends on one: the ways in which a command
//! leaves bash's own functions by a jump, the stop, and the fork. See docs/decisions/0010-bash-driver.md.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_process::private_dir::PrivateDir;
use pi_process::spared::Spared;
use pi_process::stop::{self, ShellTarget, StopPlan};
use pi_process::supervisor::Supervisor;
use pi_process::sys::signals::{self, KILL};
use pi_process::{ResourceLimits, Turn, lock, tree};

use super::channel::Channel;
use super::faults::fault_in;
use super::object::DriverObject;
use super::protocol::{Ended, RunOrder};
use super::shell::{DrivenShell, Heard, LaunchError};
use crate::session::kind::DriverState;
use crate::session::launch::LaunchSpec;

/// Texts with the status that each has to end with; those after one find what it left.
const TRIALS: [(&str, i32); 6] = [
    ("V=kept; set -- a b; f() { local y=1; \\exit 3; }; f; V=no", 3),
    ("set -e; f() { local y=1; \\false; V=no; }; f; V=no", 1),
    ("set -u; f() { local y=1; : $pi_unset; V=no; }; f; V=no", 1),
    ("set +u; x=$(\\exit 7)", 7),
    ("V=no; ) ", 2),
    ("[[ $V == kept && $# == 2 && -z $x${y-} && $- != *[eu]* && $BASH_SUBSHELL == 0 ]]", 0),
];

/// A text that only a stop ends.
const ENDLESS: &str = "while :; do :; done";

/// Texts in the midst of which a doubted bash is stopped: where it forks, has descriptors of its own open, or is deep in
/// functions. What they start ends by itself.
const STOPPED: [&str; 5] = [
    ENDLESS,
    "for i in {1..3000}; do coproc cat; done",
    "while :; do x=$(:); done",
    "while :; do read -r x <<<y; . <(echo :); done",
    "f() { local a=1; while :; do g; done; }; g() { local b=2; : {1..9}; }; f",
];

/// How often in each, a millisecond later each time.
const STOPS: u64 = 8;

/// Deaths of a bash by a fault that no command can have caused, from which on it is not kept.
const MAX_FAULTS: u32 = 2;

/// Trials at length that a pair passes, after which a command's fault is that of the command: each takes a part of a second.
const ENOUGH_TRIALS: u32 = 3;

/// What tells a file from one that took its place; a modification time does not where a system sets all to the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileKey {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl FileKey {
    fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// A bash, a driver, and what else may keep the one from loading the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) struct Pair {
    /// Its path too: `rbash` is the same file.
    shell: (PathBuf, FileKey),
    driver: FileKey,
    /// What is in the driver: where inode, size and times are those of another store, they may be the same.
    digest: u64,
    in_sandbox: bool,
    limits: ResourceLimits,
    /// The variables that the dynamic loader reads.
    loader: Vec<(OsString, OsString)>,
}

impl Pair {
    fn of(spec: &LaunchSpec, object: &DriverObject) -> Option<Self> {
        let is_for_loader =
            |(name, _): &&(OsString, OsString)| name.as_encoded_bytes().starts_with(b"LD_");
        Some(Self {
            shell: (spec.shell.clone(), FileKey::of(&std::fs::metadata(&spec.shell).ok()?)),
            driver: FileKey::of(object.metadata()),
            digest: object.digest().ok()?,
            in_sandbox: spec.sandbox.is_some(),
            limits: spec.limits,
            loader: spec.env.iter().filter(is_for_loader).cloned().collect(),
        })
    }
}

/// Whether they fit, or why not.
type Fit = Result<(), String>;

/// What was found out of a pair.
struct Known {
    /// None where the files cannot be distinguished from others.
    pair: Option<Pair>,
    fit: Fit,
    /// A bash of it died by a fault since: the next one is tried first.
    is_doubted: bool,
    /// How many did where no command can have caused it.
    faults: u32,
    /// Trials that it passed after such a doubt.
    cleared: u32,
}

impl Known {
    fn has_files_of(&self, pair: &Pair) -> bool {
        self.pair.as_ref().is_some_and(|one| {
            (&one.shell, &one.driver, one.digest) == (&pair.shell, &pair.driver, pair.digest)
        })
    }
}

/// Whose turn it is to try one. Hundreds of sessions that begin together would try the same bash hundreds of times.
static TURN: Turn = Turn::new();

/// The newest last.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn with_known<T>(read: impl FnOnce(&mut Vec<Known>) -> T) -> T {
    read(&mut lock(&KNOWN))
}

/// Whether sessions can have the driver, as far as it was tried.
pub(in crate::session) fn state() -> DriverState {
    with_known(|known| match known.last().map(|one| &one.fit) {
        None => DriverState::Untried,
        Some(Ok(())) => DriverState::Fits,
        Some(Err(reason)) => DriverState::Unfit(reason.clone()),
    })
}

/// What is known of a pair, and whether it is doubted.
fn fit_of(pair: &Pair) -> Option<(Fit, bool)> {
    with_known(|known| {
        let has_died = |one: &&Known| one.faults >= MAX_FAULTS && one.has_files_of(pair);
        let one = known
            .iter()
            .find(has_died)
            .or_else(|| known.iter().find(|one| one.pair.as_ref() == Some(pair)))?;
        Some((one.fit.clone(), one.is_doubted))
    })
}

/// The newest takes the place of an older one of the same pair, and of those whose files cannot be distinguished.
fn note_fit(pair: Option<Pair>, fit: Fit) {
    with_known(|known| {
        let older = known.iter().position(|one| one.pair == pair).map(|at| known.remove(at));
        let (faults, cleared) = older.map_or((0, 0), |older| {
            (older.faults, older.cleared + u32::from(older.is_doubted && fit.is_ok()))
        });
        known.push(Known { pair, fit, is_doubted: false, faults, cleared });
    });
}

/// The next bash of this pair is tried before it is kept.
fn doubt(pair: &Pair) {
    with_known(|known| {
        for one in known.iter_mut().filter(|one| one.has_files_of(pair)) {
            one.is_doubted = true;
        }
    });
}

/// A bash of this pair died by the signal of a fault. `is_own`: no command can have caused it.
pub(super) fn note_fault(pair: &Pair, signal: i32, is_own: bool) {
    with_known(|known| {
        for one in known.iter_mut().filter(|one| one.fit.is_ok() && one.has_files_of(pair)) {
            one.is_doubted |= is_own || one.cleared < ENOUGH_TRIALS;
            one.faults += u32::from(is_own);
            if one.faults >= MAX_FAULTS {
                one.fit = Err(died_of(pair, signal));
            }
        }
        // What was found out last is what is reported.
        known.sort_by_key(|one| one.faults >= MAX_FAULTS && one.has_files_of(pair));
    });
}

fn died_of(pair: &Pair, signal: i32) -> String {
    format!(
        "{} died of {} with the driver, {MAX_FAULTS} times, while it ran no command; set `shell` to another bash",
        pair.shell.0.display(),
        signals::name_of_fault(signal)
    )
}

/// Why a bash of such a session is not kept, as far as that is known before one is started.
pub(super) fn why_not_kept(spec: &LaunchSpec) -> Option<String> {
    let Some(driver) = &spec.driver else {
        return Some("no bash driver is installed; install `@pi-bash/bash-driver`".to_owned());
    };
    let object = match open(driver) {
        Ok(object) => object,
        Err(reason) => return Some(reason),
    };
    // It is read only where some bash does not take some driver.
    if with_known(|known| known.iter().all(|one| one.fit.is_ok())) {
        return None;
    }
    fit_of(&Pair::of(spec, &object)?)?.0.err()
}

/// Opens the object; that it is refused is what was found out last.
fn open(driver: &Path) -> Result<DriverObject, String> {
    DriverObject::open(driver).inspect_err(|reason| note_fit(None, Err(reason.clone())))
}

/// Starts a bash that takes orders, where it is one that fits.
pub(in crate::session) async fn launch(
    supervisor: &Supervisor,
    spec: &LaunchSpec,
    driver: &Path,
    folder: &PrivateDir,
) -> Result<DrivenShell, LaunchError> {
    let object = open(driver).map_err(LaunchError::Unfit)?;
    let pair = Pair::of(spec, &object);
    let known = || {
        let (fit, is_doubted) = pair.as_ref().and_then(fit_of)?;
        (fit.is_err() || !is_doubted).then_some(fit)
    };
    let fit = TURN
        .known_or(known, async || {
            let is_doubted = pair.as_ref().and_then(fit_of).is_some();
            let fit = match try_out(supervisor, spec, &object, folder, is_doubted).await {
                Ok(()) => Ok(()),
                Err(LaunchError::Unfit(reason)) => Err(reason),
                Err(failed) => return Err(failed),
            };
            note_fit(pair.clone(), fit.clone());
            Ok(fit)
        })
        .await?;
    if let Err(reason) = fit {
        return Err(LaunchError::Unfit(reason));
    }
    let launched = DrivenShell::launch(supervisor, spec, &object, folder).await;
    // It did fit: something else than the files has changed.
    if let (Err(LaunchError::Unfit(_)), Some(pair)) = (&launched, &pair) {
        doubt(pair);
    }
    let mut shell = launched?;
    shell.pair = pair;
    Ok(shell)
}

/// Tries a bash; `at_length` where one of its kind died by a fault.
async fn try_out(
    supervisor: &Supervisor,
    spec: &LaunchSpec,
    object: &DriverObject,
    folder: &PrivateDir,
    at_length: bool,
) -> Result<(), LaunchError> {
    let mut spec = spec.clone();
    // One that fails leaves no dump of its memory.
    spec.limits.core_size = None;
    // Of a session that has lost its shell these are survivors, which are none of the trial's.
    let older = tree::descendants(supervisor.pid()).iter().map(|entry| entry.identity).collect();
    let mut shell = DrivenShell::launch(supervisor, &spec, object, folder).await?;
    let mut tried = try_all(&mut shell).await;
    if at_length && tried.is_ok() {
        tried = try_stops(&mut shell).await;
    }
    let fault = shell.child().exit_status().and_then(fault_in);
    let plan = StopPlan {
        supervisor: supervisor.pid(),
        shell: ShellTarget::Main(shell.child().clone()),
        is_beside: false,
        spared: Arc::new(Spared::default),
        report: None,
        older,
    };
    shell.end().await;
    if at_length {
        // What the stopped texts left.
        drop(stop::stop(&plan).await);
    }
    tried.map_err(|what| {
        let fault = fault.map(|signal| format!(", dead of {}", signals::name_of_fault(signal)));
        LaunchError::Unfit(format!(
            "{} failed the trial: {what}{}",
            spec.shell.display(),
            fault.unwrap_or_default()
        ))
    })
}

async fn try_all(shell: &mut DrivenShell) -> Result<(), String> {
    for (text, expected) in TRIALS {
        let order = RunOrder { command: text, ..RunOrder::default() };
        match shell.ask(&order, None).await {
            Ok(Heard::Ended(Ended { status, .. })) if status == expected => {}
            Ok(Heard::Ended(Ended { status, .. })) => {
                return Err(format!("`{text}` ended with {status}, not {expected}"));
            }
            Ok(Heard::Refused(errno)) => return Err(format!("`{text}` was refused: {errno}")),
            Err(error) => return Err(format!("`{text}`: {error}")),
        }
    }
    stop_in(shell, ENDLESS, Duration::ZERO).await?;
    copy_of(shell).await.map_err(|error| format!("a copy: {error}"))
}

/// Stops it at other moments over and over, and looks whether it is still itself.
async fn try_stops(shell: &mut DrivenShell) -> Result<(), String> {
    for text in STOPPED {
        for after in 0..STOPS {
            stop_in(shell, text, Duration::from_millis(after)).await?;
        }
    }
    try_all(shell).await
}

async fn stop_in(shell: &mut DrivenShell, text: &str, after: Duration) -> Result<(), String> {
    let order = RunOrder { command: text, ..RunOrder::default() };
    let stopped = shell.ask(&order, Some(after)).await;
    stopped.map(drop).map_err(|error| format!("a stop of `{text}`: {error}"))
}

async fn copy_of(shell: &mut DrivenShell) -> std::io::Result<()> {
    let (mut channel, theirs) = Channel::pair()?;
    shell.leave_copy(&theirs)?;
    drop(theirs);
    let greeting = channel.greeting().await?;
    if let Some(copy) = tree::identity_of(greeting.pid) {
        tree::signal(copy, KILL)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "fit_cases.rs"]
mod cases;
