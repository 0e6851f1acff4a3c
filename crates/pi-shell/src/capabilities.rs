//! What this build can do on this machine. Asked, never guessed from the platform's name.

use std::path::Path;

use crate::{bash_version, shell_path};

/// How a session keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// One bash lives as long as the session.
    Persistent,
    /// Each command has a bash of its own, which takes the state over that the one before wrote
    /// down: directory, variables, functions, aliases, options, traps; no jobs, no descriptors.
    PerCommand,
}

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

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The operating system, as Rust names it: `linux`, `macos`, `windows`.
    pub platform: &'static str,
    /// How sessions keep their state.
    pub session: SessionKind,
    /// A supervisor kills the tree when the host is gone.
    pub supervisor: bool,
    /// Pseudoterminals can be opened.
    pub pty: bool,
    /// Commands can run in a copy of a session.
    pub clone: bool,
    /// Sandboxes that commands can run in, by name, the best first.
    pub sandbox: Vec<&'static str>,
}

/// Variable that has sessions keep their state another way than the best one: `per-command`. Other values are ignored. For
/// hosts whose machine is against persistent sessions, and for tests.
const SESSION_VARIABLE: &str = "PI_BASH_SESSION";

/// What this build can do on this machine. The first call starts the bash that sessions run where
/// none is given, to learn its version, which takes milliseconds; later ones know it.
pub fn capabilities() -> Capabilities {
    Capabilities {
        platform: std::env::consts::OS,
        session: session_kind(),
        supervisor: cfg!(unix),
        pty: cfg!(unix),
        clone: true,
        #[cfg(unix)]
        sandbox: crate::sandbox::offered_backends(),
        #[cfg(not(unix))]
        sandbox: Vec::new(),
    }
}

/// How sessions keep their state whose shell is the one that is found where none is given.
fn session_kind() -> SessionKind {
    let is_old = || shell_path::resolve(None).is_ok_and(|shell| bash_version::is_old(&shell));
    let is_unfit = || matches!(crate::session::driver_state(), DriverState::Unfit(_));
    match offered_kind() {
        SessionKind::Persistent if is_unfit() || is_old() => SessionKind::PerCommand,
        kind => kind,
    }
}

/// How a session with that shell keeps its state, where nobody asked for a way: by what is known of
/// the shell. One that turns out to be old falls back then (`session`).
pub(crate) fn kind_with(shell: Option<&Path>) -> SessionKind {
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
pub(crate) fn has_process_tree() -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    crate::tree::identity_of(own).is_some()
}

#[cfg(not(unix))]
fn has_process_tree() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_keeps_one_bash_a_session() {
        assert_eq!(capabilities().session, SessionKind::Persistent);
    }
}
