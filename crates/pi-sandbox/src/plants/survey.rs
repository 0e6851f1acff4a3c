//! A bounded walk through the folders that can be written, from the top down, and what it found that
//! programs outside will obey.
//!
//! The first walk reads every folder. A later one looks at the time of change of each, which no
//! program can set, and reads those that changed. A walk that was cut short goes on the next time. Folders of installed packages come last, and of them
//! only repositories count.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use pi_process::lock;

/// A bound, and a tenth of it where tests have to go beyond it.
const fn bound(most: usize) -> usize {
    if cfg!(test) { most / 10 } else { most }
}

/// Folders that are watched.
const MOST_FOLDERS: usize = bound(2_000);

/// Entries of folders that one walk reads.
const MOST_ENTRIES: usize = bound(10_000);

/// Entries of one folder that are read, so that one with many leaves something for the others.
const MOST_OF_ONE: usize = bound(4_000);

/// Folders that wait for a later walk.
const MOST_WAITING: usize = bound(20_000);

/// Age below which a folder may change once more without another time of change: kernels count in
/// steps of up to 10 ms.
const SETTLED: Duration = Duration::from_millis(20);

/// Folders of installed packages and of builds, whose files for tools no tool reads.
const INSTALLED: [&str; 6] =
    ["node_modules", "vendor", "target", ".venv", "site-packages", "__pycache__"];

/// Files and folders that editors, package managers and agents obey in the folder that is worked in.
const TOOLS: [&str; 24] = [
    ".bunfig.toml",
    ".claude",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".devcontainer.json",
    ".envrc",
    ".exrc",
    ".fleet",
    ".gemini",
    ".husky",
    ".idea",
    ".lefthook.yml",
    ".mcp.json",
    ".npmrc",
    ".nvim.lua",
    ".nvimrc",
    ".pi",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".vscode",
    ".yarnrc",
    ".yarnrc.yml",
    ".zed",
];

/// By which a folder is a repository of its own, or one that has a part elsewhere.
const PARTS: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

/// How much may still be read.
pub(crate) struct Budget {
    entries: usize,
}

impl Budget {
    /// What one walk may read.
    pub(crate) fn of_one_walk() -> Self {
        Self { entries: MOST_ENTRIES }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.entries == 0
    }

    fn take(&mut self) -> bool {
        let may = self.entries > 0;
        self.entries = self.entries.saturating_sub(1);
        may
    }

    /// The entries of a folder, none where it is missing.
    pub(crate) fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.flatten().take_while(|_| self.take()).map(|entry| entry.path()).collect()
    }
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Find {
    /// The folder of a repository: `.git`, or a bare one.
    Repository,
    /// A `.git` that is a file or a link.
    Pointer,
    /// What a tool obeys.
    Tool,
}

/// A folder as it was when it was read.
#[derive(Debug, Clone)]
struct Folder {
    /// Inode and time of change; `None`: too young to tell by.
    stamp: Option<(u64, i64, i64)>,
    is_installed: bool,
}

/// Folders that are known, and what was found in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Survey {
    folders: HashMap<PathBuf, Folder>,
    finds: BTreeMap<PathBuf, Find>,
    /// Folders that no walk came to yet, and whether they are in one of installed packages.
    waiting: VecDeque<(PathBuf, bool)>,
    /// The last walk left out a part of some folder.
    is_cut: bool,
    /// Folders were dropped because too many waited: no walk comes to them before all begins again.
    has_dropped: bool,
}

/// The last survey of this process: the sessions of an agent have the same folders.
static LATEST: Mutex<Option<(Vec<PathBuf>, Survey)>> = Mutex::new(None);

impl Survey {
    /// Walks through all folders below `roots`, or those that changed since this process last did.
    pub(crate) fn of(roots: &[PathBuf]) -> Self {
        let latest = lock(&LATEST).take();
        let mut survey = match latest {
            Some((known, survey)) if known == roots => survey,
            _ => Self::default(),
        };
        survey.renew(roots, &mut Budget::of_one_walk());
        let latest = Some((roots.to_vec(), survey.clone()));
        *lock(&LATEST) = latest;
        survey
    }

