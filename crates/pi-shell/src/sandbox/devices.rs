//! What of `/dev` a session can reach where it is the host's, and the Landlock rules that leave the
//! host's terminals out.
//!
//! Landlock grants and never takes back. So the root folder is granted for listing alone, and each
//! folder in it for reading, except for those that have terminals: there every device is granted by
//! its own name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::landlock::{LIST, READ, USE};

/// Devices that every program reads and writes, and that no one session owns.
const SHARED: [&str; 7] = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];

/// Files in memory: a folder of `/dev` that has no devices.
const SHARED_MEMORY: &str = "/dev/shm";

/// Where the kernel lists the mounts of this process.
const MOUNTS: &str = "/proc/self/mountinfo";

/// The path at which a session's own terminal is seen where `/dev/pts` is one of the session's own.
pub(super) const CONSOLE: &str = "/dev/console";

/// Rules for reading everything but devices, and for using the shared ones.
pub(super) fn rules() -> Vec<(PathBuf, u64)> {
    let mounts = fs::read_to_string(MOUNTS).unwrap_or_default();
    let mut rules = Vec::new();
    read_except(Path::new("/"), &device_folders(&mounts), &mut rules);
    let device = |name: &str| (Path::new("/dev").join(name), USE);
    rules.extend(SHARED.into_iter().map(device));
    rules.push((PathBuf::from(SHARED_MEMORY), READ));
    rules
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

/// Lets `folder` be read as a whole where nothing of `except` is in it, else part by part.
fn read_except(folder: &Path, except: &BTreeSet<PathBuf>, rules: &mut Vec<(PathBuf, u64)>) {
    rules.push((folder.to_path_buf(), LIST));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if except.contains(&path) {
            rules.push((path, LIST));
        } else if except.iter().any(|one| one.starts_with(&path)) {
            read_except(&path, except, rules);
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

        read_except(root, &except, &mut rules);

        let access = |path: &str| rules.iter().find(|(one, _)| *one == root.join(path));
        assert_eq!(access("").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot/dev").map(|rule| rule.1), Some(LIST));
        assert_eq!(access("chroot/dev/pts"), None);
        assert_eq!(access("chroot/etc").map(|rule| rule.1), Some(READ));
        assert_eq!(access("home").map(|rule| rule.1), Some(READ));
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
