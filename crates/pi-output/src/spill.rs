//! Writes the bytes of a stream to a file, from the first one on, once they are too many: as they are, or masked.
//!
//! Until then they are held, so that a file made late begins at the beginning; most commands never
//! need one. Writing blocks: a slow disk slows down whoever reads the pipe, and so the command,
//! and nothing queues in memory. A failure never changes a run: it is named, and what was written
//! is removed, because half a file that is offered as the whole is worse than none.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pi_mask::{Masked, Masker};

use super::window::elided;

/// A spill file, or what stands for it until it is needed.
#[derive(Debug)]
pub(super) struct Spill {
    path: Option<PathBuf>,
    /// Most bytes in the file.
    limit: Option<u64>,
    state: State,
    /// Masks what is written. `None`: the file has the bytes as they are.
    masker: Option<Masker>,
    /// Bytes that were to be written.
    given: u64,
    /// Bytes in the file.
    written: u64,
    error: Option<String>,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing is written any more, or never was.
    #[default]
    Off,
    /// Every byte so far, while no file is needed.
    Held(Vec<u8>),
    /// The file takes what comes.
    Open(File),
    /// The file is whole and closed; late output may be appended.
    Closed(Identity),
}

impl Spill {
    /// A spill to `path` of at most `limit` bytes; without a path there is nothing to do, ever.
    pub(super) fn new(path: Option<PathBuf>, limit: Option<u64>, masker: Option<Masker>) -> Self {
        let state = if path.is_some() { State::Held(Vec::new()) } else { State::Off };
        Self { path, limit, state, masker, given: 0, written: 0, error: None }
    }

    /// A spill whose file is open already: for tests of what happens when it cannot be written.
    #[cfg(test)]
    pub(super) fn with_open_file(path: PathBuf, file: File) -> Self {
        let mut spill = Self::new(Some(path), None, None);
        spill.state = State::Open(file);
        spill
    }

    /// The file holds every byte of the command.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.state, State::Closed(_)) && self.error.is_none()
    }

    /// Why the file is missing or short.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Takes the next bytes: held where `is_needed` is false, written otherwise.
    pub(super) fn push(&mut self, bytes: &[u8], is_needed: bool) {
        if is_needed {
            self.require();
        }
        match &mut self.state {
            State::Held(held) => held.extend_from_slice(bytes),
            State::Open(_) => self.write_masked(bytes),
            State::Off | State::Closed(_) => {}
        }
    }

    /// Makes the file with what is held, if there is none yet.
    pub(super) fn require(&mut self) {
        let State::Held(held) = &mut self.state else { return };
        let held = std::mem::take(held);
        let Some(path) = &self.path else { return };
        match create(path) {
            Ok(file) => {
                self.state = State::Open(file);
                self.write_masked(&held);
            }
            Err(source) => {
                self.error = Some(explain("create", path, &source));
                self.state = State::Off;
            }
        }
    }

    /// Ends the command's part: the file is complete and closed when this returns.
    pub(super) fn close(&mut self) {
        if let Some(mut masker) = self.masker.take() {
            masker.finish(|bytes| self.write(bytes));
            self.masker = Some(masker);
        }
        let State::Open(mut file) = std::mem::take(&mut self.state) else { return };
        let Some(path) = &self.path else { return };
        if self.given > self.written {
            self.error = Some(match mark_limit(&mut file, self.written, self.given) {
                Ok(kept) => format!(
                    "spill file `{}` has the first {kept} of {} bytes: its limit is {}",
                    path.display(),
                    self.given,
                    self.limit.unwrap_or(self.written),
                ),
                Err(source) => explain("end", path, &source),
            });
            return;
        }
        match Identity::of(&file) {
            Ok(identity) if identity.is_at(path) => self.state = State::Closed(identity),
            Ok(_) => {
                let path = path.display();
                self.error = Some(format!("spill file `{path}` was removed during the run"));
            }
            Err(source) => self.error = Some(explain("check", path, &source)),
        }
    }

    /// What was masked in the file.
    pub(super) fn masked(&self) -> Masked {
        self.masker.as_ref().map(Masker::masked).unwrap_or_default()
    }

    /// Appends output of background children to a closed file. Late output is a courtesy: a
    /// failure ends it silently, the command's own part stays whole.
    pub(super) fn append_late(&mut self, bytes: &[u8]) {
        let Some(masker) = &mut self.masker else { return self.append(bytes) };
        let mut shown = Vec::with_capacity(bytes.len());
        masker.push(bytes, |bytes| shown.extend_from_slice(bytes));
        self.append(&shown);
    }

    /// Appends what was held back of it: no more comes.
    pub(super) fn end_late(&mut self) {
        let Some(masker) = &mut self.masker else { return };
        let mut shown = Vec::new();
        masker.finish(|bytes| shown.extend_from_slice(bytes));
        self.append(&shown);
    }

    fn append(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let (State::Closed(identity), Some(path)) = (&self.state, &self.path) else { return };
        let room = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.written));
        if room < bytes.len() as u64 {
            return;
        }
        if append(path, identity, bytes).is_ok() {
            self.written += bytes.len() as u64;
        }
    }

    fn write_masked(&mut self, bytes: &[u8]) {
        let Some(mut masker) = self.masker.take() else { return self.write(bytes) };
        masker.push(bytes, |bytes| self.write(bytes));
        self.masker = Some(masker);
    }

    fn write(&mut self, bytes: &[u8]) {
        self.given += bytes.len() as u64;
        let (State::Open(file), Some(path)) = (&mut self.state, &self.path) else { return };
        let room = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.written));
        let fits = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        let (now, _) = bytes.split_at(fits);
        match file.write_all(now) {
            Ok(()) => self.written += now.len() as u64,
            Err(source) => {
                self.error = Some(explain("write", path, &source));
                remove(path, file);
                self.state = State::Off;
            }
        }
    }
}

