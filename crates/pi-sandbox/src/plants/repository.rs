//! What in a repository's own folder runs programs the next time that git is used there.
//!
//! Read is what git reads: configuration, hooks, the pointers from one such folder to another, and the
//! rest of an unfinished rebase. The folder of one repository may hold others: its submodules' and
//! those of its linked worktrees.

use std::fs;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use pi_process::sys::read_plain;

use super::git_config;
use super::survey::Budget;
use crate::PlantKind;

/// Bytes of a file that are read. What is longer is not what git writes.
const MOST_BYTES: u64 = 65_536;

/// Something that will run programs, with a number that changes when it does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) path: PathBuf,
    pub(super) kind: PlantKind,
    pub(super) digest: u64,
}

/// Looks at repositories, with what all looks of one session have in common.
pub(super) struct Judge<'a> {
    /// Folders that can be written.
    pub(super) roots: &'a [PathBuf],
    /// Whether a path cannot be changed from inside.
    pub(super) is_protected: &'a dyn Fn(&Path) -> bool,
    pub(super) hasher: &'a RandomState,
    /// Entries of folders that may still be read.
    pub(super) budget: &'a mut Budget,
    pub(super) verdicts: Vec<Verdict>,
}

impl Judge<'_> {
    fn report(&mut self, path: PathBuf, kind: PlantKind, content: impl Hash) {
        let digest = self.hasher.hash_one(content);
        self.verdicts.push(Verdict { path, kind, digest });
    }

    /// The folder of a repository: `.git`, a bare one, or one inside of such a folder.
    pub(super) fn repository(&mut self, folder: &Path) {
        self.own_files(folder);
        for inner in below(&folder.join("modules"), self.budget) {
            match inner {
                Below::Repository(path) => self.own_files(&path),
                Below::Link(path) => self.link(&path),
            }
        }
        for path in self.budget.entries(&folder.join("worktrees")) {
            if is_link(&path) { self.link(&path) } else { self.own_files(&path) }
        }
    }

    fn own_files(&mut self, folder: &Path) {
        for name in ["config", "config.worktree"] {
            self.configuration(&folder.join(name), folder);
        }
        let pointer = folder.join("commondir");
        if let Some(text) = self.changeable(&pointer) {
            let of_worktree = folder.parent().and_then(Path::file_name);
            if of_worktree.is_none_or(|name| name != "worktrees") || text.trim() != "../.." {
                self.report(pointer, PlantKind::Repository, text);
            }
        }
        self.hooks(&folder.join("hooks"));
        let todo = folder.join("rebase-merge/git-rebase-todo");
        if let Some(text) = self.changeable(&todo)
            && text.lines().any(runs_a_line)
        {
            self.report(todo, PlantKind::Rebase, text);
        }
    }

    fn configuration(&mut self, path: &Path, folder: &Path) {
        let Some(text) = self.changeable(path) else { return };
        if is_link(path) || !git_config::is_harmless(&text, folder, self.roots) {
            self.report(path.to_path_buf(), PlantKind::Repository, text);
        }
    }

    fn hooks(&mut self, folder: &Path) {
        if (self.is_protected)(folder) {
            return;
        }
        if is_link(folder) {
            return self.link(folder);
        }
        for path in self.budget.entries(folder) {
            let is_sample = path.extension().is_some_and(|end| end == "sample");
            if !is_sample && let Some(state) = state(&path) {
                self.report(path, PlantKind::Repository, state);
            }
        }
    }

    fn link(&mut self, path: &Path) {
        self.report(path.to_path_buf(), PlantKind::Repository, fs::read_link(path).ok());
    }

    /// A `.git` that is a file, or a link: it names a repository elsewhere.
    pub(super) fn pointer(&mut self, path: &Path) {
        let Some(text) = self.changeable(path) else { return };
        let target = text.trim().strip_prefix("gitdir:").map(str::trim);
        let folder = path.parent().unwrap_or(path);
        let is_looked_at = target.is_some_and(|target| {
            let target = git_config::joined(folder, target);
            let mut owners = target.ancestors().skip(2);
            owners.any(|owner| {
                owner.file_name().is_some_and(|name| name == ".git")
                    && self.roots.iter().any(|root| owner.starts_with(root))
            }) && ["modules", "worktrees"]
                .iter()
                .any(|name| target.components().any(|component| component.as_os_str() == *name))
        });
        if is_link(path) || !is_looked_at {
            self.report(path.to_path_buf(), PlantKind::Repository, text);
        }
    }

    /// A file or folder that a tool obeys.
    pub(super) fn tool(&mut self, path: &Path) {
        if (self.is_protected)(path) {
            return;
        }
        let Some(own) = state(path) else { return };
        let Ok(found) = fs::symlink_metadata(path) else { return };
        // An empty one says nothing yet; so is what stands in for a protected path.
        if found.is_dir() {
            let inside = self.budget.entries(path);
            let inside: Vec<_> = inside.iter().filter_map(|one| state(one)).collect();
            if !inside.is_empty() {
                self.report(path.to_path_buf(), PlantKind::Tool, (own.1, inside));
            }
        } else if found.is_symlink() || found.len() > 0 {
            self.report(path.to_path_buf(), PlantKind::Tool, own);
        }
    }

    /// The text of a file that is there and can be changed from inside.
    fn changeable(&self, path: &Path) -> Option<String> {
        let found = fs::symlink_metadata(path).ok()?;
        if (self.is_protected)(path) {
            return None;
        }
        if found.is_symlink() {
            return Some(format!("\0{:?}", fs::read_link(path).ok()));
        }
        // What is not read is not understood, and so not harmless.
        let text =
            read_plain(path, MOST_BYTES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Some(text.unwrap_or_else(|_unread| format!("\0{}", found.len())))
    }
}

fn runs_a_line(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("exec" | "x"))
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// What changes when a file does: its name, inode, size and time of change.
fn state(path: &Path) -> Option<(PathBuf, u64, u64, (i64, i64))> {
    let found = fs::symlink_metadata(path).ok()?;
    let (size, changed) = (found.len(), (found.ctime(), found.ctime_nsec()));
    Some((path.to_path_buf(), found.ino(), size, changed))
}

/// What the folder of submodules' repositories holds.
pub(crate) enum Below {
    /// A repository's own folder.
    Repository(PathBuf),
    /// A symbolic link in the place of one.
    Link(PathBuf),
}

/// Repositories below a folder, also those of submodules of submodules. Their names may have slashes.
pub(crate) fn below(folder: &Path, budget: &mut Budget) -> Vec<Below> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = waiting.pop() {
        for path in budget.entries(&folder) {
            if is_link(&path) {
                found.push(Below::Link(path));
            } else if fs::symlink_metadata(path.join("HEAD")).is_ok() {
                waiting.push(path.join("modules"));
                found.push(Below::Repository(path));
            } else {
                waiting.push(path);
            }
        }
    }
    found
}
