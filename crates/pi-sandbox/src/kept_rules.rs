//! The ruleset for reading, made once for as long as what it names is as it was: opening each folder of the root for a rule
//! of its own takes a quarter of a millisecond.
//!
//! Rules are tied to files and not to names, so an old ruleset allows no more than a new one would, but for mounts that
//! came since: of these the kernel tells. A folder that came since could not be read, and a device that was made again not
//! be written to; so the folders that were listed are looked at before each use.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pi_supervisor::landlock::Ruleset;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::devices::listed_folders;

/// Age of a folder's last change from which on the next one has another time: the kernel's clock for files may stand
/// still for 10 ms.
const SETTLED_AFTER: Duration = Duration::from_secs(1);

/// A ruleset of this process's own view, and what it was made from.
#[derive(Debug)]
pub(super) struct KeptRules {
    ruleset: Arc<Ruleset>,
    /// The list of mounts, by a descriptor that a change of it wakes.
    mounts: File,
    /// Folders that were listed, as they were before.
    folders: Vec<(PathBuf, Seen)>,
}

/// Which folder it is, and when something in it was made, renamed or removed: seconds and nanoseconds of the system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    identity: (u64, u64),
    changed: (i64, i64),
}

impl Seen {
    fn of(folder: &Path) -> io::Result<Self> {
        let found = fs::metadata(folder)?;
        Ok(Self {
            identity: (found.dev(), found.ino()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// Whether a change from now on has another time. `now`: since the epoch.
    fn is_settled(&self, now: Duration) -> bool {
        let settled = now.saturating_sub(SETTLED_AFTER).as_secs();
        u64::try_from(self.changed.0).is_ok_and(|changed| changed < settled)
    }
}

impl KeptRules {
    /// What `make` makes, after a look at what that depends on: so a change in between is seen later.
    pub(super) fn new(make: impl FnOnce() -> io::Result<Ruleset>) -> io::Result<Self> {
        let mut mounts = File::open("/proc/self/mountinfo")?;
        let mut text = String::new();
        mounts.read_to_string(&mut text)?;
        let look = |folder: PathBuf| Seen::of(&folder).map(|seen| (folder, seen));
        let folders = listed_folders(&text).into_iter().map(look).collect::<io::Result<_>>()?;
        Ok(Self { ruleset: Arc::new(make()?), mounts, folders })
    }

    pub(super) fn ruleset(&self) -> Arc<Ruleset> {
        Arc::clone(&self.ruleset)
    }

    /// Whether a ruleset that is made now would be the same.
    pub(super) fn is_current(&self) -> bool {
        let mut polled = [PollFd::new(&self.mounts, PollFlags::PRI)];
        let is_quiet = poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready == 0);
        let is_as_before =
            |(path, seen): &(PathBuf, Seen)| Seen::of(path).is_ok_and(|now| now == *seen);
        is_quiet && self.folders.iter().all(is_as_before)
    }

    /// Whether each change that it may have missed would be seen: the last one before it was made was long ago.
    pub(super) fn is_worth_keeping(&self) -> bool {
        let Ok(now) = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        self.folders.iter().all(|(_, seen)| seen.is_settled(now))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use pi_supervisor::wire::Landlock;

    use super::*;
    use crate::landlock;

    fn kept(folders: &[&Path]) -> Option<KeptRules> {
        let version = crate::sys::landlock_version();
        if version < landlock::OLDEST_FOR_READING {
            // There is nothing to keep.
            return None;
        }
        let rules: Landlock = landlock::reading(version, &[]);
        let mut kept = KeptRules::new(|| Ok(Ruleset::new(&rules)?)).unwrap();
        let look = |folder: &&Path| (folder.to_path_buf(), Seen::of(folder).unwrap());
        kept.folders = folders.iter().map(look).collect();
        Some(kept)
    }

    #[test]
    fn is_made_again_once_something_in_a_listed_folder_came_or_went() {
        let scratch = tempfile::tempdir().unwrap();
        let (one, other) = (scratch.path().join("one"), scratch.path().join("other"));
        for folder in [&one, &other] {
            fs::create_dir(folder).unwrap();
        }
        let Some(kept) = kept(&[&one]) else { return };
        assert!(kept.is_current());
        assert!(!kept.is_worth_keeping(), "a change at the same time would not be seen");

        // The clock for files ticks seldom.
        let deadline = Instant::now() + Duration::from_secs(30);
        let is_seen = (0..u32::MAX).any(|number| {
            assert!(Instant::now() < deadline, "a change is seen");
            fs::create_dir(other.join(number.to_string())).unwrap();
            assert!(number > 0 || kept.is_current(), "that one is not listed");
            fs::create_dir(one.join(number.to_string())).unwrap();
            !kept.is_current()
        });
        assert!(is_seen);
    }

    #[test]
    fn a_change_is_settled_once_the_whole_second_after_it_is_over() {
        let now = Duration::from_millis(100_500);
        for (changed, is_settled) in
            [(0, true), (98, true), (99, false), (100, false), (101, false), (-1, false)]
        {
            let seen = Seen { identity: (1, 2), changed: (changed, 0) };
            assert_eq!(seen.is_settled(now), is_settled, "{changed}");
        }
    }

    #[test]
    fn is_made_again_once_another_folder_has_the_name() {
        let scratch = tempfile::tempdir().unwrap();
        let (one, other) = (scratch.path().join("one"), scratch.path().join("other"));
        for folder in [&one, &other] {
            fs::create_dir(folder).unwrap();
        }
        let Some(kept) = kept(&[&one]) else { return };

        fs::rename(&one, scratch.path().join("moved")).unwrap();
        assert!(!kept.is_current(), "it is gone");
        fs::rename(&other, &one).unwrap();
        assert!(!kept.is_current());
    }

    #[test]
    fn the_folders_of_this_machine_are_looked_at() {
        let Some(kept) = kept(&[]) else { return };
        let rules = landlock::reading(crate::sys::landlock_version(), &[]);
        let made = KeptRules::new(|| Ok(Ruleset::new(&rules)?)).unwrap();

        let paths: Vec<_> = made.folders.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert!(paths.contains(&"/") && paths.contains(&"/dev"), "{paths:?}");
        assert!(kept.is_current() && kept.is_worth_keeping());
    }
}
