//! Which paths of a sandbox can be written, and which parts of them cannot.
//!
//! Inside of a writable folder some names decide what programs outside of the sandbox will do
//! later: hooks, configuration of tools, start-up files. They stay read-only, also when they do not
//! exist yet. A mount point can be neither renamed nor removed, but a folder above it can; so the
//! folders on the way are made mount points as well.

mod repositories;

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::plants::{Plants, Survey};
use super::stubs::{StubKind, Stubs};

/// What is protected in every writable folder, and what stands in for it when it is missing.
///
/// Hooks and configuration of git run programs; the others are read by editors and agents when
/// someone opens the folder. Stand-ins are folders where that is possible: git does not see empty
/// folders, so they are never committed.
const PROTECTED: [(&str, StubKind); 15] = [
    (".git/hooks", StubKind::Folder),
    (".git/config", StubKind::File),
    (".git/config.worktree", StubKind::File),
    (".vscode", StubKind::Folder),
    (".idea", StubKind::Folder),
    (".zed", StubKind::Folder),
    (".devcontainer", StubKind::Folder),
    (".husky", StubKind::Folder),
    (".claude", StubKind::Folder),
    (".codex", StubKind::Folder),
    (".cursor", StubKind::Folder),
    (".gemini", StubKind::Folder),
    (".pi", StubKind::Folder),
    (".mcp.json", StubKind::Folder),
    (".envrc", StubKind::Folder),
];

/// What is protected where it exists. Nothing can stand in for these: an empty file of such a name
/// would be committed, and tools stumble over a folder.
const PROTECTED_IF_THERE: [&str; 8] = [
    ".git/commondir",
    ".devcontainer.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".bunfig.toml",
];

/// What is protected in the home folder, where that can be written: what shells and git read.
const PROTECTED_AT_HOME: [&str; 9] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".gitconfig",
];

/// The paths of one sandbox, as they are now.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Folders that can be written, without symbolic links.
    pub(super) writable: Vec<PathBuf>,
    /// Folders in them that may not be moved, parents first.
    pub(super) pinned: Vec<PathBuf>,
    /// What is in them and stays read-only.
    pub(super) read_only: Vec<PathBuf>,
    /// Holds what was made in the place of missing paths.
    pub(super) stubs: Stubs,
    /// Watches what cannot be protected beforehand. `None`: nothing can be written.
    pub(super) plants: Option<Plants>,
}

