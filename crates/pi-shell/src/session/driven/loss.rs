//! What a session lost with its shell.

use crate::session::effects;

/// What a session lost with its shell: variables, functions, folder, options or traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Loss {
    Nothing,
    /// The state is that of before the command: what the command had set is gone, if it had set anything.
    OfCommand,
    /// The state is an older one, or that of a fresh shell.
    Everything,
}

impl Loss {
    /// Whether anything is gone, where `command` was the last one.
    pub(in crate::session) fn is_real(self, command: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::OfCommand => !effects::only_replaces_shell(command),
            Self::Everything => true,
        }
    }
}
