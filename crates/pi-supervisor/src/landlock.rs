//! Landlock rulesets: made of the kernel's bits and of paths, and entered.
//!
//! The supervisor enters one itself. The host makes others, which copies of a session enter; so what a rule is, and which
//! rights a file can have, stands here for both. What is allowed is decided by neither: see `pi-sandbox`.
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File, OpenOptions};
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    use std::path::Path;

    use super::*;
    use rustix::fs::{Mode, OFlags};

    const EXECUTE: u64 = 1;
    const WRITE_FILE: u64 = 1 << 1;
    const READ_FILE: u64 = 1 << 2;
    const READ_DIR: u64 = 1 << 3;
    const MAKE_REG: u64 = 1 << 8;
    const TRUNCATE: u64 = 1 << 14;
    const IOCTL_DEV: u64 = 1 << 15;

    fn handling(filesystem: u64) -> Landlock {
        Landlock { filesystem, ..Landlock::default() }
    }

    /// What a path can be used for.
    type Attempt<'a> = &'a (dyn Fn(&Path) -> bool + Sync);

    /// What this kernel does not have cannot be tried.
    fn is_known(right: u64) -> bool {
        Ruleset::new(&handling(right)).is_ok()
    }

    fn target(path: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }

    /// What becomes of `attempt` in the domain, which ends with its thread.
    fn within<T: Send>(ruleset: &Ruleset, attempt: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                rustix::thread::set_no_new_privs(true).unwrap();
                ruleset.enter().unwrap();
                attempt()
            });
            thread.join().unwrap()
        })
    }

    /// It has no format that can run, which is found out after the right to run it.
    fn runs(path: &Path) -> bool {
        let failed = std::process::Command::new(path).status().unwrap_err();
        failed.raw_os_error() == Some(libc::ENOEXEC)
    }

    /// A call that only a device has, of the kind of a terminal's.
    fn is_asked(path: &Path) -> bool {
        let flags = OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::RDWR;
        let device = rustix::fs::open(path, flags, Mode::empty()).unwrap();
        rustix::termios::tcgetwinsize(&device) != Err(Errno::ACCESS)
    }

    #[test]
    fn each_right_of_a_file_is_allowed_where_a_rule_allows_it_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["one", "other"] {
            fs::write(path(name), "text").unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let opens = |options: &OpenOptions, path: &Path| options.open(path).is_ok();
        let terminals = [(), ()].map(|()| {
            rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)
        });
        let [Ok(one_terminal), Ok(other_terminal)] = terminals else { panic!("{terminals:?}") };
        let terminal_of = |controller: &OwnedFd| {
            rustix::pty::grantpt(controller).unwrap();
            rustix::pty::unlockpt(controller).unwrap();
            let name = rustix::pty::ptsname(controller, Vec::new()).unwrap();
            std::path::PathBuf::from(name.into_string().unwrap())
        };
        let terminals = [terminal_of(&one_terminal), terminal_of(&other_terminal)];
        let files = [path("one"), path("other")];

        let read = |path: &Path| opens(File::options().read(true), path);
        let write = |path: &Path| opens(File::options().write(true), path);
        let cut =
            |path: &Path| opens(File::options().write(true).custom_flags(libc::O_TRUNC), path);
        // The one that empties the files comes last.
        let attempts: [(u64, Attempt<'_>, &[_; 2]); 5] = [
            (EXECUTE, &runs, &files),
            (READ_FILE, &read, &files),
            (WRITE_FILE, &write, &files),
            (IOCTL_DEV, &is_asked, &terminals),
            (TRUNCATE, &cut, &files),
        ];
        for (right, attempt, [one, other]) in attempts {
            if !is_known(right) {
                continue;
            }
            let ruleset = Ruleset::new(&handling(right)).unwrap();
            // More than it handles, and more than a file can have.
            ruleset.allow(target(one).unwrap().as_fd(), u64::MAX).unwrap();
            let possible = within(&ruleset, || [attempt(one), attempt(other)]);
            assert_eq!(possible, [true, false], "{right:#x}");
            assert!(attempt(other), "{right:#x}: only its own thread is in the domain");
        }
    }

    #[test]
    fn a_folder_has_the_rights_that_a_file_cannot_have() {
        if !is_known(READ_DIR) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let access = READ_DIR | MAKE_REG | WRITE_FILE;
        let rule = |path: &Path, access| PathRule {
            path: path.as_os_str().as_encoded_bytes().to_vec(),
            access,
        };
        let rules = vec![
            rule(&one, access),
            // The kernel refuses a folder's rights on a file.
            rule(&file, access),
            rule(&folder.path().join("missing"), access),
            rule(&file.join("below a file"), access),
            // Nothing that it handles, so no rule.
            rule(&other, READ_FILE),
        ];
        let landlock = Landlock { rules, ..handling(access) };

        let ruleset = Ruleset::with_rules(&landlock, |path| target(path)).unwrap();
        let possible = within(&ruleset, || {
            let listed = [&one, &other].map(|path| fs::read_dir(path).is_ok());
            let made = [&one, &other].map(|path| fs::write(path.join("made"), "").is_ok());
            let written = File::options().append(true).open(&file).is_ok();
            (listed, made, written)
        });

        assert_eq!(possible, ([true, false], [true, false], true));
    }

    #[test]
    fn a_path_that_cannot_be_opened_for_another_reason_is_an_error() {
        if !is_known(READ_DIR) {
            return;
        }
        let rules = vec![PathRule { path: b"/".to_vec(), access: READ_DIR }];
        let landlock = Landlock { rules, ..handling(READ_DIR) };
        let open = |errno| move |_: &[u8]| Err(errno);
        assert!(Ruleset::with_rules(&landlock, open(Errno::ACCESS)).is_ok());
        let failed = Ruleset::with_rules(&landlock, open(Errno::MFILE)).unwrap_err();
        assert_eq!(failed, Errno::MFILE);
    }

    #[test]
    fn what_the_kernel_does_not_know_is_refused() {
        if !is_known(READ_DIR) {
            return;
        }
        assert_eq!(Ruleset::new(&handling(1 << 63)).unwrap_err(), Errno::INVAL);
    }

    #[test]
    fn a_ruleset_can_be_passed_on_and_is_closed_on_exec() {
        if !is_known(READ_DIR) {
            return;
        }
        let ruleset = Ruleset::new(&handling(READ_DIR)).unwrap();
        let passed = Ruleset {
            descriptor: ruleset.descriptor().try_clone_to_owned().unwrap(),
            filesystem: READ_DIR,
        };
        drop(ruleset);
        assert!(!within(&passed, || fs::read_dir("/").is_ok()));
        let flags = rustix::io::fcntl_getfd(passed.descriptor()).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    }
}