/// The folders that can be written, resolved; an error says which one cannot be one and why.
pub(super) fn resolve_writable(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut resolved = Vec::new();
    for path in paths {
        if !path.is_absolute() {
            return Err(format!("`{}` is not absolute", path.display()));
        }
        let real =
            fs::canonicalize(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        if !real.is_dir() {
            return Err(format!("`{}` is not a folder", path.display()));
        }
        if real == Path::new("/") {
            return Err("`/` would make everything writable; leave the sandbox out".to_owned());
        }
        if !resolved.contains(&real) {
            resolved.push(real);
        }
    }
    Ok(resolved)
}

impl Layout {
    /// Looks at what is there, and makes stubs for what is missing.
    pub(super) fn new(
        writable: &[PathBuf],
        more_protected: &[PathBuf],
        home: Option<&Path>,
    ) -> Result<Self, String> {
        let mut layout = Self { writable: resolve_writable(writable)?, ..Self::default() };
        let survey = Survey::of(&layout.writable);
        let home = home.and_then(|home| fs::canonicalize(home).ok());
        for root in layout.writable.clone() {
            for (name, kind) in PROTECTED {
                layout.protect(&root, Path::new(name), kind)?;
            }
            for name in PROTECTED_IF_THERE {
                layout.protect_if_there(&root.join(name));
            }
            if let Some(home) = home.as_deref().and_then(|home| home.strip_prefix(&root).ok()) {
                for name in PROTECTED_AT_HOME {
                    layout.protect(&root, &home.join(name), StubKind::File)?;
                }
            }
            for path in more_protected {
                let inside = if path.is_absolute() {
                    // One that is in no writable folder is read-only as it is.
                    path.strip_prefix(&root).ok().map(Path::to_path_buf)
                } else {
                    Some(path.clone())
                };
                if let Some(inside) = inside.filter(|inside| !inside.as_os_str().is_empty()) {
                    layout.protect(&root, &inside, StubKind::Folder)?;
                }
            }
        }
        layout.protect_repositories(&survey);
        layout.watch(survey);
        Ok(layout)
    }

    /// Folders that can be written, and nothing in them that is protected.
    #[cfg(target_os = "linux")]
    pub(super) fn unprotected(writable: &[PathBuf]) -> Result<Self, String> {
        let mut layout = Self { writable: resolve_writable(writable)?, ..Self::default() };
        let survey = Survey::of(&layout.writable);
        layout.watch(survey);
        Ok(layout)
    }

    fn watch(&mut self, survey: Survey) {
        if !self.writable.is_empty() {
            self.plants = Some(Plants::new(&self.writable, &self.read_only, survey));
        }
    }

    /// Protects a file or folder that exists and is not a link; a link is watched.
    fn protect_if_there(&mut self, path: &Path) {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink())
            && !self.read_only.iter().any(|one| path.starts_with(one))
        {
            add(&mut self.read_only, path);
        }
    }

    fn protect(&mut self, root: &Path, inside: &Path, kind: StubKind) -> Result<(), String> {
        let mut path = root.to_path_buf();
        let count = inside.components().count();
        for (index, component) in inside.components().enumerate() {
            let Component::Normal(name) = component else {
                return Err(format!("protected path `{}` is not plain", inside.display()));
            };
            path.push(name);
            let is_last = index + 1 == count;
            if !self.step(&path, is_last, kind)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// One step on the way to a protected path; false when the way ends here.
    fn step(&mut self, path: &Path, is_last: bool, kind: StubKind) -> Result<bool, String> {
        let Ok(found) = fs::symlink_metadata(path) else {
            // Missing: what cannot be looked at for another reason cannot be made either.
            let kind = if is_last { kind } else { StubKind::Folder };
            self.stubs
                .make(path, kind)
                .map_err(|error| format!("cannot protect `{}`: {error}", path.display()))?;
            add(&mut self.read_only, path);
            return Ok(false);
        };
        if found.file_type().is_symlink() {
            return Err(format!(
                "protected path `{}` is a symbolic link, which could be replaced; remove it",
                path.display()
            ));
        }
        let is_stub = self.stubs.adopt(path, &found);
        if is_last || is_stub || !found.is_dir() || self.read_only.iter().any(|one| one == path) {
            // A `.git` that is a file names a folder elsewhere, which is read-only there.
            add(&mut self.read_only, path);
            return Ok(false);
        }
        add(&mut self.pinned, path);
        Ok(true)
    }
}

fn add(paths: &mut Vec<PathBuf>, path: &Path) {
    if !paths.iter().any(|one| one == path) {
        paths.push(path.to_path_buf());
    }
}

#[cfg(test)]
mod tests {
    use super::repositories::MOST_REPOSITORIES;
    use super::*;

    #[test]
    fn what_is_missing_is_protected_and_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::create_dir(root.join(".git")).unwrap();

        let layout = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

        assert!(layout.pinned.contains(&root.join(".git")));
        assert!(layout.read_only.contains(&root.join(".git/hooks")));
        assert!(layout.read_only.contains(&root.join(".envrc")));
        assert!(layout.read_only.iter().all(|path| path.exists()), "nothing else can be mounted");
        drop(layout);
        let left: Vec<_> =
            fs::read_dir(&root).unwrap().flatten().map(|one| one.file_name()).collect();
        assert_eq!(left, [".git"]);
        assert_eq!(fs::read_dir(root.join(".git")).unwrap().count(), 0);
    }

    #[test]
    fn without_a_repository_its_folder_is_protected_as_a_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();

        let layout = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

        assert!(layout.read_only.contains(&root.join(".git")));
        assert!(!layout.pinned.contains(&root.join(".git")));
        let second = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();
        assert_eq!(second.read_only, layout.read_only, "the stub of the first is one here too");
        assert!(second.pinned.is_empty());
        assert_eq!(fs::read_dir(root.join(".git")).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_names_the_repository_elsewhere_is_protected_as_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::write(root.join(".git"), "gitdir: /elsewhere/.git/worktrees/w\n").unwrap();

        let layout = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

        assert!(layout.read_only.contains(&root.join(".git")));
        assert!(layout.pinned.is_empty());
    }

    #[test]
    fn stubs_stay_while_another_session_needs_them() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let first = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();
        let second = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

        drop(first);
        assert!(root.join(".envrc").exists());
        drop(second);
        assert!(!root.join(".envrc").exists());
    }

    #[test]
    fn an_empty_file_of_the_user_is_not_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::write(root.join(".envrc"), "").unwrap();

        drop(Layout::new(std::slice::from_ref(&root), &[], None).unwrap());

        assert!(root.join(".envrc").exists());
    }

    #[test]
    fn start_up_files_are_protected_where_the_home_folder_can_be_written() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let home = root.join("ann");
        fs::create_dir(&home).unwrap();

        let layout = Layout::new(std::slice::from_ref(&root), &[], Some(&home)).unwrap();

        assert!(layout.read_only.contains(&home.join(".bashrc")));
        assert!(!layout.read_only.contains(&root.join(".bashrc")));
    }

    #[test]
    fn a_symbolic_link_in_the_place_of_a_protected_path_is_refused_by_name() {
        let scratch = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", scratch.path().join(".vscode")).unwrap();

        let error = Layout::new(&[scratch.path().to_path_buf()], &[], None).unwrap_err();

        assert!(error.contains(".vscode` is a symbolic link"), "{error}");
    }

    #[test]
    fn the_root_folder_and_relative_folders_are_no_writable_folders() {
        assert!(resolve_writable(&[PathBuf::from("/")]).unwrap_err().contains("everything"));
        assert!(resolve_writable(&[PathBuf::from("work")]).unwrap_err().contains("not absolute"));
        assert!(
            resolve_writable(&[PathBuf::from("/etc/passwd")]).unwrap_err().contains("not a folder")
        );
    }

    #[test]
    fn repositories_further_down_and_of_submodules_and_worktrees_are_protected() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let inside =
            [".git/modules/a/b", "x/y/.git", "bare.git", "node_modules/z/.git", ".git/worktrees/w"];
        for path in inside {
            for name in ["objects", "refs", "hooks"] {
                fs::create_dir_all(root.join(path).join(name)).unwrap();
            }
            fs::write(root.join(path).join("HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(root.join(path).join("config"), "").unwrap();
        }
        fs::write(root.join(".git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::create_dir(root.join("w")).unwrap();
        fs::write(root.join("w/.git"), "gitdir: ../.git/worktrees/w\n").unwrap();
        fs::create_dir_all(root.join("node_modules/linked")).unwrap();
        fs::write(root.join("node_modules/linked/.git"), "gitdir: ../../.git/worktrees/w\n")
            .unwrap();
        fs::write(root.join(".npmrc"), "x").unwrap();

        let layout = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

        for path in [
            ".git/config.worktree",
            ".git/modules/a/b/config",
            ".git/modules/a/b/config.worktree",
            ".git/modules/a/b/hooks",
            ".git/worktrees/w/commondir",
            ".git/worktrees/w/config.worktree",
            "w/.git",
            "x/y/.git/config",
            "x/y/.git/hooks",
            "bare.git/config",
            ".npmrc",
        ] {
            assert!(layout.read_only.contains(&root.join(path)), "{path}");
        }
        for path in [".git/modules", ".git/modules/a", ".git/modules/a/b", "x/y/.git"] {
            assert!(layout.pinned.contains(&root.join(path)), "{path}");
        }
        let packages = root.join("node_modules");
        let all = || layout.read_only.iter().chain(&layout.pinned);
        assert!(all().all(|path| !path.starts_with(&packages)), "packages can be removed");
        assert!(!layout.pinned.contains(&root.join("x")), "a folder can be moved");
        drop(layout);
        assert!(!root.join(".git/modules/a/b/config.worktree").exists());
    }

    #[test]
    fn only_so_many_repositories_are_protected_whatever_their_kind() {
        for (more, in_each) in [
            ("{}/.git", "hooks"),
            (".git/modules/{}", "hooks"),
            (".git/worktrees/{}", "config.worktree"),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let root = scratch.path().canonicalize().unwrap();
            for number in 0..MOST_REPOSITORIES + 5 {
                let path = root.join(more.replace("{}", &number.to_string()));
                fs::create_dir_all(&path).unwrap();
                fs::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            }

            let layout = Layout::new(std::slice::from_ref(&root), &[], None).unwrap();

            let first = root.join(".git").join(in_each);
            let protected = layout.read_only.iter();
            let others = protected.filter(|path| path.ends_with(in_each) && **path != first);
            assert_eq!(others.count(), MOST_REPOSITORIES, "{more}");
        }
    }

    #[test]
    fn more_paths_can_be_protected() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("ci/scripts")).unwrap();
        let more = [PathBuf::from("ci/scripts"), root.join("deploy"), PathBuf::from("/etc")];

        let layout = Layout::new(std::slice::from_ref(&root), &more, None).unwrap();

        assert!(layout.read_only.contains(&root.join("ci/scripts")));
        assert!(layout.pinned.contains(&root.join("ci")));
        assert!(layout.read_only.contains(&root.join("deploy")));
    }
}
