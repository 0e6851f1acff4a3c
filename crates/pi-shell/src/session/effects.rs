//! Which commands certainly leave a shell's state as it was.
//!
//! After such a command the standby of the one before is still true, so none is forked: that is
//! most of the price of a short command. Anything in doubt changes state.

/// Builtins that print or test and set nothing but `$?` and `$_`.
#[cfg(unix)]
const PRINTERS: [&str; 6] = [":", "true", "false", "echo", "pwd", "test"];

/// Whether `command` is one plain call of a builtin that changes nothing: words of letters,
/// digits and `._/,@%+=-` only, so that there is no expansion, redirection or second command.
///
/// A function or an alias of the same name may do anything; then only the checkpoint is older.
#[cfg(unix)]
pub(super) fn changes_nothing(command: &str) -> bool {
    let command = command.trim_matches([' ', '\n', '\t']);
    let plain = command.bytes().all(is_plain);
    let mut words = command.split(' ');
    plain && words.next().is_some_and(|first| PRINTERS.contains(&first))
}

/// A byte that no shell does anything with but end a word at a blank.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" ._/,@%+=-:".contains(&byte)
}

/// Whether `command` is one plain call of `exec`: the shell becomes the program, and had set nothing before.
pub(super) fn only_replaces_shell(command: &str) -> bool {
    let command = command.trim_matches([' ', '\n', '\t']);
    command
        .strip_prefix("exec ")
        .is_some_and(|words| words.bytes().all(|byte| is_plain(byte) || byte == b'\''))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{changes_nothing, only_replaces_shell};

    #[test]
    fn a_plain_exec_sets_nothing_before_the_shell_is_gone() {
        for command in ["exec echo", "exec sh -c 'exit 7'", " exec /bin/true\n"] {
            assert!(only_replaces_shell(command), "{command}");
        }
        for command in
            ["X=1 exec ls", "X=1; exec ls", "exec >f", "exec ls $X", "exit 3", "exec ls\nX=1"]
        {
            assert!(!only_replaces_shell(command), "{command}");
        }
    }

    #[test]
    fn plain_printers_change_nothing() {
        for command in ["true", "echo hi", " pwd\n", ":", "test -f /etc/passwd", "echo a=b"] {
            assert!(changes_nothing(command), "{command}");
        }
    }

    #[test]
    fn anything_else_may_change_something() {
        for command in [
            "",
            "cd /",
            "X=1",
            "echo $X",
            "echo a; exit",
            "echo a\necho b",
            "echo `x`",
            "echo >f",
            "exec ls",
            "(true)",
        ] {
            assert!(!changes_nothing(command), "{command}");
        }
    }
}
