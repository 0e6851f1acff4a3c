//! How a session keeps its state: by one bash, or by a bash for each command. What is asked for, what the system has, and
//! what became known of the shell.

use std::ffi::OsStr;

use crate::request::SessionKind;
#[cfg(target_os = "linux")]
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
    match offered_kind() {
        #[cfg(target_os = "linux")]
        SessionKind::Persistent if is_unfit() => SessionKind::PerCommand,
        kind => kind,
    }
}

#[cfg(target_os = "linux")]
fn is_unfit() -> bool {
    matches!(driver_state(), DriverState::Unfit(_))
        || shell_path::resolve(None).is_ok_and(|shell| !bash_version::may_fit(&shell))
}

/// The best way here, whatever the shell. A session whose shell turns out not to be one that can be kept falls back
/// (`session`).
pub(super) fn offered_kind() -> SessionKind {
    let wanted = std::env::var_os(SESSION_VARIABLE);
    let per_command = wanted.as_deref() == Some(OsStr::new("per-command"));
    // A bash is kept by the bash driver, which is there for Linux.
    match (cfg!(target_os = "linux"), has_process_tree(), per_command) {
        (true, true, false) => SessionKind::Persistent,
        _ => SessionKind::PerCommand,
    }
}

/// Whether processes can be looked up, which a persistent session needs: on Linux, a `/proc`.
#[cfg(unix)]
pub(super) fn has_process_tree() -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    pi_process::tree::identity_of(own).is_some()
}

#[cfg(not(unix))]
fn has_process_tree() -> bool {
    false
}
