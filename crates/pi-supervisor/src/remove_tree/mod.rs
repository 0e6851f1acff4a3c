//! Removes a folder with everything in it, whatever commands made of it: modes that keep their owner out, links, trees of
//! any depth, names that lead elsewhere from one moment to the next.
//!
//! # Theory of operation
//! Each folder is opened from the one that it is in, never by a path and never through a link, and what is in it is removed
//! by that descriptor. So nothing outside the tree is reached, whatever is renamed meanwhile. A folder that keeps its owner
//! out is given back its rights by a descriptor too, on the way down.
//!
//! At most [`OPEN_MAX`] folders are open at once. What lies deeper is moved up into the root of the tree and taken there in
//! a later pass, so that depth costs neither stack nor descriptors.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Folders that are open at once, one inside the other. More than trees have that are not made to be deep, and few of the
/// 1024 descriptors that a process usually has.
const OPEN_MAX: usize = 32;

/// Passes over the root of a tree. Each takes [`OPEN_MAX`] levels, so this is over a hundred thousand of them; and it bounds
/// the work where something goes on making folders.
const PASSES_MAX: usize = 4096;

/// Removes the folder `path`. One that is not there is removed already.
///
/// # Errors
/// The first thing that could not be removed, after everything else was.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let root = match open_folder(rustix::fs::CWD, path) {
        Ok(root) => root,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut removal = Removal { root, moved: 0, failed: None };
    removal.empty()?;
    match rustix::fs::rmdir(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(removal.failed.unwrap_or(error).into()),
    }
}

/// Opens the folder `name` of `parent` for reading and gives its owner every right to it.
///
/// # Errors
/// That of the opening: also where the name is a link, or not a folder. Rights that cannot be given are not an error.
pub fn open_folder(
    parent: impl AsFd,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Ok(folder) => {
            let mode = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode);
            if !mode.contains(Mode::RWXU) {
                // Whether it was needed shows when something in it is removed.
                rustix::fs::fchmod(&folder, Mode::RWXU).ok();
            }
            Ok(folder)
        }
        Err(Errno::ACCESS) => open_barred(parent.as_fd(), name, flags),
        Err(error) => Err(error),
    }
}

/// The same of one whose mode keeps its owner from opening it. The descriptor is that of the folder whose mode changes, so
/// a link that takes its place meanwhile changes nothing.
#[cfg(target_os = "linux")]
fn open_barred(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    use std::os::fd::AsRawFd as _;
    let only_named = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(parent, name, only_named, Mode::empty())?;
    // `fchmod` refuses such a descriptor, and `fchmodat2` is newer than many kernels.
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)?;
    rustix::fs::openat(&folder, c".", flags, Mode::empty())
}

#[cfg(not(target_os = "linux"))]
fn open_barred(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)?;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// The removal of what is in one folder.
struct Removal {
    root: OwnedFd,
    /// How many folders were moved up: their new names are numbers.
    moved: u64,
    failed: Option<Errno>,
}

/// A folder that is being emptied.
struct Level {
    folder: Dir,
    /// Its name in the level above.
    name: CString,
}

impl Removal {
    fn empty(&mut self) -> Result<(), Errno> {
        for _ in 0..PASSES_MAX {
            let before = self.moved;
            self.pass()?;
            if self.moved == before {
                break;
            }
        }
        Ok(())
    }

    /// Removes everything down to [`OPEN_MAX`] levels, and moves up what lies below.
    fn pass(&mut self) -> Result<(), Errno> {
        let mut levels =
            vec![Level { folder: Dir::read_from(&self.root)?, name: CString::default() }];
        loop {
            let open = levels.len();
            let Some(level) = levels.last_mut() else { return Ok(()) };
            let Some(Ok(entry)) = level.folder.read() else {
                self.leave(&mut levels);
                continue;
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let within = level.folder.fd()?;
            if !is_folder(within, name, entry.file_type()) {
                let removed = rustix::fs::unlinkat(within, name, AtFlags::empty());
                self.note(removed);
            } else if open < OPEN_MAX {
                match open_folder(within, name).and_then(Dir::new) {
                    Ok(folder) => levels.push(Level { folder, name: name.to_owned() }),
                    Err(error) => self.note(Err(error)),
                }
            } else {
                self.move_up(within, name);
            }
        }
    }

    /// Removes the last level, which is empty by now.
    fn leave(&mut self, levels: &mut Vec<Level>) {
        let Some(Level { name, .. }) = levels.pop() else { return };
        if let Some(Ok(parent)) = levels.last().map(|above| above.folder.fd()) {
            let removed = rustix::fs::unlinkat(parent, &*name, AtFlags::REMOVEDIR);
            self.note(removed);
        }
    }

    /// Puts the folder `name` of `parent` into the root. It needs every right for that too, since its `..` changes.
    fn move_up(&mut self, parent: BorrowedFd<'_>, name: &CStr) {
        let moved = open_folder(parent, name).and_then(|_rights| {
            loop {
                self.moved += 1;
                let free = format!("{}", self.moved);
                match rustix::fs::renameat(parent, name, &self.root, free) {
                    // Something has that name.
                    Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                    answer => return answer,
                }
            }
        });
        self.note(moved);
    }

    fn note(&mut self, step: Result<(), Errno>) {
        match step {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }
}

/// Some file systems do not say with a name what it is.
fn is_folder(parent: BorrowedFd<'_>, name: &CStr, kind: FileType) -> bool {
    let looked_up = || {
        let found = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
    };
    match kind {
        FileType::Directory => true,
        FileType::Unknown => looked_up(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
