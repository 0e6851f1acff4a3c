//! Which variables reach a session: what is left out of the host's, and which names a caller
//! may not set.
//!
//! Only names and sizes are judged here; which values are secret is the executor's business.

use std::ffi::{OsStr, OsString};

use crate::error::ShellError;
use crate::request::EnvironmentEntry;

/// Longest argument or `NAME=value` that `execve(2)` takes: `MAX_ARG_STRLEN`, 32 pages, with its NUL.
pub(crate) const MAX_ENTRY_BYTES: usize = 128 * 1024 - 1;

/// Most bytes of all variables of one request. `execve(2)` refuses arguments and environment
/// beyond a quarter of the stack limit, 2 MiB by default; the rest is left for arguments.
const MAX_TOTAL_BYTES: usize = 1536 * 1024;

/// Names of the host's environment that never reach a session: they would run a file, change
/// the shell's options, or describe another shell (`bash(1)`, "Shell Variables").
const DROPPED: [&str; 16] = [
    "BASH_ENV",
    "BASHOPTS",
    "BASH_XTRACEFD",
    "CDPATH",
    "ENV",
    "GLOBIGNORE",
    "HISTFILE",
    "IFS",
    "OLDPWD",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "SHELLOPTS",
    "SHLVL",
    "TMOUT",
];

/// Names that bash makes read-only or that steer the shell itself: set by a caller they would
/// end the shell or run something that is not the command.
const REFUSED: [&str; 17] = [
    "BASHOPTS",
    "BASHPID",
    "BASH_ENV",
    "BASH_VERSINFO",
    "BASH_XTRACEFD",
    "ENV",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "LINENO",
    "POSIXLY_CORRECT",
    "PPID",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "UID",
    "_",
];

/// Whether a variable of the host stays out of a session.
pub(crate) fn is_dropped(name: &str) -> bool {
    DROPPED.contains(&name)
        || name.starts_with("BASH_FUNC_")
        || name.starts_with("__pi_")
        || name == "_"
}

/// The environment that a session begins with: `given`, else the host's, without what `is_dropped` names.
pub(crate) fn base(given: Option<&[EnvironmentEntry]>) -> Vec<(OsString, OsString)> {
    let is_kept = |(name, _): &(OsString, _)| name.to_str().is_none_or(|name| !is_dropped(name));
    match given {
        Some(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.into(), value.into()));
            entries.filter(is_kept).collect()
        }
        None => std::env::vars_os().filter(is_kept).collect(),
    }
}

/// Refuses what no environment can have: bash would be given another variable, or none could be started.
pub(crate) fn check_base_entries(entries: &[EnvironmentEntry]) -> Result<(), ShellError> {
    for (name, value) in entries {
        if name.is_empty() || name.contains(['=', '\0']) {
            return invalid(name, "is not the name of a variable; remove it");
        }
        check_value(name, value)?;
    }
    Ok(())
}

fn invalid(name: &str, reason: impl Into<String>) -> Result<(), ShellError> {
    Err(ShellError::InvalidEnvironment { name: name.to_owned(), reason: reason.into() })
}

/// Refuses a variable that no program can be given.
fn check_value(name: &str, value: &str) -> Result<(), ShellError> {
    if value.contains('\0') {
        return invalid(name, "contains a NUL byte; remove it");
    }
    let size = name.len() + 1 + value.len();
    if size > MAX_ENTRY_BYTES {
        let reason = format!(
            "has {size} bytes, more than the {MAX_ENTRY_BYTES} a program can be given; pass it in a file"
        );
        return invalid(name, reason);
    }
    Ok(())
}

/// How many bytes of a new program variables take, each with its `=` and NUL.
pub(crate) fn bytes_of<T: AsRef<OsStr>>(entries: &[(T, T)]) -> usize {
    entries.iter().map(|(name, value)| name.as_ref().len() + value.as_ref().len() + 2).sum()
}

/// What is wrong with variables that are together more than a program can be given. The system's
/// own bound depends on the stack limit that the program is started under, so only it knows.
pub(crate) fn too_large<T: AsRef<OsStr>>(option: &'static str, entries: &[(T, T)]) -> ShellError {
    let largest =
        entries.iter().max_by_key(|(name, value)| name.as_ref().len() + value.as_ref().len());
    ShellError::EnvironmentTooLarge {
        option,
        count: entries.len(),
        bytes: bytes_of(entries),
        largest: largest
            .map(|(name, _)| name.as_ref().to_string_lossy().into_owned())
            .unwrap_or_default(),
    }
}

