//! Refuses bad input before anything is spawned, naming the thing and the remedy.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pi_output::SinkOptions;

use crate::environment;
use crate::error::ShellError;
use crate::request::{RunOptions, ShellOptions};

/// Longest timeout taken: more is a mistake in the unit. 24 days fit a 32-bit millisecond timer.
const MAX_TIMEOUT: Duration = Duration::from_millis(2_147_483_647);

/// Largest window: the text of a result has to be copied to JavaScript in one piece.
const MAX_WINDOW_BYTES: usize = 64 * 1024 * 1024;

/// Checks the options of a session.
pub(crate) fn check_shell_options(options: &ShellOptions) -> Result<(), ShellError> {
    environment::check_base_entries(options.base_env.as_deref().unwrap_or_default())?;
    environment::check_entries("sessionEnv", &options.session_env)
}

/// Checks the options of a run; `cwd` is made absolute by the session's own first.
pub(crate) fn check_run_options(options: &RunOptions) -> Result<(), ShellError> {
    if let Some(offset) = memchr::memchr(0, options.command.as_bytes()) {
        return Err(ShellError::NulInCommand { offset });
    }
    environment::check_entries("env", &options.env)?;
    if options.timeout.is_some_and(|timeout| timeout > MAX_TIMEOUT) {
        return Err(ShellError::InvalidOption {
            name: "timeoutMs",
            reason: format!(
                "is more than {} ms; leave it out for no deadline",
                MAX_TIMEOUT.as_millis()
            ),
        });
    }
    options.sink.as_ref().map_or(Ok(()), check_sink_options)
}

fn check_sink_options(options: &SinkOptions) -> Result<(), ShellError> {
    if options.max_bytes > MAX_WINDOW_BYTES {
        return Err(ShellError::InvalidOption {
            name: "sink.maxBytes",
            reason: format!(
                "is more than {MAX_WINDOW_BYTES}; use a spill file for the whole output"
            ),
        });
    }
    Ok(())
}

/// Where a session begins: where it is asked to, or where the host is.
pub(crate) fn first_directory(wanted: Option<&Path>) -> Result<PathBuf, ShellError> {
    let here = std::env::current_dir().unwrap_or_else(|_gone| PathBuf::from("/"));
    wanted.map_or_else(|| Ok(here.clone()), |cwd| check_directory(cwd, &here))
}

/// Checks that a directory can be entered; returns it absolute.
pub(crate) fn check_directory(path: &Path, base: &Path) -> Result<PathBuf, ShellError> {
    let path = base.join(path);
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => Err(ShellError::NotADirectory { path }),
        Err(source) => Err(ShellError::of_directory(path, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ss_26_a_nul_in_the_command_is_refused_with_its_place() {
        let options = RunOptions { command: "echo a\0b".to_owned(), ..RunOptions::default() };

        let error = check_run_options(&options).unwrap_err();

        assert_eq!(error.code(), "PI_NUL_IN_COMMAND");
        assert!(error.to_string().contains("offset 6"), "{error}");
    }

    #[test]
    fn rs_01_a_directory_that_is_missing_or_a_file_is_named() {
        let missing = check_directory(Path::new("/nope"), Path::new("/")).unwrap_err();
        let file = check_directory(Path::new("/etc/passwd"), Path::new("/")).unwrap_err();

        assert_eq!(missing.to_string(), "Working directory does not exist: /nope");
        assert_eq!(file.to_string(), "Working directory is not a directory: /etc/passwd");
    }

    #[test]
    fn a_relative_directory_is_taken_from_the_session() {
        assert_eq!(
            check_directory(Path::new("lib"), Path::new("/usr")).unwrap(),
            Path::new("/usr/lib")
        );
    }

    #[test]
    fn a_timeout_of_a_month_is_refused() {
        let options =
            RunOptions { timeout: Some(Duration::from_secs(2_592_000)), ..RunOptions::default() };

        assert_eq!(check_run_options(&options).unwrap_err().code(), "PI_INVALID_OPTION");
    }

    #[test]
    fn the_longest_timeout_and_the_largest_window_are_taken_and_no_more() {
        let taken = |timeout, max_bytes| {
            let sink = SinkOptions { max_bytes, ..SinkOptions::default() };
            let options =
                RunOptions { timeout: Some(timeout), sink: Some(sink), ..RunOptions::default() };
            check_run_options(&options).map_err(|error| error.to_string())
        };
        let millisecond = Duration::from_millis(1);

        assert_eq!(taken(MAX_TIMEOUT, MAX_WINDOW_BYTES), Ok(()));
        let error = taken(MAX_TIMEOUT + millisecond, 1).unwrap_err();
        assert!(error.contains("`timeoutMs` is more than 2147483647 ms"), "{error}");
        let error = taken(millisecond, MAX_WINDOW_BYTES + 1).unwrap_err();
        assert!(error.contains("`sink.maxBytes` is more than 67108864;"), "{error}");
    }

    #[test]
    fn variables_that_no_session_or_run_can_have_are_refused() {
        let bad = vec![("A B".to_owned(), String::new())];
        let base = ShellOptions {
            base_env: Some(vec![("A=B".to_owned(), String::new())]),
            ..ShellOptions::default()
        };
        let session = ShellOptions { session_env: bad.clone(), ..ShellOptions::default() };
        for options in [base, session] {
            assert_eq!(check_shell_options(&options).unwrap_err().code(), "PI_INVALID_ENV");
        }
        assert!(check_shell_options(&ShellOptions::default()).is_ok());
        let run = RunOptions { env: bad, ..RunOptions::default() };
        assert_eq!(check_run_options(&run).unwrap_err().code(), "PI_INVALID_ENV");
    }

    #[test]
    fn a_session_begins_where_it_is_asked_to_or_where_the_host_is() {
        let here = std::env::current_dir().unwrap();

        assert_eq!(first_directory(None).unwrap(), here);
        assert_eq!(first_directory(Some(Path::new("src"))).unwrap(), here.join("src"));
        assert_eq!(first_directory(Some(Path::new("/nope"))).unwrap_err().code(), "PI_MISSING_CWD");
    }
}
