//! What the bash of one command evaluates: the state before, the command, the state after.
//!
//! Pure text and the files it goes through; nothing is started here.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::request::{EnvironmentEntry, ShellOptions};
use crate::script::{DUMP_SCRIPT, SavedState, quote, quote_path};

/// What bash is started with: it evaluates the file that is its first argument, and then the line
/// that this left in `__pi_l`: only on the first line can the count of lines be put back. `read`
/// takes a file whole up to a NUL, also in the bash 3.2 of macOS.
pub(super) const LOADER: &str = r#"IFS= \builtin read -r -d '' __pi_m <"$1";\builtin shift;\builtin eval "$__pi_m";\builtin eval "$__pi_l""#;

/// Name of a command's output while its program gets ready: out of the way of scripts, and below
/// every usual limit.
const OUTPUT: u32 = 241;

/// The same for its standard error, which has flags of its own (`Errors` in `session/descriptors`).
const ERRORS: u32 = 242;

/// Says where the shell is, in the form the host understands: MSYS has `/c/…` for `C:/…`.
const TELL_DIRECTORY: &str = if cfg!(windows) {
    r#"{ \builtin pwd -W || \builtin printf %s "$PWD";} 2>/dev/null"#
} else {
    r#"\builtin printf %s "$PWD""#
};

/// The files of one command.
pub(super) struct Files {
    /// What bash evaluates.
    pub(super) program: PathBuf,
    /// The command as it is.
    command: PathBuf,
    /// Written by bash: its state at the end.
    pub(super) state: PathBuf,
    /// Written by bash: its directory at the end.
    directory: PathBuf,
    /// Made by bash when it begins.
    pub(super) begun: PathBuf,
    /// Prints the state.
    dump: PathBuf,
}

impl Files {
    /// The files of command number `serial`.
    pub(super) fn new(folder: &Path, serial: u64) -> Self {
        let name = |kind: char| folder.join(format!("{kind}{serial}"));
        Self {
            program: name('p'),
            command: name('t'),
            state: name('n'),
            directory: name('w'),
            begun: name('b'),
            dump: name('x'),
        }
    }

    /// The directory that bash told.
    pub(super) fn read_directory(&self) -> Option<PathBuf> {
        let bytes = std::fs::read(&self.directory).ok()?;
        let path = path_of(bytes.trim_ascii_end());
        path.is_absolute().then_some(path)
    }

    /// Removes them. What is left goes with the folder.
    pub(super) fn remove(&self) {
        let Self { program, command, state, directory, begun, dump } = self;
        for file in [program, command, state, directory, begun, dump] {
            drop(std::fs::remove_file(file));
        }
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// A path as bash is told of it: MSYS takes `C:/…`, where a backslash would quote.
pub(super) fn for_bash(path: &Path) -> String {
    if cfg!(windows) { quote(&path.to_string_lossy().replace('\\', "/")) } else { quote_path(path) }
}

/// One command, as its bash is told of it.
pub(super) struct Program<'a> {
    pub(super) files: &'a Files,
    /// What the bash before wrote down.
    pub(super) state: Option<&'a SavedState>,
    /// The session's options, where this is its first command.
    pub(super) first: Option<&'a ShellOptions>,
    /// What bash is started with; a state knows which of it was unset.
    pub(super) base_env: &'a [EnvironmentEntry],
    /// Where to go first; bash is in the session's directory already.
    pub(super) cwd: Option<&'a Path>,
    pub(super) status: i32,
    pub(super) env: &'a [EnvironmentEntry],
}

impl Program<'_> {
    /// Writes program and command.
    pub(super) fn write(&self, command: &str) -> io::Result<()> {
        std::fs::write(&self.files.command, command)?;
        std::fs::write(&self.files.dump, DUMP_SCRIPT)?;
        std::fs::write(&self.files.program, self.text())
    }

