//! A shell's state as `DUMP_SCRIPT` prints it, and the text that puts it back.
//!
//! Only text is handled here; who prints it, and when it is used, is the sessions' business.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Longest state that is read. A shell with a megabyte of functions is rare.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// Options that are scoped to a command, that the driver sets itself, or that would stop it.
const SKIPPED_OPTIONS: [&str; 10] = [
    "errexit",
    "verbose",
    "noexec",
    "onecmd",
    "history",
    "histexpand",
    "monitor",
    "extdebug",
    "restricted_shell",
    "login_shell",
];

/// Puts the directories that are positional parameters on the stack, the last one first. In POSIX mode,
/// which a restored variable brings, `${!#}` is no last parameter.
const RESTORE_PUSHED: &[u8] =
    b"\nwhile (($#));do \\builtin pushd -n \"${@:$#}\";\\builtin set -- \"${@:1:$#-1}\";done\n";

/// The line that puts tracing on.
const TRACE: &str = "\\builtin set -o xtrace\n";

/// What was saved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SavedState {
    /// The text to source, restoring everything that text can.
    pub(crate) restore: Vec<u8>,
    /// The text that sets its limits; apart, since limits may be what broke the shell.
    pub(crate) limits: String,
    /// It was tracing (`set -x`). Apart, for a session that says something to the shell after the
    /// state, which would be shown.
    pub(crate) xtrace: bool,
    /// The shell was in POSIX mode.
    pub(crate) posix: bool,
    /// It was printed inside of a function, whose local variables cannot be told from others.
    pub(crate) inside_function: bool,
}

impl SavedState {
    /// Reads a saved state; `None` where it is missing or was cut off.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        Self::parse(&read_plain(path).ok()?)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        // Behind it may stand what a RETURN trap printed: the script that tells the state is sourced.
        let text = text.get(..memchr::memmem::rfind(text, b"\n#pi-end\n")? + 1)?;
        let (header, rest) = split_once(text, b"\n")?;
        let (head, rest) = split_once(rest, b"#pi-state\n")?;
        let end = memchr::memmem::rfind(rest, b"#pi-limits\n")?;
        let (state, limits) = rest.split_at(end);
        let (cwd, head) = split_once(head, b"\n")?;
        let (pushed, head) = split_once(head, b"\n")?;
        let (arguments, options) = split_once(head, b"\n")?;
        let (shopt, mut set) = options_of(&String::from_utf8_lossy(options));
        let xtrace = set.find(TRACE);
        if let Some(at) = xtrace {
            set.replace_range(at..at + TRACE.len(), "");
        }
        let xtrace = xtrace.is_some();
        let mut restore = Vec::with_capacity(text.len() + 256);
        restore.extend_from_slice(shopt.as_bytes());
        extend_without_driver(&mut restore, state);
        restore.extend_from_slice(cwd);
        // A directory that is gone: `PWD` must not say that the shell is there.
        restore.extend_from_slice(b" || \\builtin cd /\n");
        restore.extend_from_slice(pushed);
        restore.extend_from_slice(RESTORE_PUSHED);
        // Exported without a value, as a new bash has it: what was evaluated before is forgotten by now.
        if declares_bare_oldpwd(state) {
            restore.extend_from_slice(b"\\builtin export OLDPWD\n");
        }
        restore.extend_from_slice(arguments);
        restore.push(b'\n');
        restore.extend_from_slice(set.as_bytes());
        let limits = limits_of(&String::from_utf8_lossy(limits));
        let header = String::from_utf8_lossy(header);
        let inside_function = header
            .trim_start_matches('#')
            .split(' ')
            // The driver's have no local variables.
            .any(|name| !matches!(name, "" | "source" | "main") && !name.starts_with("__pi_"));
        let posix = set.contains("set -o posix\n");
        Some(Self { restore, limits, xtrace, posix, inside_function })
    }
}

fn declares_bare_oldpwd(state: &[u8]) -> bool {
    state.split(|byte| *byte == b'\n').any(|line| line == b"declare -x OLDPWD")
}

