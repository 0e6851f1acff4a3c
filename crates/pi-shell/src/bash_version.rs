//! Which version a bash is: what is known of those that answered, and asking one.
//!
//! A kept session learns it from the shell's greeting, so nothing is started to find out; only
//! `capabilities`, which has no shell at hand, asks.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Major and minor number.
pub(crate) type BashVersion = (u32, u32);

/// Oldest bash that can be kept: `mapfile -d` (4.4) takes long commands in one go.
pub(crate) const OLDEST_KEPT: BashVersion = (4, 4);

/// Time that a bash may take to tell its version. It needs milliseconds.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// How often it is looked for the end of that bash.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Prints the version.
const QUESTION: &str = r#"printf '%s %s' "${BASH_VERSINFO[0]}" "${BASH_VERSINFO[1]}""#;

/// Executables that told their version in this process's life.
static KNOWN: Mutex<Option<HashMap<PathBuf, BashVersion>>> = Mutex::new(None);

/// Notes what a shell told.
pub(crate) fn note(shell: &Path, version: BashVersion) {
    known().get_or_insert_default().insert(shell.to_path_buf(), version);
}

/// The same, from the text of `$BASH_VERSION`.
#[cfg(target_os = "linux")]
pub(crate) fn note_text(shell: &Path, text: &str) {
    if let Some(version) = parse(text) {
        note(shell, version);
    }
}

/// The numbers in `$BASH_VERSION`, such as `5.2.15(1)-release`.
#[cfg(target_os = "linux")]
pub(crate) fn parse(text: &str) -> Option<BashVersion> {
    let mut numbers = text.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Whether any shell is known to be too old to be kept.
pub(crate) fn knows_old() -> bool {
    known().iter().flatten().any(|(_, version)| *version < OLDEST_KEPT)
}

/// Whether a shell is known to be too old to be kept; asks nobody.
pub(crate) fn is_known_as_old(shell: &Path) -> bool {
    known_version(shell).is_some_and(|version| version < OLDEST_KEPT)
}

/// Whether a shell is too old to be kept. One that does not answer is not: what is wrong with it is
/// told when it is used. Blocks for milliseconds where the shell is not known yet.
pub(crate) fn is_old(shell: &Path) -> bool {
    if known_version(shell).is_none()
        && let Some(version) = ask(shell)
    {
        note(shell, version);
    }
    is_known_as_old(shell)
}

fn known_version(shell: &Path) -> Option<BashVersion> {
    known().as_ref()?.get(shell).copied()
}

fn known() -> MutexGuard<'static, Option<HashMap<PathBuf, BashVersion>>> {
    // A panic elsewhere leaves whole entries.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has a shell tell its version, in an empty environment.
fn ask(shell: &Path) -> Option<BashVersion> {
    let mut child = Command::new(shell)
        .args(["--norc", "--noprofile", "-c", QUESTION])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let deadline = Instant::now() + ANSWER_LIMIT;
    let exited = loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_INTERVAL),
            Ok(status) => break status.is_some_and(|status| status.success()),
            Err(_) => break false,
        }
    };
    if !exited {
        // One that is gone already needs neither.
        drop(child.kill());
        drop(child.wait());
        return None;
    }
    // A pipe's worth of what it wrote is more than a version.
    let mut answer = [0; 64];
    let length = child.stdout.take()?.read(&mut answer).ok()?;
    let (major, minor) = std::str::from_utf8(answer.get(..length)?).ok()?.split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_bash_of_this_machine_can_be_kept() {
        let bash = crate::shell_path::resolve(None).unwrap();

        assert!(ask(&bash).unwrap() >= OLDEST_KEPT);
        assert!(!is_old(&bash));
        assert!(known_version(&bash).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn what_tells_no_version_has_none() {
        for program in ["/bin/true", "/bin/echo", "/bin/cat", "/nonexistent"] {
            assert_eq!(ask(Path::new(program)), None, "{program}");
            assert!(!is_old(Path::new(program)), "{program}");
        }
    }
}
