//! A control group of a session's own: bounds memory and processes of all it starts together, and
//! tells when a bound was met.
//!
//! Groups of the second version are used where a part of the tree was given to this user and has
//! the controllers, groups of the first where their folders can be written. Nothing is mounted and
//! this process is not moved. The session's shells are put in; the supervisor is not, so that it
//! can always end the rest.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Time between two tries to remove a group whose last processes are being reaped.
const REMOVE_INTERVAL: Duration = Duration::from_millis(100);

/// Tries until a group is left behind: the supervisor has given up by then.
const REMOVE_TRIES: u32 = 80;

/// What a session may use at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupLimits {
    /// Memory of all processes together, in bytes.
    pub(crate) memory: Option<u64>,
    /// Processes and threads there may be at one time.
    pub(crate) processes: Option<u64>,
}

/// How often bounds were met since the group was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GroupEvents {
    /// Processes that the kernel killed for memory.
    pub(crate) memory_kills: u64,
    /// Forks that were refused.
    pub(crate) refused_forks: u64,
}

/// A group, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    /// The folder for memory and the one for processes; one and the same in version 2.
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
}

impl ControlGroup {
    /// Makes one; an error says why it cannot be had.
    ///
    /// `name`: of a folder that no other group has.
    pub(crate) fn make(limits: GroupLimits, name: &str) -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("only Linux has control groups".to_owned());
        }
        Self::make_in(&Hierarchies::of_this_process()?, limits, name)
    }

    fn make_in(hierarchies: &Hierarchies, limits: GroupLimits, name: &str) -> Result<Self, String> {
        let mut group = Self { memory: None, processes: None };
        if let Some(bytes) = limits.memory {
            let place = hierarchies.place("memory")?;
            let folder = group.make_folder(&place, name)?;
            group.memory = Some(folder.clone());
            let file = if place.is_second { "memory.max" } else { "memory.limit_in_bytes" };
            put(&folder.join(file), &bytes.to_string())?;
            if place.is_second {
                // Otherwise memory goes to disk, and nothing was bounded. Absent without swap.
                drop(put(&folder.join("memory.swap.max"), "0"));
            }
        }
        if let Some(count) = limits.processes {
            let place = hierarchies.place("pids")?;
            let folder = group.make_folder(&place, name)?;
            group.processes = Some(folder.clone());
            put(&folder.join("pids.max"), &count.to_string())?;
        }
        Ok(group)
    }

    fn make_folder(&self, place: &Place, name: &str) -> Result<PathBuf, String> {
        let folder = place.folder.join(name);
        if self.memory.as_ref() == Some(&folder) {
            return Ok(folder);
        }
        fs::create_dir(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Puts a process in, and with it what it will start.
    pub(crate) fn add(&self, pid: i32) -> io::Result<()> {
        for folder in self.folders() {
            fs::write(folder.join("cgroup.procs"), pid.to_string())?;
        }
        Ok(())
    }

    /// What has happened so far.
    pub(crate) fn events(&self) -> GroupEvents {
        let count = |folder: &Option<PathBuf>, files: &[&str], name: &str| {
            let folder = folder.as_ref()?;
            let text = files.iter().find_map(|file| fs::read_to_string(folder.join(file)).ok())?;
            text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
        };
        let kills = ["memory.events", "memory.oom_control"];
        GroupEvents {
            memory_kills: count(&self.memory, &kills, "oom_kill ").unwrap_or(0),
            refused_forks: count(&self.processes, &["pids.events"], "max ").unwrap_or(0),
        }
    }

    /// Removes it if none of its processes is left; true when it is gone.
    pub(crate) fn try_remove(&self) -> bool {
        self.folders().all(|folder| remove(folder))
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        let processes = self.processes.iter().filter(|folder| self.memory.as_ref() != Some(folder));
        self.memory.iter().chain(processes)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let folders: Vec<PathBuf> = self.folders().cloned().collect();
        let remove_all = move || {
            for folder in folders {
                // The kernel refuses as long as a process of it is there.
                for _ in 0..REMOVE_TRIES {
                    if remove(&folder) {
                        break;
                    }
                    std::thread::sleep(REMOVE_INTERVAL);
                }
            }
        };
        // Without a thread the empty folders stay.
        drop(std::thread::Builder::new().name("pi-bash-groups".to_owned()).spawn(remove_all));
    }
}

/// Removes groups that ended hosts left, once their processes are gone: the kernel refuses others.
///
/// `is_left`: whether a name is that of a session that no host has any more.
pub(crate) fn remove_left(is_left: impl Fn(&str, SystemTime) -> bool) {
    if let Ok(hierarchies) = Hierarchies::of_this_process() {
        hierarchies.remove_left(is_left);
    }
}

/// Removes a group's folder; true when it is gone.
fn remove(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok() || !folder.exists()
}

fn put(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("`{}`: {error}", file.display()))
}

