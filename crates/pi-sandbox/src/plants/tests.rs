//! What is found after commands, and what is left alone.

use std::collections::HashMap;
use std::fs;
use std::hash::RandomState;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::survey::Find;
use super::{Budget, Plants, State, Survey, Watch};
use crate::PlantKind;

/// A workspace with a repository, of which nothing is protected.
struct Workspace {
    _scratch: tempfile::TempDir,
    root: PathBuf,
}

impl Workspace {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let workspace = Self { _scratch: scratch, root };
        workspace.repository(".git", "[core]\n\tbare = false\n");
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn repository(&self, path: &str, config: &str) {
        for name in ["objects/x", "refs/x", "hooks/pre-commit.sample"] {
            self.write(&format!("{path}/{name}"), "");
        }
        self.write(&format!("{path}/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{path}/config"), config);
    }

    fn watch(&self) -> Plants {
        self.watch_with(&[])
    }

    fn watch_with(&self, protected: &[PathBuf]) -> Plants {
        let roots = std::slice::from_ref(&self.root);
        Plants::new(roots, protected, Survey::of(roots))
    }

    fn found(&self, plants: &Plants) -> Vec<(String, PlantKind)> {
        let found = plants.look();
        assert!(!found.is_partial);
        let name = |path: &Path| path.strip_prefix(&self.root).unwrap().display().to_string();
        found.plants.into_iter().map(|plant| (name(&plant.path), plant.kind)).collect()
    }
}

const EVIL: &str = "[core]\n\tfsmonitor = ./evil\n";

#[test]
fn everything_that_makes_git_run_a_program_is_reported_once() {
    use PlantKind::{Rebase, Repository};
    type Do = fn(&Workspace);
    let cases: &[(&str, PlantKind, Do)] = &[
        (".git/config.worktree", Repository, |at| at.write(".git/config.worktree", EVIL)),
        (".git/config", Repository, |at| at.write(".git/config", EVIL)),
        (".git/commondir", Repository, |at| at.write(".git/commondir", "../other\n")),
        (".git/hooks/post-checkout", Repository, |at| at.write(".git/hooks/post-checkout", "x")),
        (".git/modules/a/b/config", Repository, |at| at.repository(".git/modules/a/b", EVIL)),
        (".git/modules/a/hooks/x", Repository, |at| {
            at.repository(".git/modules/a", "");
            at.write(".git/modules/a/hooks/x", "x");
        }),
        (".git/modules/a/modules/b/config", Repository, |at| {
            at.repository(".git/modules/a", "");
            at.repository(".git/modules/a/modules/b", EVIL);
        }),
        (".git/worktrees/w/commondir", Repository, |at| {
            at.write(".git/worktrees/w/commondir", "../../../other\n");
        }),
        (".git/worktrees/w/config.worktree", Repository, |at| {
            at.write(".git/worktrees/w/config.worktree", EVIL);
        }),
        (".git/rebase-merge/git-rebase-todo", Rebase, |at| {
            at.write(".git/rebase-merge/git-rebase-todo", "pick 1 x\nexec ./evil\n");
        }),
        ("config", Repository, |at| at.repository(".", EVIL)),
        ("a/b/c/d/e/f/config", Repository, |at| at.repository("a/b/c/d/e/f", EVIL)),
        ("bare/hooks/pre-receive", Repository, |at| {
            at.repository("bare", "");
            at.write("bare/hooks/pre-receive", "x");
        }),
        ("elsewhere/commondir", Repository, |at| {
            at.write("elsewhere/HEAD", "ref: refs/heads/main\n");
            at.write("elsewhere/commondir", "../other\n");
        }),
        ("sub/.git/config", Repository, |at| at.repository("sub/.git", EVIL)),
        ("sub/.GIT/config", Repository, |at| at.repository("sub/.GIT", EVIL)),
        ("sub/.git", Repository, |at| at.write("sub/.git", "gitdir: ../other\n")),
        ("sub/.git", Repository, |at| at.write("sub/.git", "gitdir: ../fake/modules/x\n")),
        ("sub/.git", Repository, |at| at.write("sub/.git", "gitdir: ../.git/x/y\n")),
        ("sub/.git", Repository, |at| at.write("sub/.git", "gitdir: /x/.git/modules/y\n")),
        ("sub/.git", Repository, |at| {
            at.write("sub/x", "");
            symlink("../other", at.root.join("sub/.git")).unwrap();
        }),
        ("node_modules/x/.git/config", Repository, |at| at.repository("node_modules/x/.git", EVIL)),
        (".git/modules/a", Repository, |at| {
            at.write(".git/modules/x", "");
            symlink("../../evil", at.root.join(".git/modules/a")).unwrap();
        }),
        (".git/worktrees/w", Repository, |at| {
            at.write(".git/worktrees/x", "");
            symlink("../../evil", at.root.join(".git/worktrees/w")).unwrap();
        }),
        (".git/hooks", Repository, |at| {
            fs::remove_dir_all(at.root.join(".git/hooks")).unwrap();
            symlink("../evil", at.root.join(".git/hooks")).unwrap();
        }),
    ];
    for (path, kind, make) in cases {
        let workspace = Workspace::new();
        let plants = workspace.watch();

        make(&workspace);

        assert_eq!(workspace.found(&plants), [((*path).to_owned(), *kind)], "{path}");
        assert_eq!(workspace.found(&plants), [], "{path}, again");
    }
}

