//! The parts of what a bash prints of itself, taken apart by quotes: bash ends lines inside of words.

use std::fmt::Write as _;

/// Variables that bash keeps itself, and those that `program` uses: none of them is given to the next bash.
const NOT_CARRIED: [&str; 34] = [
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_LINENO",
    "BASH_MONOSECONDS",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_TRAPSIG",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "PIPESTATUS",
    "POSIXLY_CORRECT",
    "PPID",
    "RANDOM",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
    "_",
];

/// Traps that end with their command, and the one that the dump itself replaces.
const NOT_CARRIED_TRAPS: [&str; 4] = ["EXIT", "DEBUG", "SIGXFSZ", "XFSZ"];

/// A limit of open files below that is not carried on.
const LEAST_DESCRIPTORS: u64 = 16;

/// Text that declares one thing, and what that thing is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) name: String,
    pub(super) text: Vec<u8>,
}

pub(super) fn line_of(mut part: Vec<u8>) -> Vec<u8> {
    if part.last() == Some(&b'\n') {
        part.pop();
    }
    part
}

/// Names with colons between them; none where there is no name.
pub(super) fn names_of(part: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(part).ok()?.trim();
    let is_list = !text.is_empty() && !text.contains(' ');
    is_list.then(|| text.split(':').filter(|one| is_option_name(one)).map(str::to_owned).collect())
}

fn is_option_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The options that `shopt -p` tells as being on. `BASHOPTS` does not know what POSIX mode has put on.
pub(super) fn shopts_of(part: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(part);
    let names = text.lines().filter_map(|line| line.strip_prefix("shopt -s "));
    names.filter(|name| is_option_name(name)).map(str::to_owned).collect()
}

/// The statements of a text, each with its newline.
fn statements(text: &[u8]) -> Vec<&[u8]> {
    #[derive(PartialEq)]
    enum Within {
        Nothing,
        Double,
        Single,
        Escaped,
    }
    let (mut found, mut start, mut within) = (Vec::new(), 0, Within::Nothing);
    let (mut at, mut before) = (0, b' ');
    while let Some(byte) = text.get(at).copied() {
        match (&within, byte) {
            (Within::Nothing | Within::Double | Within::Escaped, b'\\') => at += 1,
            (Within::Nothing, b'"') => within = Within::Double,
            (Within::Nothing, b'\'') if before == b'$' => within = Within::Escaped,
            (Within::Nothing, b'\'') => within = Within::Single,
            (Within::Double, b'"') | (Within::Single | Within::Escaped, b'\'') => {
                within = Within::Nothing;
            }
            (Within::Nothing, b'\n') => {
                found.extend(text.get(start..=at));
                start = at + 1;
            }
            _ => {}
        }
        before = byte;
        at += 1;
    }
    found
}

pub(super) fn variables_of(text: &[u8]) -> Vec<Statement> {
    let statement = |text: &[u8]| {
        let flags_on = text.strip_prefix(b"declare -")?;
        let space = flags_on.iter().position(|byte| *byte == b' ')?;
        let named = flags_on.get(space + 1..)?;
        let end = named.iter().position(|byte| *byte == b'=' || *byte == b'\n')?;
        let name = std::str::from_utf8(named.get(..end)?).ok()?.to_owned();
        let is_carried = !NOT_CARRIED.contains(&name.as_str()) && !name.starts_with("__pi_");
        is_carried.then(|| Statement { name, text: text.to_vec() })
    };
    statements(text).into_iter().filter_map(statement).collect()
}

pub(super) fn traps_of(text: &[u8]) -> Vec<Statement> {
    let statement = |text: &[u8]| {
        text.strip_prefix(b"trap -- ")?;
        let words = text.trim_ascii_end();
        let last = words.rsplit(|byte| *byte == b' ').next()?;
        let name = std::str::from_utf8(last).ok()?;
        let is_carried = !NOT_CARRIED_TRAPS.contains(&name);
        is_carried.then(|| Statement { name: name.to_owned(), text: text.to_vec() })
    };
    statements(text).into_iter().filter_map(statement).collect()
}