/// Where a group can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    folder: PathBuf,
    is_second: bool,
}

/// The control groups that this process is in.
struct Hierarchies {
    groups: String,
    mounts: String,
}

impl Hierarchies {
    fn of_this_process() -> Result<Self, String> {
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"));
        Ok(Self { groups: read("/proc/self/cgroup")?, mounts: read("/proc/self/mounts")? })
    }

    /// The place for groups with this controller.
    fn place(&self, controller: &str) -> Result<Place, String> {
        self.second(controller)
            .or_else(|| self.first(controller))
            .ok_or_else(|| format!("no writable control group has the controller `{controller}`"))
    }

    /// Version 2: below this process's group, or beside it; the parent must hand the controller on.
    fn second(&self, controller: &str) -> Option<Place> {
        let mount = self.mount("cgroup2", None)?;
        let own = self.groups.lines().find_map(|line| line.strip_prefix("0::"))?;
        if own.split('/').any(|name| name == "..") {
            // Outside of the namespace that the mount shows.
            return None;
        }
        let own = within(&mount, own);
        let beside =
            own.parent().filter(|parent| parent.starts_with(&mount)).map(Path::to_path_buf);
        [Some(own), beside].into_iter().flatten().find_map(|folder| {
            let control = folder.join("cgroup.subtree_control");
            let has = || {
                let text = fs::read_to_string(&control).unwrap_or_default();
                text.split_whitespace().any(|name| name == controller)
            };
            // Refused where the group has processes of its own, or is not ours.
            let handed_on =
                has() || (fs::write(&control, format!("+{controller}")).is_ok() && has());
            // A process is moved with a right to the nearest group that is above both places.
            let is_ours = may_write(&folder) && may_write(&folder.join("cgroup.procs"));
            (handed_on && is_ours).then_some(Place { folder, is_second: true })
        })
    }

    /// Version 1: a folder in the hierarchy of the controller.
    fn first(&self, controller: &str) -> Option<Place> {
        let mount = self.mount("cgroup", Some(controller))?;
        let own = self.groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let named = fields.next()?.split(',').any(|name| name == controller);
            named.then(|| fields.next()).flatten()
        })?;
        // The path is that of an outer namespace where the mount shows only a part.
        [within(&mount, own), mount]
            .into_iter()
            .find(|folder| may_write(folder))
            .map(|folder| Place { folder, is_second: false })
    }

    /// As `remove_left`, in every folder that `place` may give.
    fn remove_left(&self, is_left: impl Fn(&str, SystemTime) -> bool) {
        for folder in self.candidates() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let made = entry.metadata().and_then(|found| found.modified());
                let name = entry.file_name();
                if let (Ok(made), Some(name)) = (made, name.to_str())
                    && is_left(name, made)
                {
                    // Best effort: a group with processes is busy.
                    drop(fs::remove_dir(entry.path()));
                }
            }
        }
    }

    /// Folders that groups may have been made in.
    fn candidates(&self) -> Vec<PathBuf> {
        let second = self.mount("cgroup2", None).and_then(|mount| {
            let own = self.groups.lines().find_map(|line| line.strip_prefix("0::"))?;
            Some(within(&mount, own))
        });
        let beside = second.as_ref().and_then(|own| own.parent()).map(Path::to_path_buf);
        let first = ["memory", "pids"].map(|controller| self.first(controller)).into_iter();
        let first = first.flatten().map(|place| place.folder);
        second.into_iter().chain(beside).chain(first).collect()
    }

    fn mount(&self, kind: &str, option: Option<&str>) -> Option<PathBuf> {
        self.mounts.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let [_, place, found, options, ..] = fields.as_slice() else { return None };
            let has = option.is_none_or(|name| options.split(',').any(|one| one == name));
            (*found == kind && has).then(|| PathBuf::from(place))
        })
    }
}

fn within(mount: &Path, path: &str) -> PathBuf {
    mount.join(path.trim_start_matches('/'))
}

fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
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
}
