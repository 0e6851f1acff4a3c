//! What this build can do on this machine. Asked, never guessed from the platform's name.

use crate::request::SessionKind;
use crate::session;

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

/// What this build can do on this machine. The first call starts the bash that sessions run where
/// none is given, to learn its version, which takes milliseconds; later ones know it.
pub fn capabilities() -> Capabilities {
    Capabilities {
        platform: std::env::consts::OS,
        session: session::default_kind(),
        supervisor: cfg!(unix),
        pty: cfg!(unix),
        clone: true,
        #[cfg(unix)]
        sandbox: crate::sandbox::offered_backends(),
        #[cfg(not(unix))]
        sandbox: Vec::new(),
    }
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