impl Drop for Spill {
    /// A run that was dropped before its end offers no file, so it leaves none.
    fn drop(&mut self) {
        if let (State::Open(file), Some(path)) = (&self.state, &self.path) {
            remove(path, file);
        }
    }
}

/// Which file a path leads to.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    /// Device and inode. `None` where the platform has no such pair.
    node: Option<(u64, u64)>,
}

impl Identity {
    fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::from_metadata(&metadata))
    }

    /// Whether `path` itself, not something it links to, is this file.
    fn is_at(&self, path: &Path) -> bool {
        std::fs::symlink_metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && Self::from_metadata(&metadata) == *self)
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { node: Some((metadata.dev(), metadata.ino())) }
    }

    #[cfg(not(unix))]
    fn from_metadata(_metadata: &std::fs::Metadata) -> Self {
        Self { node: None }
    }
}

/// Makes a file that did not exist, for its owner alone.
fn create(path: &Path) -> io::Result<File> {
    // `create_new` is O_EXCL, which also refuses a symbolic link; the standard library adds
    // O_CLOEXEC. Output can hold secrets, so no one else reads it.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A umask of 0777 would leave a file that its owner cannot read.
        if let Err(error) = file.set_permissions(std::fs::Permissions::from_mode(0o600)) {
            remove(path, &file);
            return Err(error);
        }
    }
    Ok(file)
}

/// Puts the last line into a file that reached its limit, in place of its last bytes. Returns how
/// many bytes of the stream stay. A limit without room for the line gets none.
fn mark_limit(file: &mut File, written: u64, given: u64) -> io::Result<u64> {
    // The line names what is missing once it has its place, so its length is not known before;
    // the longest it can be makes a place that suffices.
    let longest = elided(given, "bytes").len() as u64 + 2;
    let Some(kept) = written.checked_sub(longest) else { return Ok(written) };
    file.set_len(kept)?;
    file.seek(SeekFrom::Start(kept))?;
    file.write_all(format!("\n{}\n", elided(given - kept, "bytes")).as_bytes())?;
    Ok(kept)
}

/// Opens the closed file again, if it is still the same one, and appends to it.
fn append(path: &Path, identity: &Identity, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Something else may stand there now; opening a FIFO without a reader would wait for one.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let mut file = options.open(path)?;
    if Identity::of(&file)? != *identity {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    file.write_all(bytes)
}

/// Removes what was written, if it is still ours.
fn remove(path: &Path, file: &File) {
    if Identity::of(file).is_ok_and(|identity| identity.is_at(path)) {
        // The failure that led here is the one to report.
        drop(std::fs::remove_file(path));
    }
}

fn explain(attempt: &str, path: &Path, source: &io::Error) -> String {
    format!("cannot {attempt} spill file `{}`: {source}", path.display())
}
