//! The files that one command's bash is given orders by, and reports by.

#[cfg(not(unix))]
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
pub(super) use pi_process::sys::read_plain;

use crate::script::{quote, quote_path};

/// Name of the script of a command's bash: what `$0` and the messages of bash say.
pub(super) const SCRIPT_NAME: &str = "bash";

/// The files of one command. Those that bash writes lie where a shell in a sandbox may write.
pub(super) struct Files {
    /// Where bash is started, with its script and all that it reads.
    pub(super) folder: PathBuf,
    /// What bash evaluates first.
    pub(super) program: PathBuf,
    /// The functions of the state: apart, since text of one may be wrong.
    pub(super) functions: PathBuf,
    /// The command as it is, behind what has to be set at the very last.
    pub(super) command: PathBuf,
    /// Ends with the status that `$?` shows.
    pub(super) status: PathBuf,
    /// Prints the state.
    pub(super) dump: PathBuf,
    /// Written by bash: its state at the end.
    pub(super) state: PathBuf,
    /// Written by bash: a function that is called `builtin`.
    pub(super) builtin: PathBuf,
    /// Written by bash: names of local variables, for itself.
    pub(super) locals: PathBuf,
    /// Made by bash when it begins, with a word for each thing that failed.
    pub(super) begun: PathBuf,
}

impl Files {
    /// The files of command number `serial`: the host's in `folder`, bash's in `written`.
    pub(super) fn new(folder: &Path, written: &Path, serial: u64) -> Self {
        let folder = folder.join(format!("c{serial}"));
        let written = |kind: char| written.join(format!("{kind}{serial}"));
        Self {
            program: folder.join("p"),
            functions: folder.join("f"),
            command: folder.join("t"),
            status: folder.join("s"),
            dump: folder.join("x"),
            folder,
            state: written('n'),
            builtin: written('u'),
            locals: written('l'),
            begun: written('b'),
        }
    }

    /// What bash reported when it began; none where it did not.
    pub(super) fn marks_at_begin(&self) -> Option<Vec<u8>> {
        read_plain(&self.begun, MAX_WORDS_BYTES).ok()
    }

    /// Removes them. What is left goes with the session's folder.
    pub(super) fn remove(&self) {
        for file in [&self.state, &self.builtin, &self.locals, &self.begun] {
            drop(std::fs::remove_file(file));
        }
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// More than bash tells when it begins.
const MAX_WORDS_BYTES: u64 = 1024;

/// A path that bash printed.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path that bash printed, which ends lines with CR LF there.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned())
}

/// A path as bash is notified of it: MSYS takes `C:/…`, where a backslash would quote.
pub(super) fn for_bash(path: &Path) -> String {
    if cfg!(windows) { quote(&path.to_string_lossy().replace('\\', "/")) } else { quote_path(path) }
}

/// There is no sandbox: only this user writes there.
#[cfg(not(unix))]
pub(super) fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.len() > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    std::fs::read(path)
}
