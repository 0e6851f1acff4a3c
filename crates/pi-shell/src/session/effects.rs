//! What a command may do to a shell, as far as its text tells. No standby is forked before one that certainly leaves the
//! shell alive: a fork is most of the price of a short command. Anything in doubt may end it.

/// Builtins that print or test.
const PRINTERS: [&str; 6] = [":", "true", "false", "echo", "pwd", "test"];

/// Builtins that no call of ends or replaces the shell, or takes long; `set` and `shopt` but for what restricts it.
const HARMLESS: [&str; 14] = [
    "cd", "export", "unset", "set", "shopt", "umask", "alias", "unalias", "declare", "typeset",
    "local", "readonly", "pushd", "popd",
];

/// Whether `command` consists of plain calls of builtins, and of assignments, which leave the shell alive: words without
/// substitutions, redirections or groups, joined by `;`, `&&`, `||` and newlines.
/// Whether these names are the builtins', the shell reports (`HAS_OVERRIDES`).
pub(super) fn keeps_shell(command: &str) -> bool {
    let is_joined_singly = |byte: u8| {
        let pair = [byte, byte];
        command.bytes().filter(|one| *one == byte).count()
            != 2 * memchr::memmem::find_iter(command.as_bytes(), &pair).count()
    };
    if is_joined_singly(b'&') || is_joined_singly(b'|') || !command.bytes().all(is_simple) {
        return false;
    }
    command.split([';', '\n', '&', '|']).all(|part| {
        let mut words = part.split([' ', '\t']).filter(|word| !word.is_empty());
        match words.find(|word| !is_assignment(word)) {
            None => true,
            Some(name) => {
                PRINTERS.contains(&name)
                    || HARMLESS.contains(&name) && !words.any(|word| may_restrict(name, word))
            }
        }
    })
}

/// A byte of a word whose expansion runs nothing.
fn is_simple(byte: u8) -> bool {
    is_plain(byte) || b"\n\t;&|$\"'~".contains(&byte)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// `set -r`, `set -o restricted`, `set -$x`: a restricted shell is replaced.
fn may_restrict(name: &str, word: &str) -> bool {
    name == "set"
        && (word.contains('$')
            || word.contains("restricted")
            || (word.starts_with('-') && word.contains('r')))
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

#[cfg(test)]
mod tests {
    use super::{keeps_shell, only_replaces_shell};

    #[test]
    fn plain_builtins_and_assignments_keep_the_shell() {
        for command in [
            "x=1",
            "cd /tmp && pwd",
            "cd /tmp; x=$HOME; echo $x",
            "export A=1 B='two words'",
            "set -eu\nunset x",
            "A_B=1 cd ~ || true",
            "",
        ] {
            assert!(keeps_shell(command), "{command}");
        }
    }

    #[test]
    fn whatever_may_end_or_hold_the_shell_is_found() {
        for command in [
            "ls",
            "exit 3",
            "x=$(ls)",
            "x=`ls`",
            "cd / & pwd",
            "cd / | cat",
            "cd / &&& pwd",
            "cd /; kill -9 $$",
            "echo a > f",
            "(cd /)",
            "{ cd /; }",
            "while :; do :; done",
            "read x",
            "wait",
            "eval cd",
            "exec ls",
            "x=1 ls",
            "./x=1",
            "set -r",
            "set -o restricted",
            "set $x",
            "ulimit -t 1",
            "f() { :; }",
            "cd \\\n/",
        ] {
            assert!(!keeps_shell(command), "{command}");
        }
    }

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
}