#[test]
fn what_tools_obey_is_reported_wherever_a_person_may_work() {
    for path in [
        ".npmrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        "packages/a/.npmrc",
        "packages/a/.husky/pre-commit",
        "a/.devcontainer/devcontainer.json",
        "a/.zed/tasks.json",
        "a/.vscode/tasks.json",
    ] {
        let workspace = Workspace::new();
        let plants = workspace.watch();

        workspace.write(path, "x");

        let found = workspace.found(&plants);
        assert_eq!(found.len(), 1, "{path}");
        assert!(
            path.starts_with(&found[0].0) && found[0].1 == PlantKind::Tool,
            "{path}: {found:?}"
        );
    }
}

#[test]
fn ordinary_work_is_not_reported() {
    let workspace = Workspace::new();
    workspace.repository("old", "");
    let plants = workspace.watch();

    workspace.repository("clone/.git", "[remote \"origin\"]\n\turl = https://host/x\n");
    workspace.repository("bare.git", "[core]\n\tbare = true\n");
    workspace.repository(".git/modules/sub", "[core]\n\tworktree = ../../../sub\n");
    workspace.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    workspace.write(".git/worktrees/w/commondir", "../..\n");
    workspace.write(".git/worktrees/w/HEAD", "ref: refs/heads/x\n");
    workspace.write("w/.git", &format!("gitdir: {}/.git/worktrees/w\n", workspace.root.display()));
    workspace.write(".git/rebase-merge/git-rebase-todo", "pick 1 exec\nfixup 2\n");
    workspace.write("node_modules/x/.npmrc", "x");
    workspace.write("node_modules/x/.vscode/tasks.json", "x");
    workspace.write("src/objects", "");
    workspace.write("src/HEAD", "");
    workspace.write("src/hooks/x", "x");
    fs::remove_file(workspace.root.join("old/HEAD")).unwrap();
    workspace.write("old/hooks/x", "x");
    fs::create_dir(workspace.root.join(".husky")).unwrap();
    workspace.write(".envrc", "");

    assert_eq!(workspace.found(&plants), []);
}

