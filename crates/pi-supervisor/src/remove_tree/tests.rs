//! What is removed, and what is left alone, also for a user whom modes keep out.

use super::*;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// A user that has nothing on any system.
const OTHER_USER: &str = "61023";

/// Set where this test runs again as another user.
const IS_OTHER: &str = "PI_BASH_TEST_IS_OTHER_USER";

/// Runs the test `name` as another user besides, since modes keep nothing from root.
fn as_another_user_too(name: &str) {
    if !rustix::process::geteuid().is_root() || std::env::var_os(IS_OTHER).is_some() {
        return;
    }
    let user = ["--reuid", OTHER_USER, "--regid", OTHER_USER, "--clear-groups"];
    // By a descriptor: the other user may not enter the folder that the executable is in.
    let ran = Command::new("setpriv")
        .args(user)
        .args(["/proc/self/fd/0", "--exact", name])
        .stdin(File::open(std::env::current_exe().unwrap()).unwrap())
        .env(IS_OTHER, "1")
        .current_dir("/")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && output.contains("1 passed"), "{output}{ran:?}");
}

/// In memory where it can be: file systems on disk make a folder slowly whose path is long.
fn folder() -> std::path::PathBuf {
    let in_memory = Path::new("/dev/shm");
    let made =
        if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    made.unwrap().keep()
}

fn bar(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_keeps_its_owner_out_is_removed() {
    as_another_user_too("remove_tree::tests::what_keeps_its_owner_out_is_removed");
    for mode in [0o000, 0o100, 0o200, 0o300, 0o400, 0o500, 0o600] {
        let root = folder();
        fs::create_dir_all(root.join("a/b")).unwrap();
        for file in ["f", "a/f", "a/b/f"] {
            fs::write(root.join(file), "x").unwrap();
            bar(&root.join(file), 0);
        }
        for barred in ["a/b", "a", ""] {
            bar(&root.join(barred), mode);
        }

        remove_tree(&root).unwrap();

        assert!(!root.exists(), "{mode:o}");
    }
}

#[test]
fn a_tree_of_any_depth_is_removed() {
    as_another_user_too("remove_tree::tests::a_tree_of_any_depth_is_removed");
    let root = folder();
    // Names that the removal itself gives to what it moves.
    fs::write(root.join("1"), "x").unwrap();
    fs::create_dir_all(root.join("2/below")).unwrap();
    let mut at = rustix::fs::open(&root, OFlags::RDONLY, Mode::empty()).unwrap();
    for _ in 0..5000 {
        for name in ["d", "beside"] {
            rustix::fs::mkdirat(&at, name, Mode::RWXU).unwrap();
        }
        let next = rustix::fs::openat(&at, "d", OFlags::RDONLY, Mode::empty()).unwrap();
        at = next;
    }
    drop(at);

    remove_tree(&root).unwrap();

    assert!(!root.exists());
}

#[test]
fn a_deep_tree_that_keeps_its_owner_out_is_removed() {
    as_another_user_too("remove_tree::tests::a_deep_tree_that_keeps_its_owner_out_is_removed");
    let root = folder();
    let mut chain = vec![root.clone()];
    for _ in 0..3 * OPEN_MAX {
        let next = chain.last().unwrap().join("d");
        fs::create_dir(&next).unwrap();
        chain.push(next);
    }
    for one in chain.iter().rev() {
        bar(one, 0);
    }

    remove_tree(&root).unwrap();

    assert!(!root.exists());
}

#[test]
fn what_a_link_leads_to_stays_as_it_is() {
    let victim = tempfile::tempdir().unwrap();
    fs::write(victim.path().join("file"), "kept").unwrap();
    bar(victim.path(), 0o555);
    let root = folder();
    symlink(victim.path(), root.join("link")).unwrap();
    fs::create_dir(root.join("a")).unwrap();
    symlink(victim.path(), root.join("a/link")).unwrap();
    let link = victim.path().join("../link-to-a-victim");
    drop(fs::remove_file(&link));
    symlink(victim.path(), &link).unwrap();

    remove_tree(&root).unwrap();
    remove_tree(&link).unwrap_err();

    fs::remove_file(&link).unwrap();
    assert!(!root.exists());
    let mode = fs::metadata(victim.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o555);
    assert_eq!(fs::read_to_string(victim.path().join("file")).unwrap(), "kept");
    bar(victim.path(), 0o755);
}

#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    as_another_user_too("remove_tree::tests::a_folder_that_becomes_a_link_meanwhile_leads_nowhere");
    let victim = tempfile::tempdir().unwrap();
    fs::create_dir(victim.path().join("inner")).unwrap();
    fs::write(victim.path().join("inner/file"), "kept").unwrap();
    bar(victim.path(), 0o555);
    let yard = tempfile::tempdir().unwrap();
    let (root, place) = (yard.path().join("root"), yard.path().join("place"));
    symlink(victim.path(), &place).unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let target = root.join("swapped");
            while !ended.load(Ordering::SeqCst) {
                drop(fs::create_dir(&target));
                drop(fs::create_dir(target.join("inner")));
                bar_folder(&target).ok();
                exchange(&target, &place).ok();
                exchange(&target, &place).ok();
            }
        });
        for _ in 0..300 {
            drop(fs::create_dir(&root));
            // It may lose against what is made meanwhile.
            drop(remove_tree(&root));
        }
        ended.store(true, Ordering::SeqCst);
    });
    remove_tree(yard.path()).unwrap();

    let mode = fs::metadata(victim.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o555, "nothing of it was changed");
    assert_eq!(fs::read_to_string(victim.path().join("inner/file")).unwrap(), "kept");
    bar(victim.path(), 0o755);
}

