//! What of `/dev` a session can reach where it is the host's, and the Landlock rules that leave the
//! host's terminals out.
//!
//! Landlock grants and never takes back. So the root folder is granted for listing alone, and each
//! folder in it for reading, except for those that have terminals: there every device is granted by
//! its own name.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::landlock::{LIST, READ, TRUNCATE, USE};

/// Devices that every program reads and writes, and that no one session owns.
const SHARED: [&str; 7] = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];

/// Those of them that keep nothing of what is written to them.
const VOID: [&str; 3] = ["null", "zero", "full"];

/// Those that only give.
const RANDOM: [&str; 2] = ["random", "urandom"];

/// Files in memory: a folder of `/dev` that has no devices.
const SHARED_MEMORY: &str = "/dev/shm";

/// A root folder with what is mounted below it, as some process sees it.
pub(super) struct View {
    /// Where this process finds that root; empty for its own.
    root: PathBuf,
    /// Where the kernel lists the mounts.
    mounts: PathBuf,
}

impl View {
    /// What this process sees.
    pub(super) fn own() -> Self {
        Self { root: PathBuf::new(), mounts: PathBuf::from("/proc/self/mountinfo") }
    }

    /// What another process sees, which may have mounts of its own.
    pub(super) fn of(pid: i32) -> Self {
        let folder = Path::new("/proc").join(pid.to_string());
        Self { root: folder.join("root"), mounts: folder.join("mountinfo") }
    }

    /// Where this process finds an absolute path of the view.
    fn place(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(rest) if !self.root.as_os_str().is_empty() => self.root.join(rest),
            _ => path.to_path_buf(),
        }
    }

    /// Opens a path of the view to name it to the kernel; a symbolic link in it leads nowhere outside of the view.
    pub(super) fn open(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        if self.root.as_os_str().is_empty() {
            return rustix::fs::open(path, flags, Mode::empty());
        }
        let root = rustix::fs::open(&self.root, flags, Mode::empty())?;
        rustix::fs::openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)
    }
}

/// The path at which a session's own terminal is seen where `/dev/pts` is one of the session's own.
pub(super) const CONSOLE: &str = "/dev/console";

/// Rules for reading everything but devices, and for using the shared ones.
pub(super) fn rules() -> Vec<(PathBuf, u64)> {
    let mut rules = everything_but_devices(&View::own());
    let device = |name: &str| (Path::new("/dev").join(name), USE);
    rules.extend(SHARED.into_iter().map(device));
    rules
}

/// Rules for reading everything in a view but devices, and for those devices that are the same for all programs: what is
/// written to the first ones is gone, and the others only give.
pub(super) fn rules_for_reading(view: &View) -> Vec<(PathBuf, u64)> {
    let mut rules = everything_but_devices(view);
    let device = |access: u64| move |name: &str| (Path::new("/dev").join(name), access);
    rules.extend(VOID.into_iter().map(device(USE | TRUNCATE)));
    rules.extend(RANDOM.into_iter().map(device(READ)));
    rules
}

fn everything_but_devices(view: &View) -> Vec<(PathBuf, u64)> {
    let mounts = fs::read_to_string(&view.mounts).unwrap_or_default();
    let mut rules = Vec::new();
    read_except(view, Path::new("/"), &device_folders(&mounts), &mut rules);
    rules.push((PathBuf::from(SHARED_MEMORY), READ));
    rules
}

/// Folders that rules for reading depend on by what is in them, under these mounts: those that are listed to leave others
/// out, and that of the devices.
pub(super) fn listed_folders(mounts: &str) -> BTreeSet<PathBuf> {
    let except = device_folders(mounts);
    let above = except.iter().flat_map(|path| path.ancestors().skip(1));
    above.map(Path::to_path_buf).chain([PathBuf::from("/dev")]).collect()
}

/// Folders and files with terminals in them: `/dev`, and wherever else such a file system is mounted.
fn device_folders(mounts: &str) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::from([PathBuf::from("/dev")]);
    for line in mounts.lines() {
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let kind = after.split(' ').next().unwrap_or_default();
        if matches!(kind, "devpts" | "devtmpfs")
            && let Some(point) = before.split(' ').nth(4)
        {
            folders.insert(unescaped(point));
        }
    }
    folders
}

/// A path of the list of mounts: blanks, tabs, line ends and backslashes stand there in octal.
fn unescaped(text: &str) -> PathBuf {
    let mut path = text.to_owned();
    for (code, character) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        path = path.replace(code, character);
    }
    PathBuf::from(path)
}