#[test]
fn what_was_there_is_reported_when_it_changes_and_not_before() {
    let workspace = Workspace::new();
    workspace.write(".git/config", EVIL);
    workspace.write(".git/hooks/pre-commit", "x");
    workspace.write("a/.npmrc", "x");
    workspace.repository("b/.git", "");
    let plants = workspace.watch();
    assert_eq!(workspace.found(&plants), []);

    workspace.write(".git/config", "[core]\n\tfsmonitor = ./other\n");
    workspace.write(".git/hooks/pre-commit", "xy");
    workspace.write("a/.npmrc", "xy");
    workspace.write("b/.git/config", EVIL);

    let found: Vec<_> = workspace.found(&plants).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, [".git/config", ".git/hooks/pre-commit", "a/.npmrc", "b/.git/config"]);
}

#[test]
fn what_is_protected_is_left_alone_until_another_takes_its_place() {
    let workspace = Workspace::new();
    workspace.repository("a/.git", "");
    let protected = [workspace.root.join("a/.git/config"), workspace.root.join(".vscode")];
    workspace.write(".vscode/tasks.json", "x");
    let plants = workspace.watch_with(&protected);

    workspace.write("a/.git/config", EVIL);
    workspace.write(".vscode/tasks.json", "xy");
    assert_eq!(workspace.found(&plants), []);

    fs::rename(workspace.root.join("a"), workspace.root.join("b")).unwrap();
    workspace.repository("a/.git", EVIL);
    let found: Vec<_> = workspace.found(&plants).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, ["a/.git/config", "b/.git/config"]);
}

#[test]
fn a_reader_is_not_held_up_and_what_cannot_be_read_is_reported() {
    let workspace = Workspace::new();
    let plants = workspace.watch();
    let fifo = workspace.root.join(".git/config.worktree");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    workspace.write(".git/commondir", &"x".repeat(100_000));

    assert_eq!(workspace.found(&plants).len(), 2);
}

#[test]
fn a_walk_is_bounded_and_says_so() {
    let workspace = Workspace::new();
    let plants = workspace.watch();
    for number in 0..210 {
        fs::create_dir(workspace.root.join(format!("d{number}"))).unwrap();
    }
    workspace.write(".git/commondir", "../other\n");

    let found = plants.look();

    assert!(found.is_partial);
    assert_eq!(found.plants.len(), 1, "the top of the tree is looked at in any case");
}

#[test]
fn hooks_that_are_more_than_one_look_reads_are_a_partial_answer() {
    let workspace = Workspace::new();
    let plants = workspace.watch();
    for number in 0..1_010 {
        workspace.write(&format!(".git/hooks/h{number}.sample"), "");
    }

    let found = plants.look();

    assert!(found.is_partial);
    assert!(found.plants.is_empty());
    let mut budget = Budget::of_one_walk();
    let counts = [0; 2].map(|_| budget.entries(&workspace.root.join(".git/hooks")).len());
    assert_eq!(counts, [1_000, 0]);
}

#[test]
fn a_walk_that_was_cut_short_goes_on_the_next_time_and_knows_what_is_old() {
    let workspace = Workspace::new();
    for number in 0..150 {
        for name in ["1", "2", "3", "4", "5", "6", "7", "8", ".npmrc"] {
            workspace.write(&format!("d{number}/{name}"), "x");
        }
    }
    age(&workspace.root.join("d149"));
    let plants = workspace.watch();

    let second = plants.look();
    assert_eq!((second.plants.len(), second.is_partial), (0, false), "two walks are enough");
    for number in 140..150 {
        workspace.write(&format!("d{number}/.npmrc"), "xy");
    }
    assert_eq!(workspace.found(&plants).len(), 10);
}

