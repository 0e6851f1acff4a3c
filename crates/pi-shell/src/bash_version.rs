//! Which versions of bash the driver is known to fit: read in a shell's greeting, or asked of a shell.
//!
//! A session learns it from the greeting, so nothing is started to find out; only `capabilities`, which has no shell at
//! hand, asks.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pi_process::lock;

/// Oldest and newest one, by major and minor number. See docs/bash-versions.md.
const FITS: [(u32, u32); 2] = [(5, 0), (5, 3)];

/// Time that a bash may take to answer. It needs milliseconds.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// How often the end of that bash is looked for.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Whether the driver is known to fit a bash with this `$BASH_VERSION`, such as `5.2.15(1)-release`.
pub(crate) fn fits(text: &str) -> bool {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    let version = numbers.next().flatten().zip(numbers.next().flatten());
    version.is_some_and(|one| FITS[0] <= one && one <= FITS[1])
}

/// Whether a shell's version is one that the driver may fit. True where it does not answer: what is wrong with it shows
/// when it is used. Blocks for milliseconds, once for each shell.
pub(crate) fn may_fit(shell: &Path) -> bool {
    version_of(shell).is_none_or(|text| fits(&text))
}

/// The `$BASH_VERSION` of a shell, where it answers. Blocks for milliseconds, once for each shell.
pub(crate) fn version_of(shell: &Path) -> Option<String> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Option<String>>>> = Mutex::new(None);
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    known.entry(shell.to_path_buf()).or_insert_with(|| ask(shell)).clone()
}

/// Has a shell tell its `$BASH_VERSION`, in an empty environment.
fn ask(shell: &Path) -> Option<String> {
    let mut child = Command::new(shell)
        .args(["--norc", "--noprofile", "-c", r#"printf %s "$BASH_VERSION""#])
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
    // A version is less than what a pipe holds.
    let mut answer = [0; 64];
    let length = child.stdout.take()?.read(&mut answer).ok()?;
    let text = String::from_utf8_lossy(answer.get(..length)?).into_owned();
    text.starts_with(|first: char| first.is_ascii_digit()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bash_of_this_machine_is_one_that_the_driver_fits() {
        let bash = crate::shell_path::resolve(None).unwrap();

        assert!(fits(&ask(&bash).unwrap()));
        assert!(may_fit(&bash));
    }

    #[test]
    fn only_versions_within_the_window_fit() {
        for text in ["5.0.0(1)-release", "5.2.15(1)-release", "5.3.3"] {
            assert!(fits(text), "{text}");
        }
        for text in ["4.4.19(1)-release", "3.2.57", "5.4.0", "6.0", "5", "", "zsh"] {
            assert!(!fits(text), "{text}");
        }
    }

    #[test]
    fn what_tells_no_version_has_none() {
        for program in ["/bin/true", "/bin/echo", "/bin/cat", "/nonexistent"] {
            assert_eq!(ask(Path::new(program)), None, "{program}");
            assert!(may_fit(Path::new(program)), "{program}");
        }
    }

    /// A program of this text. Another process writes it: one that this process has open for writing cannot be executed,
    /// nor can one that a child of another test has open for a moment.
    #[cfg(unix)]
    fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod 755 "$2""#;
        let written =
            Command::new("sh").args(["-c", write, "sh", text]).arg(&path).status().unwrap();
        assert!(written.success());
        path
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_is_asked_once_and_what_it_says_counts_where_it_ends_well() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str, text: &str| program(folder.path(), name, text);
        let old = said("old", "echo x >> \"$0.asked\"; printf 4.4.19");
        for _ in 0..2 {
            assert_eq!(version_of(&old).as_deref(), Some("4.4.19"));
            assert!(!may_fit(&old));
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("old.asked")).unwrap(), "x\n");
        assert_eq!(ask(&said("failed", "printf 5.2; exit 1")), None);
        assert_eq!(ask(&said("words", "printf v5.2")), None);
        let chatty = ask(&said("chatty", "printf '5.2%090d' 0"));
        assert_eq!(chatty.map(|text| text.len()), Some(64));
        assert_eq!(version_of(&said("new", "printf 5.3.1")).as_deref(), Some("5.3.1"));
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_that_never_answers_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let silent = program(folder.path(), "silent", "echo $$ > \"$0.pid\"; exec sleep 1000");

        assert_eq!(ask(&silent), None);

        let pid = std::fs::read_to_string(folder.path().join("silent.pid")).unwrap();
        assert!(pi_process::tree::identity_of(pid.trim().parse().unwrap()).is_none());
    }
}
