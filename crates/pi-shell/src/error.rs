//! Why a run never started. A command that ran has a result, never an error.

use std::io;
use std::path::PathBuf;

use pi_mask::TooManyValues;
use pi_process::ProcessError;
use pi_sandbox::SandboxUnavailable;

/// The command never ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// The command has a NUL byte, which no shell can be given.
    #[error("the command contains a NUL byte at offset {offset}; remove it")]
    NulInCommand {
        /// Byte offset in the command.
        offset: usize,
    },
    /// The working directory is missing.
    #[error("Working directory does not exist: {}", path.display())]
    MissingWorkingDirectory {
        /// As it was given, made absolute.
        path: PathBuf,
    },
    /// The working directory is something else.
    #[error("Working directory is not a directory: {}", path.display())]
    NotADirectory {
        /// As it was given, made absolute.
        path: PathBuf,
    },
    /// The working directory cannot be entered.
    #[error("Working directory cannot be entered: {}: {source}", path.display())]
    WorkingDirectoryDenied {
        /// As it was given, made absolute.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A variable's name cannot be a name, or steers the shell itself.
    #[error("environment variable `{name}` {reason}")]
    InvalidEnvironment {
        /// The name as it was given.
        name: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// Variables that are together more than a program can be given (`execve(2)`).
    #[error(
        "option `{option}` makes an environment of {count} variables and {bytes} bytes, more than a program can be given; remove some, or pass large values in files (`{largest}` is the largest)"
    )]
    EnvironmentTooLarge {
        /// The option's name in the public interface.
        option: &'static str,
        /// How many they are.
        count: usize,
        /// Their bytes, each with its `=` and NUL.
        bytes: usize,
        /// Name of the largest.
        largest: String,
    },
    /// An option is out of its range.
    #[error("option `{name}` {reason}")]
    InvalidOption {
        /// The option's name in the public interface.
        name: &'static str,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// No usable bash.
    #[error("shell `{}` {reason}", path.display())]
    UnusableShell {
        /// The path that was tried.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A bash that cannot be kept between commands: a session that may do without is given a bash for each command.
    #[error("shell `{}` cannot be kept between commands: {reason}", path.display())]
    NotKept {
        /// The path of the shell.
        path: PathBuf,
        /// What is missing, and what to do.
        reason: String,
    },
    /// No bash was found at all.
    #[error("no bash found; install bash or set `shell` to its path (looked in {searched})")]
    ShellNotFound {
        /// The folders that were looked in.
        searched: String,
    },
    /// The supervisor cannot be started, or a system resource that a run needs is not to be had.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The sandbox that was asked for cannot be had; nothing was run without it.
    #[error("cannot run in a `{mode}` sandbox: {reason}; mode `full` runs without a sandbox")]
    SandboxUnavailable {
        /// What was asked for.
        mode: &'static str,
        /// What each backend lacks, and the remedy.
        reason: String,
    },
    /// The command was to run read-only, which cannot be had; nothing was run.
    #[error(
        "cannot run read-only: {reason}; run it without `readOnly`, where it may change things"
    )]
    ReadOnlyUnavailable {
        /// What is missing or does not hold, and the remedy.
        reason: String,
    },
    /// A limit that was asked for cannot be had; nothing was run without it.
    #[error(
        "cannot limit a session as a whole: {reason}; run where control groups can be made, or leave `sessionMemoryBytes` and `sessionProcesses` out"
    )]
    LimitsUnavailable {
        /// What the system said.
        reason: String,
    },
    /// The session was closed.
    #[error("Shell is closed")]
    Closed,
}

impl ShellError {
    /// The system refused `attempt`, which is the middle of a sentence: "cannot …: reason".
    pub fn system(attempt: &'static str, source: io::Error) -> Self {
        ProcessError::System { attempt, source }.into()
    }

    /// What it means that the system does not let a directory be entered.
    pub(crate) fn of_directory(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::MissingWorkingDirectory { path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            _ => Self::WorkingDirectoryDenied { path, source },
        }
    }

    /// A name that stays the same between releases, for callers that branch on the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NulInCommand { .. } => "PI_NUL_IN_COMMAND",
            Self::MissingWorkingDirectory { .. } => "PI_MISSING_CWD",
            Self::NotADirectory { .. } => "PI_CWD_NOT_A_DIRECTORY",
            Self::WorkingDirectoryDenied { .. } => "PI_CWD_DENIED",
            Self::InvalidEnvironment { .. } | Self::EnvironmentTooLarge { .. } => "PI_INVALID_ENV",
            Self::InvalidOption { .. } => "PI_INVALID_OPTION",
            Self::UnusableShell { .. } | Self::NotKept { .. } => "PI_UNUSABLE_SHELL",
            Self::ShellNotFound { .. } => "PI_SHELL_NOT_FOUND",
            Self::Process(ProcessError::Supervisor { .. }) => "PI_SUPERVISOR",
            Self::Process(ProcessError::System { .. }) => "PI_SYSTEM",
            Self::SandboxUnavailable { .. } => "PI_SANDBOX_UNAVAILABLE",
            Self::ReadOnlyUnavailable { .. } => "PI_READ_ONLY_UNAVAILABLE",
            Self::LimitsUnavailable { .. } => "PI_LIMITS_UNAVAILABLE",
            Self::Closed => "PI_SHELL_CLOSED",
        }
    }
}

impl From<SandboxUnavailable> for ShellError {
    fn from(error: SandboxUnavailable) -> Self {
        Self::SandboxUnavailable { mode: error.mode, reason: error.reason }
    }
}

impl From<TooManyValues> for ShellError {
    fn from(error: TooManyValues) -> Self {
        Self::InvalidOption { name: "mask.values", reason: error.reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_entered_has_an_error_of_its_own_for_each_cause() {
        for (kind, code) in [
            (io::ErrorKind::NotFound, "PI_MISSING_CWD"),
            (io::ErrorKind::NotADirectory, "PI_CWD_NOT_A_DIRECTORY"),
            (io::ErrorKind::PermissionDenied, "PI_CWD_DENIED"),
        ] {
            assert_eq!(ShellError::of_directory("/a".into(), kind.into()).code(), code);
        }
    }

    #[test]
    fn values_that_cannot_be_masked_are_an_option_out_of_its_range() {
        let error = ShellError::from(TooManyValues { reason: "has 300 values".into() });

        assert_eq!(error.code(), "PI_INVALID_OPTION");
        assert_eq!(error.to_string(), "option `mask.values` has 300 values");
    }

    #[test]
    fn what_the_crates_below_report_keeps_its_words_and_has_a_code() {
        let source = || io::Error::from_raw_os_error(2);
        for (below, code) in [
            (ProcessError::Supervisor { path: "/s".into(), source: source() }, "PI_SUPERVISOR"),
            (ProcessError::System { attempt: "make a pipe", source: source() }, "PI_SYSTEM"),
        ] {
            let words = below.to_string();
            let error = ShellError::from(below);
            assert_eq!((error.to_string(), error.code()), (words, code));
        }
        let reason = "landlock: too old".to_owned();
        let error = ShellError::from(SandboxUnavailable { mode: "read-only", reason });
        let words = "cannot run in a `read-only` sandbox: landlock: too old; mode `full` runs without a sandbox";
        assert_eq!((error.to_string().as_str(), error.code()), (words, "PI_SANDBOX_UNAVAILABLE"));
    }
}
