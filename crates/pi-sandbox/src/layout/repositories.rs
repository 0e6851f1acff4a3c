//! Protects the repositories that a session finds besides the one of each writable folder.

use std::fs;
use std::path::Path;

use super::super::plants::{Below, Budget, Find, Survey, below};
use super::super::stubs::StubKind;
use super::{Layout, add};

/// What is protected in the folder of each repository.
const PROTECTED_IN_REPOSITORY: [(&str, StubKind); 3] =
    [("hooks", StubKind::Folder), ("config", StubKind::File), ("config.worktree", StubKind::File)];

/// Repositories below the writable folders that are protected; more are watched only. Each costs some
/// mounts.
pub(super) const MOST_REPOSITORIES: usize = 32;

impl Layout {
    /// Protects the repositories that are there besides the one of each writable folder: further
    /// down, of submodules, of linked worktrees. One that cannot be protected is watched.
    pub(super) fn protect_repositories(&mut self, survey: &Survey) {
        let mut budget = Budget::of_one_walk();
        let mut most = MOST_REPOSITORIES;
        for (path, find) in survey.finds() {
            if most == 0 {
                return;
            }
            match find {
                Find::Repository if !survey.is_installed(path) => {
                    let is_first = self.writable.iter().any(|root| root.join(".git") == path);
                    if !is_first {
                        most -= 1;
                        self.protect_repository(path);
                    }
                    for inner in below(&path.join("modules"), &mut budget) {
                        if let Below::Repository(inner) = inner
                            && most > 0
                        {
                            most -= 1;
                            self.pin_between(path, &inner);
                            self.protect_repository(&inner);
                        }
                    }
                    for inner in budget.entries(&path.join("worktrees")) {
                        let is_folder = fs::symlink_metadata(&inner).is_ok_and(|it| it.is_dir());
                        if is_folder && most > 0 {
                            most -= 1;
                            self.pin_between(path, &inner);
                            self.protect_if_there(&inner.join("commondir"));
                            drop(self.step(&inner.join("config.worktree"), true, StubKind::File));
                        }
                    }
                }
                Find::Pointer if !survey.is_installed(path) => self.protect_if_there(path),
                _ => {}
            }
        }
    }

    /// Keeps the folders from one to another further down where they are.
    fn pin_between(&mut self, from: &Path, to: &Path) {
        let mut way: Vec<_> = to.ancestors().take_while(|path| *path != from).collect();
        way.push(from);
        for path in way.into_iter().rev() {
            if !self.read_only.iter().any(|one| path.starts_with(one)) {
                add(&mut self.pinned, path);
            }
        }
    }

    fn protect_repository(&mut self, folder: &Path) {
        if self.read_only.iter().any(|one| folder.starts_with(one)) {
            return;
        }
        add(&mut self.pinned, folder);
        for (name, kind) in PROTECTED_IN_REPOSITORY {
            // A link, for example. It is watched.
            drop(self.step(&folder.join(name), true, kind));
        }
        self.protect_if_there(&folder.join("commondir"));
    }
}
