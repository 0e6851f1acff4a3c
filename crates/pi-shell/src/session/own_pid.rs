//! Copies whose process id is their own, for commands that say `$$`.
//!
//! In a fork of the standby `$$` is the session's shell, as in any subshell: `kill $$` would end
//! what another call runs, and two calls that write to `/tmp/x.$$` would write to one file. So the
//! fork becomes a new bash, which evaluates the standby's state before the command. It takes some
//! milliseconds instead of one, and has no more of the state than text can tell. Here are its
//! texts; who gives the orders is `copies`.

use std::io;
use std::path::{Path, PathBuf};

use super::descriptors::{Descriptors, Errors};
use super::orders;
use super::protocol::{self, RunMessage};
use super::shared::Shared;
use crate::script::SavedState;

/// Words by which a text may leave its own text behind for a later one to run.
const KEEPERS: [&str; 4] = ["()", "function", "alias", "trap"];

/// Whether a command asks for the process id of its shell.
pub(super) fn is_asked_for(command: &str) -> bool {
    command.contains("$$") || command.contains("${$")
}

/// Whether a command may leave something behind that asks for it: a function, an alias, a trap.
pub(super) fn is_kept_by(command: &str) -> bool {
    is_asked_for(command) && KEEPERS.iter().any(|word| command.contains(word))
}

/// What makes such a copy of a state: the text that a subshell of the standby runs, and the files
/// that it goes through, which are the caller's to remove after the copy's end.
pub(super) struct OwnPidCopy {
    pub(super) body: String,
    pub(super) files: Vec<PathBuf>,
}

/// Writes the script of a copy of `state` that runs `message`; `shell` is the bash.
pub(super) fn prepare(
    shared: &Shared,
    shell: &Path,
    state: &SavedState,
    message: &RunMessage<'_>,
) -> io::Result<OwnPidCopy> {
    let mut files = Vec::new();
    let command_file = orders::command_file(&shared.folder, shared.next_serial(), message.command)?;
    files.extend(command_file.clone());
    let restored = shared.folder.write(&format!("d{}", shared.next_serial()), &state.restore)?;
    let message =
        RunMessage { command_file: command_file.as_deref(), posix: state.posix, ..*message };
    let script = script_text(&restored, &message);
    files.push(restored);
    let script = shared.folder.write(&format!("c{}", shared.next_serial()), script.as_bytes())?;
    // The script is its standard input, as a session's is. Limits are inherited.
    let body = format!(
        "\\builtin cd -- {} && \\builtin exec -c {} --norc --noprofile {} <{}",
        protocol::plain(shared.folder.path()),
        crate::script::quote_path(shell),
        protocol::SCRIPT_NAME,
        protocol::plain(&script)
    );
    files.push(script);
    Ok(OwnPidCopy { body, files })
}

/// Restores the state and runs the command; the shell's output is the command's already.
fn script_text(restored: &Path, message: &RunMessage<'_>) -> String {
    let mut text = format!("{}\n__pi_m=;", protocol::evaluate_state_text(restored));
    message.push_command(&mut text, "\\builtin exit 126");
    text.push_str(&Descriptors::low().redirections(">|", message.output, Errors::Apart));
    message.push_exit(&mut text);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_says_its_shell_s_process_id_asks_for_it() {
        for command in ["kill -9 $$", "echo \"${$}\"", "sh -c 'echo $$'", "f() { kill $$; }"] {
            assert!(is_asked_for(command), "{command}");
        }
        for command in ["echo $BASHPID", "echo $ $", "kill %1", ""] {
            assert!(!is_asked_for(command), "{command}");
        }
    }

    #[test]
    fn what_leaves_such_a_text_behind_is_told_from_what_only_runs_it() {
        for command in ["f() { kill $$; }", "alias k='kill $$'", "trap 'kill $$' USR1"] {
            assert!(is_kept_by(command), "{command}");
        }
        for command in ["kill $$", "echo >/tmp/x.$$", "f() { :; }"] {
            assert!(!is_kept_by(command), "{command}");
        }
    }
}
