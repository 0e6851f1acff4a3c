//! How a session keeps its state: by one bash, or by a bash for each command. What is asked for, what the system has, and
//! what became known of the shell.

use std::path::Path;

use crate::request::SessionKind;
use crate::{bash_version, shell_path};

/// Whether sessions are driven by the bash driver, as far as this process has tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverState {
    /// No session has asked for it yet.
    Untried,
    /// The newest bash that was tried takes it.
    Fits,
    /// It does not, for this reason; its sessions have a bash for each command.
    Unfit(String),
}

/// Whether sessions are driven by the bash driver, as far as this process has tried.
pub fn driver_state() -> DriverState {
    #[cfg(target_os = "linux")]
    return super::driven::state();
    #[cfg(not(target_os = "linux"))]
    DriverState::Untried
}

/// Variable that has sessions keep their state another way than the best one: `per-command`. Other values are ignored. For
/// hosts whose machine is against persistent sessions, and for tests.
const SESSION_VARIABLE: &str = "PI_BASH_SESSION";

/// How sessions keep their state whose shell is the one that is found where none is given.
pub(crate) fn default_kind() -> SessionKind {
    let is_old = || shell_path::resolve(None).is_ok_and(|shell| bash_version::is_old(&shell));
    let is_unfit = || matches!(driver_state(), DriverState::Unfit(_));
    match offered_kind() {
        SessionKind::Persistent if is_unfit() || is_old() => SessionKind::PerCommand,
        kind => kind,
    }
}

/// How a session with that shell keeps its state, where nobody asked for a way: by what is known of
/// the shell. One that turns out to be old falls back then (`session`).
pub(super) fn kind_with(shell: Option<&Path>) -> SessionKind {
    // Where none is known as old, none is looked for.
    let is_old = || {
        bash_version::knows_old()
            && shell_path::resolve(shell).is_ok_and(|shell| bash_version::is_known_as_old(&shell))
    };
    match offered_kind() {
        SessionKind::Persistent if is_old() => SessionKind::PerCommand,
        kind => kind,
    }
}

/// The best way here, whatever the shell.
fn offered_kind() -> SessionKind {
    let per_command = std::env::var_os(SESSION_VARIABLE).is_some_and(|kind| kind == "per-command");
    // A bash is kept by the bash driver, which is there for Linux.
    if cfg!(target_os = "linux") && has_process_tree() && !per_command {
        SessionKind::Persistent
    } else {
        SessionKind::PerCommand
    }
}

/// Whether processes can be looked up, which a persistent session needs: on Linux, a `/proc`.
#[cfg(unix)]
pub(super) fn has_process_tree() -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    crate::tree::identity_of(own).is_some()
}

#[cfg(not(unix))]
fn has_process_tree() -> bool {
    false
}