/// The lines of `declare -F` that say more than that there is such a function. One called `builtin` is left out: it is
/// defined last, when nothing more can be said of it.
pub(super) fn special_attributes(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_plain = line.starts_with(b"declare -f ");
        if line.starts_with(b"declare -f") && !is_plain && !line.ends_with(b" builtin\n") {
            kept.extend_from_slice(b"\\builtin ");
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// The definition of `builtin` in what `export -pf` prints: each function, and then a line of its name.
pub(super) fn definition_of_builtin(text: &[u8]) -> Option<Vec<u8>> {
    const FIRST: &[u8] = b"builtin () ";
    let start =
        if text.starts_with(FIRST) { 0 } else { memchr::memmem::find(text, b"\nbuiltin () ")? + 1 };
    let rest = text.get(start..)?;
    let end = memchr::memmem::find(rest, b"\ndeclare -fx builtin\n")?;
    rest.get(..=end).map(<[u8]>::to_vec)
}

/// Limits as `ulimit -Sa` and `ulimit -Ha` print them one after the other:
/// `open files                      (-n) 1024`.
pub(super) fn limits_of(lines: &str) -> String {
    let mut text = String::new();
    let mut kind = 'S';
    for line in lines.lines() {
        if line == "#hard" {
            kind = 'H';
        }
        let Some((_, rest)) = line.split_once('(') else { continue };
        let Some((unit, value)) = rest.split_once(") ") else { continue };
        let Some(flag) = unit.rsplit('-').next().filter(|flag| flag.len() == 1) else { continue };
        // Bash keeps a copy of what it redirects at 10 and above: below that, no command could be redirected.
        let is_too_low =
            flag == "n" && value.parse::<u64>().is_ok_and(|value| value < LEAST_DESCRIPTORS);
        // The size of a pipe cannot be set.
        if flag != "p"
            && !is_too_low
            && (value == "unlimited" || value.bytes().all(|byte| byte.is_ascii_digit()))
        {
            let _infallible = writeln!(text, "\\builtin ulimit -{kind}{flag} {value}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(statements: &[Statement]) -> Vec<&str> {
        statements.iter().map(|one| one.name.as_str()).collect()
    }

    #[test]
    fn a_part_of_one_line_is_that_line() {
        assert_eq!(line_of(b"/a\nb\n".to_vec()), b"/a\nb");
        assert_eq!(line_of(b"/a".to_vec()), b"/a");
        assert_eq!(line_of(Vec::new()), b"");
    }

    #[test]
    fn names_stand_between_colons_and_nothing_else_is_a_list_of_them() {
        let list = |text: &[u8]| names_of(text).map(|names| names.join(" "));
        assert_eq!(list(b"a:b-c:d_1\n").as_deref(), Some("a b-c d_1"));
        assert_eq!(list(b"a::b!:c").as_deref(), Some("a c"));
        for text in [&b"\n"[..], b"", b"a b", b"a\xff"] {
            assert_eq!(list(text), None, "{text:?}");
        }
    }

    #[test]
    fn options_that_are_on_are_those_that_are_set() {
        let text = b"shopt -s cmdhist\nshopt -u autocd\nnoise\nshopt -s a b\nshopt -s extglob\n";
        assert_eq!(shopts_of(text), ["cmdhist", "extglob"]);
    }

    #[test]
    fn a_statement_ends_with_a_line_that_is_in_no_quotes() {
        for (text, lines) in [
            ("a\nb\n", 2),
            ("a\\\nb\n", 1),
            ("'a\nb'\nc\n", 2),
            ("'a\\'\nb\n", 2),
            ("\"a\nb\"\nc\n", 2),
            ("\"a\\\"\nb\"\n", 1),
            ("\"'\"\nb\n", 2),
            ("'\"'\nb\n", 2),
            ("$'a\\'\nb'\nc\n", 2),
            ("$'a\"'\nb\n", 2),
            ("x'\\''\nb'\n", 1),
            ("\\'\nb\n", 2),
            ("a\nb", 1),
            ("", 0),
        ] {
            let found = statements(text.as_bytes());
            assert_eq!(found.len(), lines, "{text:?}");
            assert!(text.as_bytes().starts_with(&found.concat()), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn variables_are_carried_on_but_for_those_of_bash_and_ours() {
        let text =
            b"declare -x A=\"1\"\ndeclare -- B\ndeclare -ir UID=\"0\"\ndeclare -- __pi_x=\"\"\n\
            export C=1\ndeclare -a D=([0]=\"x y\")\ndeclare -i";
        let found = variables_of(text);
        assert_eq!(names(&found), ["A", "B", "D"]);
        assert_eq!(found[1].text, b"declare -- B\n");
    }

    #[test]
    fn traps_are_carried_on_but_for_those_that_end_with_their_command() {
        let text =
            b"trap -- 'a b' SIGUSR1\ntrap -- '' EXIT\ntrap -- 'x' DEBUG\nnoise\ntrap -- 'y' ERR\n";
        let found = traps_of(text);
        assert_eq!(names(&found), ["SIGUSR1", "ERR"]);
        assert_eq!(found[0].text, b"trap -- 'a b' SIGUSR1\n");
    }

    #[test]
    fn attributes_of_functions_are_kept_where_they_are_more_than_none() {
        let text = b"declare -f a\ndeclare -fx b\ndeclare -ft builtin\nnoise\ndeclare -frx c\n";
        let kept = special_attributes(text);
        assert_eq!(
            String::from_utf8(kept).unwrap(),
            "\\builtin declare -fx b\n\\builtin declare -frx c\n"
        );
    }

    #[test]
    fn the_function_called_builtin_ends_before_the_line_of_its_name() {
        let text =
            b"builtin () \n{ \n    :\n}\ndeclare -fx builtin\nz () \n{ \n    :\n}\ndeclare -fx z\n";
        assert_eq!(definition_of_builtin(text).unwrap(), b"builtin () \n{ \n    :\n}\n");
        assert_eq!(definition_of_builtin(b"my_builtin () \n{ :; }\ndeclare -fx builtin\n"), None);
        assert_eq!(definition_of_builtin(b"builtin () \n{ :; }\n"), None);
    }

    #[test]
    fn limits_are_those_that_can_be_set_and_leave_bash_its_descriptors() {
        let lines = "open files (-n) 15\nopen files (-n) 16\ncpu time (seconds, -t) 3\nbroken\n\
            no flag (seconds) 4\ncore (blocks, -c) soft\npipe size (512 bytes, -p) 8\nno value (-x)\n\
            #hard\nopen files (-n) 9\ncpu time (seconds, -t) unlimited\n";
        assert_eq!(
            limits_of(lines),
            "\\builtin ulimit -Sn 16\n\\builtin ulimit -St 3\n\\builtin ulimit -Ht unlimited\n"
        );
    }
}
