//! What this build can do on this machine. Asked, never guessed from the platform's name.

/// How a session keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// One bash lives as long as the session.
    Persistent,
    /// Each command has a bash of its own; nothing but the directory is kept.
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

/// What this build can do on this machine.
pub fn capabilities() -> Capabilities {
    // A session needs the process tree, which is read from /proc.
    let has_tree = crate::tree::identity_of(own_pid()).is_some();
    Capabilities {
        platform: std::env::consts::OS,
        session: if has_tree { SessionKind::Persistent } else { SessionKind::PerCommand },
        supervisor: cfg!(unix),
        pty: cfg!(unix),
        clone: has_tree,
        #[cfg(unix)]
        sandbox: crate::sandbox::offered_backends(),
        #[cfg(not(unix))]
        sandbox: Vec::new(),
    }
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_keeps_one_bash_a_session() {
        assert_eq!(capabilities().session, SessionKind::Persistent);
    }
}