/// Lets `folder` be read as a whole where nothing of `except` is in it, else part by part. Where a symbolic link leads is
/// read by its own name.
fn read_except(
    view: &View,
    folder: &Path,
    except: &BTreeSet<PathBuf>,
    rules: &mut Vec<(PathBuf, u64)>,
) {
    rules.push((folder.to_path_buf(), LIST));
    let Ok(entries) = fs::read_dir(view.place(folder)) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            continue;
        }
        let path = folder.join(entry.file_name());
        if except.contains(&path) {
            rules.push((path, LIST));
        } else if except.iter().any(|one| one.starts_with(&path)) {
            read_except(view, &path, except, rules);
        } else {
            rules.push((path, READ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_found_wherever_they_are_mounted() {
        let mounts = "\
22 1 0:5 / /dev rw,relatime shared:2 - devtmpfs devtmpfs rw
23 22 0:20 / /dev/pts rw - devpts devpts rw,mode=600
24 1 0:20 / /srv/a\\040b/dev/pts rw - devpts devpts rw
25 1 8:1 / /home rw - ext4 /dev/sda rw
broken line";

        let found = device_folders(mounts);

        assert_eq!(
            found.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(),
            ["/dev", "/dev/pts", "/srv/a b/dev/pts"]
        );
        let listed = listed_folders(mounts);
        let listed: Vec<_> = listed.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(listed, ["/", "/dev", "/srv", "/srv/a b", "/srv/a b/dev"]);
    }

    #[test]
    fn what_is_left_out_can_be_listed_and_not_read() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        for path in ["chroot/dev/pts", "chroot/etc", "home"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        let except = BTreeSet::from([root.join("chroot/dev")]);
        let mut rules = Vec::new();

        read_except(&View::own(), root, &except, &mut rules);

        let access = |path: &str| rules.iter().find(|(one, _)| *one == root.join(path));
        assert_eq!(access("").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot/dev").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot/dev/pts"), None);
        assert_eq!(access("chroot/etc").map(|rule| rule.1), Some(READ));
        assert_eq!(access("home").map(|rule| rule.1), Some(READ));
    }

    #[test]
    fn another_process_s_files_are_named_and_opened_as_it_sees_them() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        fs::create_dir_all(root.join("of-that-process")).unwrap();
        std::os::unix::fs::symlink("/of-that-process", root.join("link")).unwrap();
        let view = View { root: root.clone(), mounts: scratch.path().join("mountinfo") };

        let rules = rules_for_reading(&view);

        assert!(rules.contains(&(PathBuf::from("/of-that-process"), READ)), "{rules:?}");
        let named = rustix::fs::fstat(view.open(b"/link").unwrap()).unwrap();
        let there = rustix::fs::stat(root.join("of-that-process")).unwrap();
        assert_eq!((named.st_dev, named.st_ino), (there.st_dev, there.st_ino));
    }

    /// Opened for more than its name, a device could do something, and a socket cannot be at all.
    #[test]
    fn a_path_is_opened_to_be_named_alone() {
        use std::os::unix::ffi::OsStrExt as _;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();

        assert!(View::own().open(path.as_os_str().as_bytes()).is_ok());
    }

    #[test]
    fn what_only_reads_writes_to_no_device_that_keeps_it() {
        let rules = rules_for_reading(&View::own());

        let written = rules.iter().filter(|rule| rule.1 & USE == USE);
        let written: Vec<_> = written.map(|rule| rule.0.to_str().unwrap()).collect();

        assert_eq!(written, ["/dev/null", "/dev/zero", "/dev/full"]);
        for device in ["/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/console"] {
            let readable = rules.iter().any(|rule| rule.0 == Path::new(device) && rule.1 != LIST);
            assert!(!readable, "{device}");
        }
    }

    #[test]
    fn no_rule_reaches_a_terminal_or_a_disk() {
        let rules = rules();

        let reaches = |device: &str| {
            let above = Path::new(device).ancestors();
            above
                .filter_map(|path| rules.iter().find(|(one, _)| one == path))
                .any(|rule| rule.1 != LIST)
        };
        for device in ["/dev/pts/0", "/dev/tty1", "/dev/console", "/dev/vcsa1", "/dev/input/event0"]
        {
            assert!(!reaches(device), "{device}");
        }
        for path in ["/dev/null", "/dev/tty", "/etc/passwd"] {
            assert!(reaches(path), "{path}");
        }
    }
}
