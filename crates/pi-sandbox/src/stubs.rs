//! Empty files and folders in the place of protected paths that do not exist.
//!
//! Nothing can be mounted over a name that is not there, and a name that is not there can be made.
//! A stub is empty, of this user, and has a time of change that nothing else has; it is locked
//! while a session needs it, and the last session to need it removes it. One whose host was killed
//! is taken over by the next session in that folder.

use std::fs::{self, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, Timespec, Timestamps};

/// Time of change by which a stub is known: 1970-01-01 07:59:37, in seconds since the epoch.
const MARK_SECONDS: i64 = 0x7069;

/// What a stub is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StubKind {
    File,
    Folder,
}

/// Stubs that someone needs. Dropped, they are removed unless another session needs them, too.
#[derive(Debug, Default)]
pub struct Stubs(Vec<(PathBuf, OwnedFd)>);

impl Stubs {
    /// Makes one.
    pub(super) fn make(&mut self, path: &Path, kind: StubKind) -> io::Result<()> {
        match kind {
            StubKind::Folder => rustix::fs::mkdir(path, Mode::RWXU)?,
            StubKind::File => {
                let mut new = fs::OpenOptions::new();
                drop(new.write(true).create_new(true).mode(0o600).open(path)?);
            }
        }
        let stub = open(path)?;
        let mark = Timespec { tv_sec: MARK_SECONDS, tv_nsec: 0 };
        rustix::fs::futimens(&stub, &Timestamps { last_access: mark, last_modification: mark })?;
        rustix::fs::flock(&stub, FlockOperation::NonBlockingLockShared)?;
        self.0.push((path.to_path_buf(), stub));
        Ok(())
    }

    /// Holds what another session made, so that it stays as long as this one. True: it is a stub.
    pub(super) fn adopt(&mut self, path: &Path, found: &Metadata) -> bool {
        if !is_stub(found) {
            return false;
        }
        if self.0.iter().any(|(known, _)| known == path) {
            return true;
        }
        // One that cannot be held is about to be removed, and then it is nothing of ours.
        if let Ok(stub) = open(path)
            && rustix::fs::flock(&stub, FlockOperation::NonBlockingLockShared).is_ok()
        {
            self.0.push((path.to_path_buf(), stub));
        }
        true
    }
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

fn is_stub(found: &Metadata) -> bool {
    let empty = found.is_dir() || found.len() == 0;
    empty && found.mtime() == MARK_SECONDS && found.uid() == rustix::process::geteuid().as_raw()
}

impl Drop for Stubs {
    fn drop(&mut self) {
        for (path, stub) in self.0.drain(..).rev() {
            // Whoever has it locked removes it later.
            if rustix::fs::flock(&stub, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if is_stub(&found) {
                // A folder that is not empty any more is someone's; it stays.
                drop(if found.is_dir() { fs::remove_dir(&path) } else { fs::remove_file(&path) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_is_held_by_its_own_name_and_by_no_child() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();

        assert!(open(&link).is_err(), "another name's folder is not the stub");
        let held = open(folder.path()).unwrap();
        let flags = rustix::io::fcntl_getfd(&held).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC), "a child would keep the lock");
    }
}