/// Refuses what cannot be a variable of a command, naming the first one that is wrong. `option` is
/// where they come from.
pub(crate) fn check_entries(
    option: &'static str,
    entries: &[EnvironmentEntry],
) -> Result<(), ShellError> {
    for (name, value) in entries {
        let mut bytes = name.bytes();
        let begins = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
        if !begins || !bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return invalid(name, "is not a variable name; use letters, digits and `_`");
        }
        if REFUSED.contains(&name.as_str()) || name.starts_with("__pi_") {
            return invalid(name, "steers the shell itself; remove it");
        }
        check_value(name, value)?;
    }
    if bytes_of(entries) > MAX_TOTAL_BYTES {
        return Err(too_large(option, entries));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, value: &str) -> Vec<EnvironmentEntry> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn a_name_that_is_no_identifier_is_refused_by_name() {
        for name in ["", "1A", "A-B", "A B", "A=B", "é"] {
            let error = check_entries("env", &entry(name, "x")).unwrap_err();

            assert_eq!(error.code(), "PI_INVALID_ENV", "{name}");
        }
    }

    #[test]
    fn a_base_environment_has_no_entry_that_would_become_another() {
        for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0")] {
            let error = check_base_entries(&entry(name, value)).unwrap_err();

            assert_eq!(error.code(), "PI_INVALID_ENV", "{name:?}");
        }
        assert!(check_base_entries(&entry("BASH_FUNC_x%%", "() { :; }")).is_ok());
    }

    #[test]
    fn a_name_that_steers_the_shell_is_refused() {
        for name in ["UID", "SHELLOPTS", "BASH_ENV", "__pi_m"] {
            assert!(check_entries("env", &entry(name, "x")).is_err(), "{name}");
        }
    }

    #[test]
    fn ev_04_an_entry_no_program_can_be_given_is_refused_with_its_size() {
        let big = entry("BIG", &"x".repeat(200_000));
        for checked in [check_entries("env", &big), check_base_entries(&big)] {
            let error = checked.unwrap_err();

            assert!(error.to_string().contains("`BIG` has 200004 bytes"), "{error}");
        }
    }

    /// As `execve(2)` has it: the last size that is taken here is the last one that the kernel takes.
    #[test]
    #[cfg(target_os = "linux")]
    fn ev_04_the_longest_entry_is_the_longest_that_a_program_can_be_given() {
        for (size, is_taken) in [(MAX_ENTRY_BYTES, true), (MAX_ENTRY_BYTES + 1, false)] {
            let value = "x".repeat(size - "BIG=".len());
            let started =
                std::process::Command::new("true").env_clear().env("BIG", &value).status();

            assert_eq!(check_entries("env", &entry("BIG", &value)).is_ok(), is_taken, "{size}");
            assert_eq!(started.is_ok(), is_taken, "{size}: {started:?}");
        }
    }

    #[test]
    fn ev_04_the_sum_of_all_entries_may_be_all_that_is_allowed_and_not_a_byte_more() {
        let piece = "x".repeat(96 * 1024 - "V00=\0".len());
        let mut entries: Vec<_> =
            (0..16).map(|index| (format!("V{index:02}"), piece.clone())).collect();
        assert_eq!(bytes_of(&entries), MAX_TOTAL_BYTES);
        assert!(check_entries("env", &entries).is_ok());

        entries[3].1.push('x');
        let error = check_entries("env", &entries).unwrap_err();
        assert!(error.to_string().ends_with("(`V03` is the largest)"), "{error}");
    }

    #[test]
    fn ev_04_the_sum_of_all_entries_is_bounded() {
        let entries: Vec<_> =
            (0..30).map(|index| (format!("V{index}"), "x".repeat(100_000))).collect();

        let error = check_entries("sessionEnv", &entries).unwrap_err();

        let text = "option `sessionEnv` makes an environment of 30 variables and 3000140 bytes,";
        assert!(error.to_string().starts_with(text), "{error}");
        assert!(error.to_string().ends_with("(`V29` is the largest)"), "{error}");
        assert_eq!(error.code(), "PI_INVALID_ENV");
    }

    #[test]
    fn rc_03_names_that_would_run_a_file_do_not_come_from_the_host() {
        assert!(is_dropped("BASH_ENV"));
        assert!(is_dropped("BASH_FUNC_ls%%"));
        assert!(!is_dropped("PATH"));
    }

    #[test]
    fn rc_03_a_session_begins_with_what_is_given_or_with_the_host_s_own_without_what_is_dropped() {
        let given = [entry("ENV", "f"), entry("B", "2"), entry("_", "x")].concat();
        assert_eq!(base(Some(&given)), [(OsString::from("B"), OsString::from("2"))]);

        let host = base(None);
        let expected = std::env::vars_os()
            .filter(|(name, _)| name.to_str().is_none_or(|name| !is_dropped(name)))
            .count();
        assert_eq!(host.len(), expected);
        assert!(host.iter().any(|(name, _)| name == "PATH"));
    }

    #[test]
    fn rc_03_names_of_functions_and_our_own_are_dropped_and_refused() {
        for name in ["BASH_FUNC_x%%", "__pi_x", "_", "IFS", "PROMPT_COMMAND"] {
            assert!(is_dropped(name), "{name}");
        }
        for name in ["_x", "__p", "BASH", "HOME"] {
            assert!(!is_dropped(name), "{name}");
            assert!(check_entries("env", &entry(name, "x")).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_largest_variable_is_the_one_with_most_bytes_of_name_and_value() {
        let entries = [entry("ABCD", "abcd"), entry("B", "abcdefghij"), entry("C", "x")].concat();

        let error = too_large("env", &entries).to_string();

        assert!(error.ends_with("(`B` is the largest)"), "{error}");
    }
}