/// Not what a link in its place leads to.
fn bar_folder(path: &Path) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::fchmod(rustix::fs::open(path, flags, Mode::empty())?, Mode::empty())
}

#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> Result<(), Errno> {
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, one, rustix::fs::CWD, other, flags)
}

#[cfg(not(target_os = "linux"))]
fn exchange(one: &Path, other: &Path) -> Result<(), Errno> {
    let kept = one.with_extension("kept");
    rustix::fs::rename(one, &kept)?;
    rustix::fs::rename(other, one)?;
    rustix::fs::rename(&kept, other)
}

#[test]
fn a_file_is_no_tree_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "kept").unwrap();
    bar(&file, 0o444);

    let refused = remove_tree(&file).unwrap_err();

    assert_eq!(refused.raw_os_error(), Some(Errno::NOTDIR.raw_os_error()));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o444);
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
}

#[test]
fn what_is_not_there_is_removed_already() {
    let folder = tempfile::tempdir().unwrap();
    remove_tree(&folder.path().join("missing")).unwrap();
    remove_tree(&folder.path().join("missing/below")).unwrap();
}

#[test]
fn what_stands_beside_the_tree_stays() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("a")).unwrap();
    fs::write(folder.path().join("beside"), "kept").unwrap();

    remove_tree(&root).unwrap();

    assert!(!root.exists() && folder.path().join("beside").exists());
}

/// What took a folder's place while its mode was to be changed.
#[cfg(target_os = "linux")]
#[test]
fn rights_are_given_to_a_folder_and_never_through_a_link_or_to_a_file() {
    let yard = tempfile::tempdir().unwrap();
    let path = |name: &str| yard.path().join(name);
    fs::create_dir(path("folder")).unwrap();
    fs::create_dir(path("victim")).unwrap();
    fs::write(path("file"), "x").unwrap();
    symlink("victim", path("link")).unwrap();
    for name in ["folder", "victim", "file"] {
        bar(&path(name), 0);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let parent = rustix::fs::open(yard.path(), flags, Mode::empty()).unwrap();

    let opened =
        ["folder", "link", "file"].map(|name| open_barred(parent.as_fd(), name, flags).map(drop));

    assert_eq!(opened, [Ok(()), Err(Errno::NOTDIR), Err(Errno::NOTDIR)]);
    let mode = |name| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["folder", "victim", "file"].map(mode), [0o700, 0, 0]);
}

#[test]
fn a_folder_is_known_where_the_file_system_does_not_say_what_a_name_is() {
    let yard = tempfile::tempdir().unwrap();
    fs::create_dir(yard.path().join("folder")).unwrap();
    fs::write(yard.path().join("file"), "x").unwrap();
    symlink("folder", yard.path().join("link")).unwrap();
    let parent = File::open(yard.path()).unwrap();
    let are_folders = |kind| {
        [c"folder", c"file", c"link", c"missing"].map(|name| is_folder(parent.as_fd(), name, kind))
    };
    assert_eq!(are_folders(FileType::Unknown), [true, false, false, false]);
    assert_eq!(are_folders(FileType::Directory), [true; 4]);
    assert_eq!(are_folders(FileType::Symlink), [false; 4]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_thing_that_stays_is_the_error_and_everything_else_goes() {
    use crate::landlock::Ruleset;
    use crate::wire::Landlock;
    /// `LANDLOCK_ACCESS_FS_REMOVE_FILE`, which keeps files from being removed for root as well.
    const REMOVE_FILE: u64 = 1 << 5;
    let landlock = Landlock { filesystem: REMOVE_FILE, ..Landlock::default() };
    // A kernel without Landlock.
    let Ok(ruleset) = Ruleset::new(&landlock) else { return };
    let root = folder();
    fs::create_dir_all(root.join("empty/below")).unwrap();
    fs::create_dir(root.join("full")).unwrap();
    fs::write(root.join("full/file"), "x").unwrap();

    let removed = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            ruleset.enter().unwrap();
            remove_tree(&root)
        });
        thread.join().unwrap()
    });

    assert_eq!(removed.unwrap_err().raw_os_error(), Some(Errno::ACCESS.raw_os_error()));
    assert!(root.join("full/file").exists() && !root.join("empty").exists());
    remove_tree(&root).unwrap();
}
