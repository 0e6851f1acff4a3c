//! Landlock rulesets: made of the kernel's bits and of paths, and entered.
//!
//! The supervisor enters one itself. The host makes others, which copies of a session enter; so what a rule is, and which
//! rights a file can have, stands here for both. What is allowed is decided by neither: see `pi_shell`'s `sandbox`.
#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "the calls have no safe wrapper")]

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::wire::{Landlock, PathRule};

/// Rights that a file can have. The others are a folder's, and on a file the kernel refuses them
/// (`LANDLOCK_ACCESS_FS_*`: execute, write, read, truncate and device control).
const FILE_RIGHTS: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;

/// `struct landlock_ruleset_attr` of ABI 6. An older kernel takes it as long as the fields it does
/// not know are zero.
#[repr(C)]
struct RulesetAttributes {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

/// `struct landlock_path_beneath_attr`, which is packed.
#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent_fd: i32,
}

/// `LANDLOCK_RULE_PATH_BENEATH`.
const RULE_PATH_BENEATH: libc::c_long = 1;

/// A ruleset, which this process can enter or pass on. Closed on exec.
#[derive(Debug)]
pub struct Ruleset {
    descriptor: OwnedFd,
    /// The rights that it knows.
    filesystem: u64,
}

impl Ruleset {
    /// A ruleset that denies what it handles, without rules. Fails with `EINVAL` for what this kernel does not know.
    pub fn new(landlock: &Landlock) -> Result<Self, Errno> {
        let Landlock { filesystem, network, scoped, .. } = *landlock;
        let attributes = RulesetAttributes {
            handled_access_fs: filesystem,
            handled_access_net: network,
            scoped,
        };
        // SAFETY: a structure of the size that is given, alive through the call.
        let result = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                ptr::from_ref(&attributes),
                size_of::<RulesetAttributes>(),
                0,
            )
        };
        let number = i32::try_from(done(result)?).map_err(|_| Errno::BADF)?;
        // SAFETY: the kernel just made it for this process, closed on exec; it has no other owner.
        Ok(Self { descriptor: unsafe { OwnedFd::from_raw_fd(number) }, filesystem })
    }

    /// The ruleset with all its rules, whose paths `open` opens (`O_PATH`). A path that is missing or cannot be seen
    /// has no rule: then it is denied.
    pub fn with_rules(
        landlock: &Landlock,
        open: impl Fn(&[u8]) -> Result<OwnedFd, Errno>,
    ) -> Result<Self, Errno> {
        let ruleset = Self::new(landlock)?;
        for PathRule { path, access } in &landlock.rules {
            match open(path) {
                Ok(target) => ruleset.allow(target.as_fd(), *access)?,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(ruleset)
    }

    /// Allows rights on a file, or below a folder: of these, those that the ruleset handles and the file can have.
    pub fn allow(&self, target: BorrowedFd<'_>, access: u64) -> Result<(), Errno> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(target)?.st_mode);
        let of_kind = if kind == FileType::Directory { access } else { access & FILE_RIGHTS };
        let allowed = of_kind & self.filesystem;
        if allowed == 0 {
            return Ok(());
        }
        let rule = PathBeneath { allowed_access: allowed, parent_fd: target.as_raw_fd() };
        // SAFETY: a structure of the type that the rule's kind asks for, alive through the call.
        let result = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.descriptor.as_raw_fd(),
                RULE_PATH_BENEATH,
                ptr::from_ref(&rule),
                0,
            )
        };
        done(result).map(drop)
    }

    /// Enters its domain, for good.
    pub fn enter(&self) -> Result<(), Errno> {
        // SAFETY: integers only.
        let result = unsafe {
            libc::syscall(libc::SYS_landlock_restrict_self, self.descriptor.as_raw_fd(), 0)
        };
        done(result).map(drop)
    }

    /// The descriptor, to be passed to another process.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

fn done(result: libc::c_long) -> Result<libc::c_long, Errno> {
    if result >= 0 {
        return Ok(result);
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}
