//! What a caller asks for: the options of a session and of one run.
//!
//! Plain data, checked by `validate` before anything is spawned; nothing here runs.

use std::path::PathBuf;
use std::time::Duration;

use pi_mask::Mask;
use pi_output::SinkOptions;
use pi_process::ResourceLimits;
use pi_sandbox::SandboxOptions;

use crate::error::ShellError;

/// A variable name and its value, as they stand in a child's environment.
pub type EnvironmentEntry = (String, String);

/// Variables in the order of their names: equal environments are then equal lists, and a warm shell that was started for one
/// serves the other.
pub fn environment_entries(
    variables: impl IntoIterator<Item = EnvironmentEntry>,
) -> Vec<EnvironmentEntry> {
    let mut entries: Vec<_> = variables.into_iter().collect();
    entries.sort_unstable();
    entries
}

/// The duration that option `name` gives in milliseconds.
pub fn milliseconds(name: &'static str, value: f64) -> Result<Duration, ShellError> {
    Duration::try_from_secs_f64(value / 1_000.0).map_err(|_| ShellError::InvalidOption {
        name,
        reason: "is not a duration; give a number of milliseconds from 0".to_owned(),
    })
}

/// How a session keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// One bash lives as long as the session.
    Persistent,
    /// Each command has a bash of its own, which takes the state over that the one before wrote
    /// down: directory, variables, functions, aliases, options, traps; no jobs, no descriptors.
    PerCommand,
}

/// Options of a session, fixed for its life.
#[derive(Debug, Clone, Default)]
pub struct ShellOptions {
    /// Path of the bash to run. Default: the first bash found (see `shell_path::discover`).
    pub shell: Option<PathBuf>,
    /// Path of the `pi-supervisor` executable. Required on Unix.
    pub supervisor: Option<PathBuf>,
    /// Path of the bash driver. `None`, a system other than Linux, or a bash that it does not fit: each command has a bash
    /// of its own.
    pub driver: Option<PathBuf>,
    /// First working directory. Default: the host's own.
    pub cwd: Option<PathBuf>,
    /// The environment the session begins with instead of the host's. Default: the host's,
    /// without the names that steer a shell's start (`environment::is_dropped`).
    pub base_env: Option<Vec<EnvironmentEntry>>,
    /// Variables exported in the session on top of its base environment.
    pub session_env: Vec<EnvironmentEntry>,
    /// A bash file sourced once, before the first command.
    pub snapshot_path: Option<PathBuf>,
    /// Resource limits of everything the session starts. Not on Windows.
    pub limits: ResourceLimits,
    /// The sandbox that the whole session runs in. `None`: it has the host's own rights.
    pub sandbox: Option<SandboxOptions>,
    /// How the session keeps its state. Default: the best way there is (`capabilities`) that
    /// this shell is fit for.
    pub kind: Option<SessionKind>,
}

impl ShellOptions {
    /// Whether a session whose bash turned out not to be one that can be kept goes on with a bash for each command: the
    /// other way was not asked for.
    #[cfg(target_os = "linux")]
    pub(crate) fn may_fall_back(&self, error: &ShellError) -> bool {
        matches!(error, ShellError::NotKept { .. }) && self.kind.is_none()
    }
}

/// How a run that meets another one on the same session goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// It waits for its turn; the wait is not charged to its timeout.
    #[default]
    Queue,
    /// It runs at once in a copy of the session as of the last finished command; what it changes
    /// in the shell's state is dropped with the copy.
    Clone,
}

/// What becomes of a command one of whose programs waits for input that cannot come. Seen on Linux only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnInputWait {
    /// It is ended.
    #[default]
    End,
    /// It goes on, and its result says so.
    Note,
}

impl OnInputWait {
    /// That of a name, as options have it.
    pub fn named(name: &str) -> Result<Self, ShellError> {
        match name {
            "end" => Ok(Self::End),
            "note" => Ok(Self::Note),
            other => Err(ShellError::InvalidOption {
                name: "onInputWait",
                reason: format!("is `{other}`; give `end` or `note`"),
            }),
        }
    }
}

/// One command.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The text given to bash, as a file of it would be. No NUL; may be empty.
    pub command: String,
    /// Directory to change to first. The session stays there afterwards.
    pub cwd: Option<PathBuf>,
    /// Variables exported for this command only.
    pub env: Vec<EnvironmentEntry>,
    /// Time from the command's start to its deadline. `None`: no deadline.
    pub timeout: Option<Duration>,
    /// Where output is kept. `None`: nothing is kept, chunks go to the observer only.
    pub sink: Option<SinkOptions>,
    /// What to do while another run is in progress.
    pub concurrency: Concurrency,
    /// It runs in a copy of the session that the kernel keeps from changing anything. Where that cannot be had, nothing
    /// is run.
    pub read_only: bool,
    /// Masks what the observer is given, and late output without a sink. `None`: nothing is masked there.
    pub mask: Option<Mask>,
    /// What becomes of it where one of its programs waits for input that cannot come. Default: it is ended.
    pub on_input_wait: OnInputWait,
    /// The result says what it used.
    pub usage: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_that_are_equal_are_equal_lists() {
        let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());

        let entries = environment_entries([entry("B", "1"), entry("A", "2"), entry("C", "")]);

        assert_eq!(entries, [entry("A", "2"), entry("B", "1"), entry("C", "")]);
    }

    #[test]
    fn milliseconds_may_have_a_fraction_and_must_be_a_duration() {
        assert_eq!(milliseconds("timeoutMs", 1_500.5).unwrap(), Duration::from_micros(1_500_500));
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            let error = milliseconds("timeoutMs", value).unwrap_err();
            assert!(error.to_string().starts_with("option `timeoutMs` is not a duration"));
        }
    }

    #[test]
    fn what_becomes_of_a_wait_for_input_is_named() {
        assert_eq!(OnInputWait::named("end").unwrap(), OnInputWait::End);
        assert_eq!(OnInputWait::named("note").unwrap(), OnInputWait::Note);
        let error = OnInputWait::named("stop").unwrap_err();
        assert_eq!(error.to_string(), "option `onInputWait` is `stop`; give `end` or `note`");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_a_session_that_was_not_asked_to_be_kept_goes_on_where_its_bash_cannot_be() {
        let not_kept = ShellError::NotKept { path: "/bin/bash".into(), reason: String::new() };
        let free = ShellOptions::default();
        let asked = ShellOptions { kind: Some(SessionKind::Persistent), ..ShellOptions::default() };

        assert!(free.may_fall_back(&not_kept));
        assert!(!asked.may_fall_back(&not_kept));
        assert!(!free.may_fall_back(&ShellError::Closed));
        assert!(!asked.may_fall_back(&ShellError::Closed));
    }
}