/// Copies the variables without attributes of the driver's own: a read-only one would stop it.
fn extend_without_driver(restore: &mut Vec<u8>, state: &[u8]) {
    for line in state.split_inclusive(|byte| *byte == b'\n') {
        let rest = line.strip_prefix(b"declare -").and_then(|rest| split_once(rest, b" "));
        match rest {
            // Bash's own, unless a command made it read-only, and then orders could not set it.
            Some((_attributes, named)) if named.starts_with(b"LINENO=") => {}
            Some((_attributes, named))
                if [&b"__p="[..], b"__pi_"].iter().any(|own| named.starts_with(own)) =>
            {
                restore.extend_from_slice(b"declare -- ");
                restore.extend_from_slice(named);
            }
            _ => restore.extend_from_slice(line),
        }
    }
}

/// Reads a file that a shell in a sandbox may have put there: no link is followed, no FIFO waited
/// for, and no more is read than a state has.
#[cfg(unix)]
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    use std::fs::File;
    use std::io::Read as _;

    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() || found.len() > MAX_STATE_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = Vec::new();
    file.take(MAX_STATE_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

/// There is no sandbox: nobody else writes there.
#[cfg(not(unix))]
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.len() > MAX_STATE_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    std::fs::read(path)
}

fn split_once<'a>(text: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(text, separator)?;
    let (before, after) = text.split_at(at);
    after.strip_prefix(separator).map(|after| (before, after))
}

/// The lines of `shopt -p`, which functions need to be parsed, and those of `shopt -po`, which
/// come last: `set -u` and the like would act on the restoring itself.
fn options_of(lines: &str) -> (String, String) {
    let mut shopt = String::new();
    let mut set = String::new();
    for line in lines.lines() {
        let name = line.rsplit(' ').next().unwrap_or_default();
        if SKIPPED_OPTIONS.contains(&name) {
            continue;
        }
        // Aliases last of all: one may be named like a word of this text.
        let target = if line.starts_with("shopt ") && name != "expand_aliases" {
            &mut shopt
        } else if line.starts_with("shopt ") || line.starts_with("set ") {
            &mut set
        } else {
            continue;
        };
        // Writing to a string cannot fail.
        let _infallible = writeln!(target, "\\builtin {line}");
    }
    (shopt, set)
}

/// Soft limits as `ulimit -Sa` prints them: `open files                      (-n) 1024`.
fn limits_of(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines() {
        let Some((_, rest)) = line.split_once('(') else { continue };
        let Some((unit, value)) = rest.split_once(") ") else { continue };
        let Some(flag) = unit.rsplit('-').next().filter(|flag| flag.len() == 1) else { continue };
        // The size of a pipe cannot be set.
        if flag != "p" && (value == "unlimited" || value.bytes().all(|byte| byte.is_ascii_digit()))
        {
            let _infallible = writeln!(text, "\\builtin ulimit -S{flag} {value}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAVED: &str = "#source\n\\builtin cd -- /tmp\nOLDPWD=/;\\builtin set -- /usr\n\\builtin set -- a b\nshopt -s extglob\nset -o errexit\nset -o nounset\nset -o xtrace\n#pi-state\numask 0022\ndeclare -- A=\"#pi-limits\n\"\n#pi-limits\nopen files                      (-n) 1024\nstack size              (kbytes, -s) unlimited\npipe size            (512 bytes, -p) 8\n#pi-end\n";

    #[test]
    fn options_that_would_act_on_restoring_come_last() {
        let state = SavedState::parse(SAVED.as_bytes()).unwrap();

        let text = String::from_utf8(state.restore).unwrap();
        assert_eq!(
            text,
            "\\builtin shopt -s extglob\numask 0022\ndeclare -- A=\"#pi-limits\n\"\n\\builtin cd -- /tmp || \\builtin cd /\nOLDPWD=/;\\builtin set -- /usr\nwhile (($#));do \\builtin pushd -n \"${@:$#}\";\\builtin set -- \"${@:1:$#-1}\";done\n\\builtin set -- a b\n\\builtin set -o nounset\n"
        );
        assert_eq!(state.limits, "\\builtin ulimit -Sn 1024\n\\builtin ulimit -Ss unlimited\n");
        assert!(state.xtrace);
        assert!(!state.inside_function);
    }

    #[test]
    fn a_state_that_was_cut_off_is_none() {
        for end in 0..SAVED.len() {
            assert_eq!(SavedState::parse(&SAVED.as_bytes()[..end]), None, "{end}");
        }
    }

    #[test]
    fn a_state_told_inside_a_function_says_so() {
        let saved = SAVED.replacen("#source", "#source f main", 1);

        assert!(SavedState::parse(saved.as_bytes()).unwrap().inside_function);
    }
}
