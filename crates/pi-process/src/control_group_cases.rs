//! Groups in trees of ordinary files: what is made, counted and removed, of both versions.

use super::*;

/// A tree of version 2 made of ordinary files: `slice`, which hands on what is named, and `own`
/// in it, which has processes and so refuses to.
fn tree(handed_on: &str) -> (tempfile::TempDir, Hierarchies) {
    let scratch = tempfile::tempdir().unwrap();
    let slice = scratch.path().join("slice");
    fs::create_dir_all(slice.join("own/cgroup.subtree_control")).unwrap();
    fs::write(slice.join("cgroup.subtree_control"), handed_on).unwrap();
    fs::write(slice.join("cgroup.procs"), "").unwrap();
    let mounts = format!("cgroup2 {} cgroup2 rw,nsdelegate 0 0\n", scratch.path().display());
    (scratch, Hierarchies { groups: "0::/slice/own\n".to_owned(), mounts })
}

const LIMITS: GroupLimits = GroupLimits { memory: Some(1_048_576), processes: Some(5) };

#[test]
fn version_2_has_one_group_beside_the_one_with_processes() {
    let (scratch, hierarchies) = tree("cpu memory pids\n");
    let folder = scratch.path().join("slice/session");

    let group = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap();

    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(group.folders().collect::<Vec<_>>(), [&folder]);
    assert_eq!(text("memory.max"), "1048576");
    assert_eq!(text("memory.swap.max"), "0");
    assert_eq!(text("pids.max"), "5");
    group.add(42).unwrap();
    assert_eq!(text("cgroup.procs"), "42");
}

#[test]
fn version_2_counts_kills_for_memory_and_refused_forks() {
    let (scratch, hierarchies) = tree("memory pids\n");
    let group = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap();
    assert_eq!(group.events(), GroupEvents::default());

    let folder = scratch.path().join("slice/session");
    let memory = "low 0\nhigh 0\nmax 31\noom 4\noom_kill 2\noom_group_kill 9\n";
    fs::write(folder.join("memory.events"), memory).unwrap();
    fs::write(folder.join("pids.events"), "max 7\n").unwrap();

    assert_eq!(group.events(), GroupEvents { memory_kills: 2, refused_forks: 7 });
}

#[test]
fn a_group_that_an_ended_host_left_is_removed_and_no_other() {
    let (scratch, hierarchies) = tree("memory pids\n");
    let slice = scratch.path().join("slice");
    for name in ["own/left", "left", "used", "left-with-processes"] {
        fs::create_dir(slice.join(name)).unwrap();
    }
    fs::write(slice.join("left-with-processes/cgroup.procs"), "1").unwrap();

    hierarchies.remove_left(|name, made| {
        assert!(made <= SystemTime::now());
        name.starts_with("left")
    });

    let stays = |name: &str| slice.join(name).exists();
    assert!(!stays("own/left") && !stays("left"), "both places are looked at");
    assert!(stays("used") && stays("left-with-processes") && stays("own"));
}

#[test]
fn a_controller_that_is_not_handed_on_is_named() {
    let (_scratch, hierarchies) = tree("cpu pids\n");

    let refused = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap_err();

    assert!(refused.contains("`memory`"), "{refused}");
}

#[test]
fn a_group_that_processes_cannot_be_moved_within_is_not_used() {
    let (scratch, hierarchies) = tree("memory pids\n");
    assert!(hierarchies.place("pids").is_ok());

    fs::remove_file(scratch.path().join("slice/cgroup.procs")).unwrap();

    assert!(hierarchies.place("pids").is_err());
}

#[test]
fn a_group_outside_of_the_mount_is_not_used() {
    let (_scratch, hierarchies) = tree("memory pids\n");
    let outside = Hierarchies { groups: "0::/../slice/own\n".to_owned(), ..hierarchies };

    assert!(outside.place("pids").is_err());
}

/// A tree of version 1: a hierarchy for each controller.
fn first_tree() -> (tempfile::TempDir, Hierarchies) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().display();
    for controller in ["memory", "pids"] {
        fs::create_dir_all(scratch.path().join(controller).join("own")).unwrap();
    }
    let mounts = format!(
        "broken line\ncgroup {root}/other cgroup rw,cpu 0 0\n\
         cgroup {root}/memory cgroup rw,memory 0 0\ncgroup {root}/pids cgroup rw,pids 0 0\n"
    );
    let groups = "9:cpu,cpuacct:/x\n3:memory:/own\n2:misc,pids:/outside/of/the/mount\n";
    (scratch, Hierarchies { groups: groups.to_owned(), mounts })
}

#[test]
fn version_1_has_a_group_in_each_hierarchy() {
    let (scratch, hierarchies) = first_tree();
    let (memory, pids) =
        (scratch.path().join("memory/own/session"), scratch.path().join("pids/session"));

    let group = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap();

    assert_eq!(group.folders().collect::<Vec<_>>(), [&memory, &pids]);
    let text = |path: PathBuf| fs::read_to_string(path).unwrap();
    assert_eq!(text(memory.join("memory.limit_in_bytes")), "1048576");
    assert!(!memory.join("memory.swap.max").exists());
    assert_eq!(text(pids.join("pids.max")), "5");
    group.add(42).unwrap();
    for folder in [&memory, &pids] {
        assert_eq!(text(folder.join("cgroup.procs")), "42");
    }
    fs::write(memory.join("memory.oom_control"), "under_oom 0\noom_kill 3\n").unwrap();
    assert_eq!(group.events(), GroupEvents { memory_kills: 3, refused_forks: 0 });
}

#[test]
fn a_group_is_gone_once_none_of_its_folders_is_left() {
    let (scratch, hierarchies) = first_tree();
    let group = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap();
    assert!(!group.try_remove(), "ordinary folders with files in them stay");

    fs::remove_dir_all(scratch.path().join("memory/own/session")).unwrap();
    assert!(!group.try_remove());
    fs::remove_file(scratch.path().join("pids/session/pids.max")).unwrap();
    assert!(group.try_remove());
    assert!(!scratch.path().join("pids/session").exists());
    assert!(group.try_remove(), "it is gone already");
}

#[test]
fn a_group_has_what_is_bounded_and_no_more() {
    let (scratch, hierarchies) = tree("memory pids\n");
    let folder = scratch.path().join("slice/session");
    let processes = GroupLimits { memory: None, processes: Some(5) };

    let group = ControlGroup::make_in(&hierarchies, processes, "session").unwrap();

    assert_eq!((&group.memory, &group.processes), (&None, &Some(folder.clone())));
    assert!(!folder.join("memory.max").exists());
    assert!(ControlGroup::make_in(&hierarchies, processes, "session").is_err(), "it is there");
}

#[test]
fn a_dropped_group_is_removed_once_its_folder_can_be() {
    let (scratch, hierarchies) = tree("memory pids\n");
    let folder = scratch.path().join("slice/session");
    let group = ControlGroup::make_in(&hierarchies, LIMITS, "session").unwrap();

    drop(group);
    for file in fs::read_dir(&folder).unwrap().flatten() {
        fs::remove_file(file.path()).unwrap();
    }

    let bound = std::time::Instant::now() + Duration::from_secs(30);
    while folder.exists() {
        assert!(std::time::Instant::now() < bound, "it is still there");
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn linux_is_a_system_with_control_groups() {
    let nothing = GroupLimits { memory: None, processes: None };

    // A kernel may lack them all the same, which is another error.
    let reason = ControlGroup::make(nothing, "session").err();

    assert_ne!(reason.as_deref(), Some("only Linux has control groups"));
}
