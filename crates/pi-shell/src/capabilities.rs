//! What this build can do on this machine. Asked, never guessed from the platform's name.

use std::path::PathBuf;

use crate::error::ShellError;
use crate::request::SessionKind;
use crate::{session, shell_path};

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
    /// What of a read-only command this kernel does not hold, by name; or why there are no read-only commands. As far as
    /// the system says: whether they hold is proven with the first one.
    pub read_only: Result<Vec<&'static str>, String>,
}

/// The bash that sessions run where none is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundBash {
    /// Where it is.
    pub path: PathBuf,
    /// Its `$BASH_VERSION`, such as `5.2.15(1)-release`. `None`: it did not answer, or the system is not Linux.
    pub version: Option<String>,
}

/// Finds the bash that sessions run where none is given. As `capabilities`, the first call starts it.
///
/// # Errors
/// [`ShellError::ShellNotFound`] where there is none.
pub fn find_bash() -> Result<FoundBash, ShellError> {
    let path = shell_path::resolve(None)?;
    #[cfg(target_os = "linux")]
    let version = crate::bash_version::version_of(&path);
    #[cfg(not(target_os = "linux"))]
    let version = None;
    Ok(FoundBash { path, version })
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
        sandbox: pi_sandbox::offered_backends(),
        #[cfg(not(unix))]
        sandbox: Vec::new(),
        read_only: read_only(),
    }
}

/// What holds a read-only command: Landlock and seccomp, in a bash that is kept.
#[cfg(target_os = "linux")]
fn read_only() -> Result<Vec<&'static str>, String> {
    match (pi_sandbox::read_only::missing(), session::default_kind()) {
        (Some(reason), _) => Err(reason),
        (None, SessionKind::PerCommand) => {
            Err("each command has a bash of its own here".to_owned())
        }
        (None, SessionKind::Persistent) => Ok(pi_sandbox::read_only::degraded()),
    }
}

#[cfg(not(target_os = "linux"))]
fn read_only() -> Result<Vec<&'static str>, String> {
    Err("only Linux has what holds a read-only command".to_owned())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn linux_keeps_one_bash_a_session() {
        assert_eq!(capabilities().session, SessionKind::Persistent);
    }

    #[test]
    fn what_a_read_only_command_is_not_kept_from_has_a_name_that_is_documented() {
        let documented = include_str!("../../../docs/read-only.md");
        let read_only = capabilities().read_only;
        assert_eq!(read_only.as_ref().err(), pi_sandbox::read_only::missing().as_ref());
        for name in read_only.unwrap_or_default() {
            assert!(documented.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