    /// Walks through what is new since the last time.
    pub(super) fn renew(&mut self, roots: &[PathBuf], budget: &mut Budget) {
        self.is_cut = false;
        if self.has_dropped && self.waiting.is_empty() {
            // There is room again. Which folders they were in is not known.
            self.folders.clear();
            self.has_dropped = false;
        }
        let mut changed: VecDeque<_> = roots
            .iter()
            .filter(|root| !self.folders.contains_key(*root))
            .map(|root| (root.clone(), false))
            .collect();
        let mut gone = Vec::new();
        for (path, folder) in &self.folders {
            match stamp_of(path) {
                None => gone.push(path.clone()),
                Some(now) if Some(now) == folder.stamp => {}
                Some(_) => changed.push_back((path.clone(), folder.is_installed)),
            }
        }
        for path in gone {
            self.folders.remove(&path);
        }
        self.finds.retain(|path, _| fs::symlink_metadata(path).is_ok());
        // From the top down, whatever the order of the table.
        changed.make_contiguous().sort_by_key(|(path, _)| path.components().count());
        changed.append(&mut self.waiting);
        self.walk(changed, budget);
    }

    /// What was found, with its path.
    pub(crate) fn finds(&self) -> impl Iterator<Item = (&Path, Find)> {
        self.finds.iter().map(|(path, find)| (path.as_path(), *find))
    }

    /// Whether there may be folders that no walk came to.
    pub(super) fn has_more(&self) -> bool {
        self.is_cut || self.has_dropped || !self.waiting.is_empty()
    }

    /// Whether a path is in a folder of installed packages.
    pub(crate) fn is_installed(&self, path: &Path) -> bool {
        path.parent()
            .and_then(|parent| self.folders.get(parent))
            .is_some_and(|one| one.is_installed)
    }

    fn walk(&mut self, mut near: VecDeque<(PathBuf, bool)>, budget: &mut Budget) {
        let mut far = VecDeque::new();
        while let Some((folder, is_installed)) = near.pop_front().or_else(|| far.pop_front()) {
            let is_full = self.folders.len() >= MOST_FOLDERS && !self.folders.contains_key(&folder);
            if is_full || budget.is_used_up() {
                near.push_front((folder, is_installed));
                break;
            }
            for below in self.read(&folder, is_installed, budget) {
                let name = below.file_name().unwrap_or_default();
                let installed = is_installed || INSTALLED.iter().any(|one| name == *one);
                let queue = if installed { &mut far } else { &mut near };
                queue.push_back((below, installed));
            }
        }
        near.append(&mut far);
        let dropped = near.split_off(near.len().min(MOST_WAITING));
        self.has_dropped |= !dropped.is_empty();
        self.waiting = near;
    }

    /// Reads one folder; returns those in it that are not known.
    fn read(&mut self, folder: &Path, is_installed: bool, budget: &mut Budget) -> Vec<PathBuf> {
        let now = SystemTime::now();
        let stamp = stamp_of(folder).filter(|stamp| is_settled(*stamp, now));
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let (mut below, mut parts, mut is_cut) = (Vec::new(), [false; 4], false);
        let mut note = |path: PathBuf, is_folder: bool| {
            for (has, part) in parts.iter_mut().zip(PARTS) {
                *has |= has_name_of(&path, &[part]);
            }
            below.extend(self.note(path, is_folder, is_installed));
        };
        for (index, entry) in entries.flatten().enumerate() {
            if index >= MOST_OF_ONE || !budget.take() {
                is_cut = true;
                break;
            }
            let Ok(kind) = entry.file_type() else { continue };
            note(entry.path(), kind.is_dir());
        }
        if is_cut {
            // A crowd of other entries hides none of these.
            for name in TOOLS.iter().chain(&PARTS).chain(&[".git"]) {
                let path = folder.join(name);
                if let Ok(found) = fs::symlink_metadata(&path) {
                    note(path, found.is_dir());
                }
            }
        }
        let [head, objects, refs, elsewhere] = parts;
        if head && (objects && refs || elsewhere) {
            self.finds.insert(folder.to_path_buf(), Find::Repository);
        } else if self.finds.get(folder) == Some(&Find::Repository) {
            self.finds.remove(folder);
        }
        // One that was not read to its end is read again.
        let stamp = stamp.filter(|_| !is_cut);
        self.is_cut |= is_cut;
        self.folders.insert(folder.to_path_buf(), Folder { stamp, is_installed });
        below
    }

