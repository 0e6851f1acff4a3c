//! Spills, which are read by range, and files that near sends, which are checked before they have their name. No link is
//! followed: what a command has put in the way is refused.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::{FILES_NAME, Place, failed};
use crate::message::Failure;

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// Bytes that are digested at once.
const DIGESTED_BYTES: usize = 64 * 1024;

/// Whether a name is one that near may give a file.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
}

fn check_name(name: &str) -> Result<(), Failure> {
    if is_name(name) {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_NAME_BYTES).collect();
    Err(Failure::invalid(format!(
        "`{shown}` is not a name; give 1 to 128 of `A-Za-z0-9._-`, not a dot first"
    )))
}

/// A spill that is read.
pub(crate) struct Spill {
    file: OwnedFd,
    /// Bytes of it when it was opened.
    pub(crate) size: u64,
    name: String,
}

impl Spill {
    /// Reads at most so many bytes from an offset. None where it ends before.
    pub(crate) fn read(self, offset: u64, most: u64) -> Result<(Self, Vec<u8>), Failure> {
        let mut bytes = vec![0; usize::try_from(most).unwrap_or_default()];
        let mut length = 0;
        while let Some(room) = bytes.get_mut(length..).filter(|room| !room.is_empty()) {
            let from = offset.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
            match rustix::io::pread(&self.file, room, from) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(failed("read", &self.name, &errno.into())),
            }
        }
        bytes.truncate(length);
        Ok((self, bytes))
    }
}

/// The two ends of a pipe that has a path. Neither waits when it is opened, read or written.
pub(crate) struct Fifo {
    /// Where commands open it.
    pub(crate) path: String,
    /// Held, so that what was written stays while no command has it open.
    pub(crate) reader: OwnedFd,
    pub(crate) writer: OwnedFd,
}

impl Place {
    /// Makes a pipe of this name, which only this program gives.
    pub(crate) fn make_fifo(&self, name: &str) -> Result<Fifo, Failure> {
        let folder = &self.inner.files;
        let fail = |errno: rustix::io::Errno| failed("make", name, &errno.into());
        self.remove_fifo(name);
        rustix::fs::mkfifoat(folder, name, Mode::RUSR | Mode::WUSR).map_err(fail)?;
        let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let open = |way| rustix::fs::openat(folder, name, way | flags, Mode::empty()).map_err(fail);
        let reader = open(OFlags::RDONLY)?;
        let writer = open(OFlags::WRONLY)?;
        let path = self.inner.path.join(super::FILES_NAME).join(name);
        let path = path.into_os_string().into_string();
        let path =
            path.map_err(|_| failed("name", name, &std::io::ErrorKind::InvalidData.into()))?;
        Ok(Fifo { path, reader, writer })
    }

    /// Removes a pipe. One that is not there is as good.
    pub(crate) fn remove_fifo(&self, name: &str) {
        rustix::fs::unlinkat(&self.inner.files, name, AtFlags::empty()).ok();
    }
}

/// A file that near wants to put.
pub(crate) enum Upload {
    /// It is there, at this path.
    There(String),
    /// It has to be sent.
    Missing(Incoming),
}

/// A file on its way.
pub(crate) struct Incoming {
    place: Place,
    file: File,
    digest: Sha256,
    wanted: String,
    /// Name until it was checked.
    temporary: String,
    name: String,
    is_placed: bool,
}

impl Place {
    /// Opens a spill.
    pub(crate) fn open_spill(&self, name: &str) -> Result<Spill, Failure> {
        check_name(name)?;
        let file = open_plain(&self.inner.spills, name, OFlags::RDONLY)
            .map_err(|error| failed("open", name, &error))?;
        let found =
            rustix::fs::fstat(&file).map_err(|errno| failed("open", name, &errno.into()))?;
        let size = u64::try_from(found.st_size).unwrap_or_default();
        Ok(Spill { file, size, name: name.to_owned() })
    }

