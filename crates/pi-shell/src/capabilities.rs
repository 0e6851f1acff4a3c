//! What this build can do on this machine. Asked, never guessed from the platform's name.

/// How a session keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// One bash lives as long as the session.
    Persistent,
    /// Each command has a bash of its own, which takes the state over that the one before wrote
    /// down: directory, variables, functions, aliases, options; no jobs, no descriptors.
    PerCommand,
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

/// Variable that has sessions keep their state another way than the best one: `per-command`. Other
/// values are ignored. For hosts whose machine is against persistent sessions, and for tests.
const SESSION_VARIABLE: &str = "PI_BASH_SESSION";

/// What this build can do on this machine.
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

fn session_kind() -> SessionKind {
    let per_command = std::env::var_os(SESSION_VARIABLE).is_some_and(|kind| kind == "per-command");
    if has_process_tree() && !per_command {
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

    #[cfg(unix)]
    #[test]
    fn linux_keeps_one_bash_a_session() {
        assert_eq!(capabilities().session, SessionKind::Persistent);
    }
}
