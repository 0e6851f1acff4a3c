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
pub struct GroupLimits {
    /// Memory of all processes together, in bytes.
    pub memory: Option<u64>,
    /// Processes and threads there may be at one time.
    pub processes: Option<u64>,
}

/// How often bounds were met since the group was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupEvents {
    /// Processes that the kernel killed for memory.
    pub memory_kills: u64,
    /// Forks that were refused.
    pub refused_forks: u64,
}

/// A group, removed when it is dropped.
#[derive(Debug)]
pub struct ControlGroup {
    /// The folder for memory and the one for processes; one and the same in version 2.
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
}

impl ControlGroup {
    /// Makes one; an error says why it cannot be had.
    ///
    /// `name`: of a folder that no other group has.
    pub fn make(limits: GroupLimits, name: &str) -> Result<Self, String> {
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
    pub fn add(&self, pid: i32) -> io::Result<()> {
        for folder in self.folders() {
            fs::write(folder.join("cgroup.procs"), pid.to_string())?;
        }
        Ok(())
    }

    /// What has happened so far.
    pub fn events(&self) -> GroupEvents {
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
    pub fn try_remove(&self) -> bool {
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
#[path = "control_group_cases.rs"]
mod cases;