    /// The program. Its output is the command's own only where the command runs: before, nothing
    /// of the state shows; after, what is said stands in a group whose redirections are neither
    /// traced nor seen by a DEBUG trap. They are undone before an EXIT trap of the command runs.
    fn text(&self) -> Vec<u8> {
        let dump = format!(
            "\\builtin unset __pi_m __pi_c __pi_g __pi_l;\\builtin . {} >|{} 2>/dev/null;{TELL_DIRECTORY} >|{}",
            for_bash(&self.files.dump),
            for_bash(&self.files.state),
            for_bash(&self.files.directory),
        );
        let begun = for_bash(&self.files.begun);
        let mut text =
            format!("\\exec {OUTPUT}>&1 {ERRORS}>&2 >/dev/null 2>&1\n: >|{begun}\n").into_bytes();
        match self.state {
            Some(state) => {
                self.push_unset(&mut text, state);
                text.extend_from_slice(&state.restore);
                text.extend_from_slice(state.limits.as_bytes());
            }
            None => self.push_first(&mut text),
        }
        let mut rest = String::new();
        if let Some(cwd) = self.cwd {
            let _infallible = writeln!(rest, "\\builtin cd -- {}", for_bash(cwd));
        }
        let xtrace = self.state.is_some_and(|state| state.xtrace);
        let trace = if xtrace { "{ \\builtin set -x;} >/dev/null 2>&1;" } else { "" };
        let _infallible = writeln!(rest, "__pi_g={}", quote(trace));
        let command = for_bash(&self.files.command);
        let _infallible = writeln!(rest, "IFS= \\builtin read -r -d '' __pi_c <{command}");
        let state = for_bash(&self.files.state);
        let guard = format!("{{ [[ -s {state} ]] || {{ {dump};}};}} >/dev/null 2>&1");
        let _infallible = writeln!(rest, "\\builtin trap {} EXIT", quote(&guard));
        let _infallible = writeln!(rest, "__pi_l={}", quote(&self.line(&dump)));
        let _infallible = writeln!(rest, "\\exec >&{OUTPUT} 2>&{ERRORS} {OUTPUT}>&- {ERRORS}>&-");
        text.extend_from_slice(rest.as_bytes());
        text
    }

    /// The line that runs the command and has the state written by `dump`.
    fn line(&self, dump: &str) -> String {
        let mut line = String::from("{ ");
        if self.status != 0 {
            let _infallible = write!(line, "(\\exit {});", self.status);
        }
        for (name, value) in self.env {
            let _infallible = write!(line, "{name}={} ", quote(value));
        }
        let posix = self.state.is_some_and(|state| state.posix);
        let eval = match (self.env.is_empty(), posix) {
            (true, _) => "\\builtin eval",
            // `builtin` would not hand the variables on to what `eval` starts.
            (false, false) => "\\eval",
            // There, what stands before a special builtin stays.
            (false, true) => "\\command eval",
        };
        let _infallible = write!(line, "{eval} \"$__pi_g$__pi_c\";}} <&$((LINENO=0));");
        let _infallible =
            write!(line, "{{ __pi_s=$?;{dump};\\builtin exit \"$__pi_s\";}} >/dev/null 2>&1");
        line
    }

    /// What a session begins with.
    fn push_first(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"\\builtin unset OLDPWD\n");
        let Some(options) = self.first else { return };
        for (name, value) in &options.session_env {
            text.extend_from_slice(
                format!("\\builtin export {name}={}\n", quote(value)).as_bytes(),
            );
        }
        if let Some(snapshot) = options.snapshot_path.as_deref().filter(|path| path.is_file()) {
            text.extend_from_slice(format!("\\builtin . {}\n", for_bash(snapshot)).as_bytes());
        }
    }

    /// Unsets what bash is started with and the state does not have.
    fn push_unset(&self, text: &mut Vec<u8>, state: &SavedState) {
        for (name, _) in self.base_env {
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if is_name && !state.declares(name) {
                text.extend_from_slice(format!("\\builtin unset {name}\n").as_bytes());
            }
        }
    }
}