#[test]
fn folders_that_had_no_room_are_walked_through_when_there_is_room_again() {
    let workspace = Workspace::new();
    let crowd = |number: usize| workspace.root.join(format!("d{}/{number}", number % 7));
    let last = workspace.root.join("last");
    fs::create_dir(&last).unwrap();
    (0..7 * 390).for_each(|number| fs::create_dir_all(crowd(number)).unwrap());
    age(&crowd(7 * 390 - 1));
    let plants = workspace.watch();
    for _ in 0..5 {
        assert!(plants.look().is_partial);
    }
    (0..100).for_each(|number| fs::create_dir(last.join(number.to_string())).unwrap());
    age(&last);
    assert!(plants.look().is_partial);

    (0..7 * 390).for_each(|number| fs::remove_dir(crowd(number)).unwrap());
    for number in 0..100 {
        workspace.write(&format!("last/{number}/.npmrc"), "x");
    }

    let mut found = plants.look();
    assert!(found.is_partial, "nothing waits any more, and not all was looked at");
    let mut count = found.plants.len();
    for _ in 0..10 {
        found = plants.look();
        count += found.plants.len();
    }
    assert_eq!((count, found.is_partial), (100, false));
}

#[test]
fn what_came_with_the_start_is_new_and_what_was_there_before_is_old() {
    let workspace = Workspace::new();
    workspace.write(".npmrc", "x");
    let path = workspace.root.join(".npmrc");
    let found = fs::symlink_metadata(&path).unwrap();
    let (seconds, nanoseconds) = (found.ctime(), found.ctime_nsec());
    for (start_of_partial, is_old) in [
        (None, false),
        (Some((seconds, nanoseconds)), false),
        (Some((seconds, nanoseconds + 1)), true),
        (Some((seconds + 1, 0)), true),
    ] {
        let (survey, known, hasher) = (Survey::default(), HashMap::new(), RandomState::new());
        let state = Mutex::new(State { survey, known, hasher });
        let (roots, protected) = (vec![workspace.root.clone()], HashMap::new());
        let watch = Watch { roots, protected, start_of_partial, state };

        assert_eq!(watch.is_old(&path), is_old, "{start_of_partial:?}");
    }
}

/// Waits until the times of change of new files differ from those of old ones.
fn age(folder: &Path) {
    let changed = fs::metadata(folder).unwrap().modified().unwrap();
    let bound = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while changed.elapsed().unwrap_or_default() < std::time::Duration::from_millis(50) {
        assert!(std::time::Instant::now() < bound, "the clock stands still");
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_with_many_files_does_not_hide_the_others() {
    let workspace = Workspace::new();
    for number in 0..1_200 {
        workspace.write(&format!("many/{number}"), "");
    }
    let plants = workspace.watch();
    workspace.repository("other/a/.git", EVIL);

    let found = plants.look();

    assert!(found.is_partial);
    assert_eq!(found.plants.len(), 1);
}

#[test]
fn many_plants_are_reported_in_turns() {
    let workspace = Workspace::new();
    let plants = workspace.watch();
    for number in 0..30 {
        workspace.write(&format!("d{number}/.npmrc"), "x");
    }

    assert_eq!(workspace.found(&plants).len(), 20);
    assert_eq!(workspace.found(&plants).len(), 10);
    assert_eq!(workspace.found(&plants).len(), 0);
}

#[test]
fn a_crowd_in_a_folder_hides_nothing_that_tools_obey_in_it() {
    let workspace = Workspace::new();
    let mut survey = Survey::default();
    for number in 0..1_000 {
        workspace.write(&format!("bare/{number}"), "");
        workspace.write(&format!("pointing/{number}"), "");
    }
    workspace.repository("bare", "");
    for path in ["bare/.npmrc", "bare/.vscode/tasks.json", "pointing/.git"] {
        workspace.write(path, "x");
    }

    let roots = ["bare", "pointing"].map(|name| workspace.root.join(name));
    survey.renew(&roots, &mut Budget::of_one_walk());

    let found: Vec<_> = survey.finds().collect();
    let at = |path: &str| workspace.root.join(path);
    for (path, find) in [
        ("bare", Find::Repository),
        ("bare/.npmrc", Find::Tool),
        ("bare/.vscode", Find::Tool),
        ("pointing/.git", Find::Pointer),
    ] {
        assert!(found.contains(&(at(path).as_path(), find)), "{path}");
    }
    assert!(survey.has_more(), "not all was looked at");
}
