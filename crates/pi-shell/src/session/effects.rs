//! Which commands certainly leave a shell's state as it was.
//!
//! After such a command the standby of the one before is still true, so none is forked: that is
//! most of the price of a short command. Anything in doubt changes state.

/// Builtins that print or test and set nothing but `$?` and `$_`.
const PRINTERS: [&str; 6] = [":", "true", "false", "echo", "pwd", "test"];

/// Whether `command` is one plain call of a builtin that changes nothing: words of letters,
/// digits and `._/,@%+=-` only, so that there is no expansion, redirection or second command.
///
/// A function or an alias of the same name may do anything; then only the checkpoint is older.
pub(super) fn changes_nothing(command: &str) -> bool {
    let command = command.trim_matches([' ', '\n', '\t']);
    let plain =
        command.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" ._/,@%+=-:".contains(&byte));
    let mut words = command.split(' ');
    plain && words.next().is_some_and(|first| PRINTERS.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::changes_nothing;

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