    /// Notes what stands at a path. Returns it where it is a folder that is not known.
    fn note(&mut self, path: PathBuf, is_folder: bool, is_installed: bool) -> Option<PathBuf> {
        if has_name_of(&path, &[".git"]) {
            let find = if is_folder { Find::Repository } else { Find::Pointer };
            self.finds.insert(path, find);
        } else if !is_installed && has_name_of(&path, &TOOLS) {
            self.finds.insert(path, Find::Tool);
        } else if is_folder && !self.folders.contains_key(&path) {
            return Some(path);
        }
        None
    }
}

/// Whether a path ends with one of these names, however it is written: some file systems take both for the same.
fn has_name_of(path: &Path, names: &[&str]) -> bool {
    path.file_name().is_some_and(|name| names.iter().any(|one| name.eq_ignore_ascii_case(one)))
}

fn stamp_of(folder: &Path) -> Option<(u64, i64, i64)> {
    let found = fs::symlink_metadata(folder).ok()?;
    found.is_dir().then(|| (found.ino(), found.ctime(), found.ctime_nsec()))
}

/// Whether what changed then was old enough at `now` to be distinguished by that time from what comes later.
fn is_settled((_, seconds, nanoseconds): (u64, i64, i64), now: SystemTime) -> bool {
    let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(seconds), u32::try_from(nanoseconds))
    else {
        return false;
    };
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    now.duration_since(changed).is_ok_and(|age| age > SETTLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_folder_is_known_by_its_time_of_change_once_the_clock_has_gone_on() {
        let now = SystemTime::UNIX_EPOCH + Duration::new(100, 30_000_000);
        for (seconds, nanoseconds, expected) in [
            (0, 0, true),
            (100, 9_999_999, true),
            (100, 10_000_000, false),
            (100, 30_000_000, false),
            (100, 30_000_001, false),
            (-1, 0, false),
        ] {
            let settled = is_settled((1, seconds, nanoseconds), now);
            assert_eq!(settled, expected, "{seconds}.{nanoseconds:09}");
        }
    }

    /// The latest survey is the whole process's: other tests may put theirs in its place at any time.
    #[test]
    fn a_survey_goes_on_from_the_latest_if_that_was_of_the_same_folders() {
        let scratch = tempfile::tempdir().unwrap();
        let [large, small] = ["large", "small"].map(|name| [scratch.path().join(name)]);
        for folder in [&large[0], &small[0]] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(".npmrc"), "x").unwrap();
        }
        // More than one walk takes.
        for number in 0..4 {
            fs::create_dir(large[0].join(number.to_string())).unwrap();
        }
        for number in 0..MOST_ENTRIES + 200 {
            fs::write(large[0].join(format!("{}/{number}", number % 4)), "").unwrap();
        }

        let deadline = Instant::now() + Duration::from_secs(5);
        while Survey::of(&large).has_more() {
            assert!(Instant::now() < deadline, "each one begins at the top");
        }
        let other = Survey::of(&small);

        assert_eq!(other.finds().collect::<Vec<_>>(), [(&*small[0].join(".npmrc"), Find::Tool)]);
    }
}