    /// Removes a spill. One that is not there is as good.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        check_name(name)?;
        match rustix::fs::unlinkat(&self.inner.spills, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(errno) => Err(failed("remove", name, &errno.into())),
        }
    }

    /// Looks for a file by its digest, and makes room for it where it is missing.
    pub(crate) fn begin_upload(
        &self,
        digest: &str,
        size: u64,
        name: &str,
    ) -> Result<Upload, Failure> {
        check_name(name)?;
        let is_digest = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digest.len() != 64 || !digest.bytes().all(is_digest) {
            return Err(Failure::invalid("`digest` is not a SHA-256 in hexadecimal digits"));
        }
        let placed = format!("{digest}-{name}");
        let wrong = |error: io::Error| failed("put", name, &error);
        if let Ok(file) = open_plain(&self.inner.files, &placed, OFlags::RDONLY) {
            if digest_of(File::from(file)).map_err(wrong)? == digest {
                return Ok(Upload::There(self.path_of_file(&placed)?));
            }
            rustix::fs::unlinkat(&self.inner.files, &placed, AtFlags::empty())
                .map_err(|errno| failed("put", name, &errno.into()))?;
        }
        if self.free_bytes().is_some_and(|free| free < size) {
            let message = format!("no space left for `{name}` ({size} bytes) in its folder here");
            return Err(Failure::new("PI_HOST_FILE", message));
        }
        let temporary = format!(".{}", crate::random_hex(16).map_err(wrong)?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file =
            rustix::fs::openat(&self.inner.files, &temporary, flags, Mode::RUSR | Mode::WUSR)
                .map_err(|errno| failed("put", name, &errno.into()))?;
        Ok(Upload::Missing(Incoming {
            place: self.clone(),
            file: file.into(),
            digest: Sha256::new(),
            wanted: digest.to_owned(),
            temporary,
            name: placed,
            is_placed: false,
        }))
    }

    fn path_of_file(&self, name: &str) -> Result<String, Failure> {
        let path = self.path().join(FILES_NAME).join(name);
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Failure::new("PI_HOST_FILE", "the folder's path is not UTF-8"))
    }
}

impl Incoming {
    /// Takes the next piece.
    pub(crate) fn write(mut self, piece: &[u8]) -> Result<Self, Failure> {
        self.digest.update(piece);
        match self.file.write_all(piece) {
            Ok(()) => Ok(self),
            Err(error) => Err(failed("put", &self.name, &error)),
        }
    }

    /// Checks it and puts it in place. Returns its path.
    pub(crate) fn finish(mut self) -> Result<String, Failure> {
        let found = hex(&std::mem::take(&mut self.digest).finalize());
        if found != self.wanted {
            let message = format!("what came has the digest {found}, and not {}", self.wanted);
            return Err(Failure::new("PI_HOST_DIGEST", message));
        }
        let files = &self.place.inner.files;
        rustix::fs::renameat(files, &self.temporary, files, &self.name)
            .map_err(|errno| failed("put", &self.name, &errno.into()))?;
        self.is_placed = true;
        self.place.path_of_file(&self.name)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.is_placed {
            // What stays goes with the folder.
            rustix::fs::unlinkat(&self.place.inner.files, &self.temporary, AtFlags::empty()).ok();
        }
    }
}

/// Opens a file in a folder, and nothing that is not one. A pipe that a command put there is not waited for.
fn open_plain(folder: &OwnedFd, name: &str, access: OFlags) -> io::Result<OwnedFd> {
    let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let found = rustix::fs::fstat(&file)?;
    if rustix::fs::FileType::from_raw_mode(found.st_mode).is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file"))
    }
}

/// Reads a file of at most so many bytes; follows no link.
pub(super) fn read_small(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// SHA-256 of a file, in hexadecimal digits.
pub(crate) fn digest_of(mut file: File) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; DIGESTED_BYTES];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&digest.finalize())),
            Ok(length) => digest.update(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // A text takes everything.
        write!(text, "{byte:02x}").ok();
        text
    })
}
