//! The Landlock ruleset of a sandbox, for the version that the kernel has.
//!
//! Landlock knows what is allowed below a path and nothing else: rights that were given to a folder
//! cannot be taken from a part of it. What has to stay read-only inside of a writable folder is
//! therefore a matter of mounts (see `layout`).

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use pi_supervisor::wire::{Landlock, PathRule};

// `LANDLOCK_ACCESS_FS_*` of `linux/landlock.h`.
const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const IOCTL_DEV: u64 = 1 << 15;

/// Listing folders.
pub(super) const LIST: u64 = READ_DIR;

/// All that reading needs.
pub(super) const READ: u64 = EXECUTE | READ_FILE | READ_DIR;

/// Writing into what is there: devices and FIFOs.
pub(super) const USE: u64 = READ_FILE | WRITE_FILE | IOCTL_DEV;

/// Everything.
pub(super) const ALL: u64 = u64::MAX;

/// File rights of version 1: all bits to 12.
const FIRST_RIGHTS: u64 = (1 << 13) - 1;
/// Renaming and linking from folder to folder, version 2.
const REFER: u64 = 1 << 13;
/// Truncating, version 3.
pub(super) const TRUNCATE: u64 = 1 << 14;

/// `LANDLOCK_ACCESS_NET_BIND_TCP` and `…_CONNECT_TCP`, version 4.
const TCP: u64 = 3;

/// `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET` and `LANDLOCK_SCOPE_SIGNAL`, version 6.
const SCOPES: u64 = 3;

/// Oldest version that is of use: before it, files could be emptied.
pub(super) const OLDEST: i64 = 3;

/// A ruleset that denies all it can but what the rules allow.
///
/// `tcp`: whether TCP is denied, too.
pub(super) fn ruleset(version: i64, tcp: bool, rules: &[(PathBuf, u64)]) -> Landlock {
    let since = |first: i64, bits: u64| if version >= first { bits } else { 0 };
    let filesystem =
        FIRST_RIGHTS | since(2, REFER) | since(WITH_TRUNCATION, TRUNCATE) | since(5, IOCTL_DEV);
    let rules = rules
        .iter()
        .map(|(path, access)| PathRule {
            path: path.as_os_str().as_bytes().to_vec(),
            access: access & filesystem,
        })
        .collect();
    Landlock {
        filesystem,
        network: if tcp { since(4, TCP) } else { 0 },
        scoped: since(WITH_SIGNALS, SCOPES),
        rules,
    }
}

/// Oldest version that a read-only copy takes: what it lacks is refused by a seccomp program.
pub(super) const OLDEST_FOR_READING: i64 = 1;

/// First version that empties no file behind the back of a rule.
pub(super) const WITH_TRUNCATION: i64 = 3;

/// First version that holds signals.
pub(super) const WITH_SIGNALS: i64 = 6;

/// A ruleset that denies all writing it can but what the rules allow, and reading files but where a rule allows that.
/// Listing folders and running programs stay as they are.
pub(super) fn reading(version: i64, rules: &[(PathBuf, u64)]) -> Landlock {
    let all = ruleset(version, true, rules);
    Landlock { filesystem: all.filesystem & !(EXECUTE | READ_DIR), ..all }
}

/// A ruleset that keeps signals and abstract sockets to those who enter it together. Since version 6.
pub(super) fn apart(version: i64) -> Option<Landlock> {
    let scoped = Landlock { filesystem: 0, network: 0, scoped: SCOPES, rules: Vec::new() };
    (version >= WITH_SIGNALS).then_some(scoped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_kernel_is_not_asked_for_what_it_does_not_know() {
        let rules = [(PathBuf::from("/"), READ), (PathBuf::from("/work"), ALL)];

        let third = ruleset(3, true, &rules);
        let sixth = ruleset(6, true, &rules);

        assert_eq!((third.network, third.scoped), (0, 0));
        assert_eq!(third.filesystem, 0x7fff);
        assert_eq!((sixth.network, sixth.scoped), (3, 3));
        assert_eq!(sixth.rules[1].access, 0xffff);
        assert_eq!(sixth.rules[0].access, 0b1101);
    }

    #[test]
    fn rights_are_the_bits_that_the_kernel_knows_them_by() {
        assert_eq!((LIST, READ, USE, TRUNCATE), (0x8, 0b1101, 0x8006, 0x4000));
        for (version, filesystem, network, scoped) in [
            (1, 0x1fff, 0, 0),
            (2, 0x3fff, 0, 0),
            (3, 0x7fff, 0, 0),
            (4, 0x7fff, 3, 0),
            (5, 0xffff, 3, 0),
            (6, 0xffff, 3, 3),
        ] {
            let all = ruleset(version, true, &[]);
            assert_eq!((all.filesystem, all.network, all.scoped), (filesystem, network, scoped));
            assert_eq!(ruleset(version, false, &[]).network, 0, "{version}");
        }
    }

    #[test]
    fn a_reader_is_held_in_all_but_listing_folders_and_running_programs() {
        let rules = [(PathBuf::from("/etc"), READ)];

        let sixth = reading(6, &rules);

        assert_eq!((sixth.filesystem, sixth.network, sixth.scoped), (0xfff6, 3, 3));
        assert_eq!((sixth.rules.len(), sixth.rules[0].access), (1, READ));
        assert_eq!(sixth.rules[0].path, b"/etc");
    }

    #[test]
    fn signals_are_kept_apart_by_kernels_that_can() {
        assert!(apart(5).is_none());
        let apart = apart(6).unwrap();
        assert_eq!((apart.filesystem, apart.network, apart.scoped), (0, 0, 3));
    }
}
