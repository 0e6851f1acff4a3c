//! Whether a bash and the driver fit: tried in a shell of its own before the first session has it, and remembered for
//! each pair of files as long as this process lives.
//!
//! Bash promises no binary interface. What is tried here is where the driver depends on one: the ways in which a command
//! leaves bash's own functions by a jump, the stop, and the fork. See docs/decisions/0010-bash-driver.md.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Mutex;

use super::channel::Channel;
use super::protocol::{Ended, RunOrder};
use super::shell::{DrivenShell, Heard, LaunchError};
use crate::locked::lock;
use crate::private_dir::PrivateDir;
use crate::session::kind::DriverState;
use crate::session::launch::LaunchSpec;
use crate::supervisor::Supervisor;
use crate::sys::signals::KILL;
use crate::tree;

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

/// What tells a file from one that took its place; a modification time does not where a system sets all to the same.
#[derive(Clone, PartialEq, Eq)]
struct FileKey {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl FileKey {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

/// Bash, driver, and whether in a sandbox, which may keep the one from loading the other.
type Pair = (FileKey, FileKey, bool);

/// Whether they fit, or why not.
type Fit = Result<(), String>;

/// What was found out, the newest last.
static KNOWN: Mutex<Vec<(Option<Pair>, Fit)>> = Mutex::new(Vec::new());

fn with_known<T>(read: impl FnOnce(&mut Vec<(Option<Pair>, Fit)>) -> T) -> T {
    read(&mut lock(&KNOWN))
}

/// Whether sessions can have the driver, as far as it was tried.
pub(in crate::session) fn state() -> DriverState {
    with_known(|known| match known.last() {
        None => DriverState::Untried,
        Some((_, Ok(()))) => DriverState::Fits,
        Some((_, Err(reason))) => DriverState::Unfit(reason.clone()),
    })
}

fn fit_of(pair: Option<&Pair>) -> Option<Fit> {
    let pair = pair?;
    with_known(|known| {
        known.iter().find(|(one, _)| one.as_ref() == Some(pair)).map(|(_, fit)| fit.clone())
    })
}

/// The newest takes the place of an older one of the same pair, and of those whose files cannot be told apart.
fn note_fit(pair: Option<Pair>, fit: Fit) {
    with_known(|known| {
        known.retain(|(one, _)| *one != pair);
        known.push((pair, fit));
    });
}

fn pair_of(spec: &LaunchSpec, driver: &Path) -> Option<Pair> {
    FileKey::of(&spec.shell)
        .zip(FileKey::of(driver))
        .map(|(shell, driver)| (shell, driver, spec.sandbox.is_some()))
}

/// Why a bash of such a session is not kept, as far as that is known before one is started.
pub(super) fn why_not_kept(spec: &LaunchSpec) -> Option<String> {
    let Some(driver) = &spec.driver else {
        return Some("no bash driver is installed; install `@pi-bash/bash-driver`".to_owned());
    };
    fit_of(pair_of(spec, driver).as_ref())?.err()
}

/// Starts a bash that takes orders, where it is one that fits.
pub(in crate::session) async fn launch(
    supervisor: &Supervisor,
    spec: &LaunchSpec,
    driver: &Path,
    folder: &PrivateDir,
) -> Result<DrivenShell, LaunchError> {
    let pair = pair_of(spec, driver);
    let mut fit = fit_of(pair.as_ref());
    if fit.is_none() {
        let tried = match try_out(supervisor, spec, driver, folder).await {
            Ok(()) => Ok(()),
            Err(LaunchError::Unfit(reason)) => Err(reason),
            Err(failed) => return Err(failed),
        };
        note_fit(pair, tried.clone());
        fit = Some(tried);
    }
    match fit {
        Some(Err(reason)) => Err(LaunchError::Unfit(reason)),
        _ => DrivenShell::launch(supervisor, spec, driver, folder).await,
    }
}

async fn try_out(
    supervisor: &Supervisor,
    spec: &LaunchSpec,
    driver: &Path,
    folder: &PrivateDir,
) -> Result<(), LaunchError> {
    let mut shell = DrivenShell::launch(supervisor, spec, driver, folder).await?;
    let tried = try_all(&mut shell).await;
    shell.end().await;
    tried.map_err(|what| {
        LaunchError::Unfit(format!("{} failed the trial: {what}", spec.shell.display()))
    })
}

async fn try_all(shell: &mut DrivenShell) -> Result<(), String> {
    for (text, expected) in TRIALS {
        let order = RunOrder { command: text, ..RunOrder::default() };
        match shell.ask(&order, false).await {
            Ok(Heard::Ended(Ended { status, .. })) if status == expected => {}
            Ok(Heard::Ended(Ended { status, .. })) => {
                return Err(format!("`{text}` ended with {status}, not {expected}"));
            }
            Ok(Heard::Refused(errno)) => return Err(format!("`{text}` was refused: {errno}")),
            Err(error) => return Err(format!("`{text}`: {error}")),
        }
    }
    let order = RunOrder { command: ENDLESS, ..RunOrder::default() };
    shell.ask(&order, true).await.map_err(|error| format!("a stop: {error}"))?;
    copy_of(shell).await.map_err(|error| format!("a copy: {error}"))
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
