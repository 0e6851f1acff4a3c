//! Processes through `/proc`.
//!
//! # Pid namespaces
//! `/proc` numbers processes as the namespace it was mounted in does. A container made by
//! `unshare --pid` without a new mount shows foreign numbers, and a signal sent to one of those
//! would hit a stranger. So the first look compares `/proc/self` with `getpid(2)`; where they
//! differ, every number is translated by the `NStgid`, `NSpgid` and `NSsid` lines of
//! `/proc/PID/status`, which list a process's ids from the mount's namespace inwards.
//!
//! # Reading while they fork
//! The kernel promises the `children` files only for processes that are stopped. The walk is thus
//! a good guess on running processes and exact on stopped ones, which is what `sweep` builds on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{ProcessEntry, ProcessIdentity, ProcessState, Walk, sys};

/// How `/proc` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// As this process does.
    Same,
    /// As an outer namespace does; ours is at this index of the `NS…` lines.
    Outer(usize),
    /// There is no usable `/proc`.
    Absent,
}

fn numbering() -> Numbering {
    static NUMBERING: OnceLock<Numbering> = OnceLock::new();
    *NUMBERING.get_or_init(|| {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        let Some(shown) = own_proc_pid() else { return Numbering::Absent };
        if shown == own {
            return Numbering::Same;
        }
        let level = Status::read(shown).map_or(0, |status| status.ids("NStgid:").len());
        if level == 0 { Numbering::Absent } else { Numbering::Outer(level - 1) }
    })
}

fn own_proc_pid() -> Option<i32> {
    fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// Name of a process's folder in `/proc`, or `None` when it is gone or there is no `/proc`.
///
/// In the usual case this is `pid` itself. Behind a foreign `/proc` the kernel translates: the
/// `fdinfo` of a pidfd names the process as that mount does.
pub fn proc_pid(pid: i32) -> Option<i32> {
    match numbering() {
        Numbering::Same => Some(pid),
        Numbering::Outer(_) => {
            let handle = sys::open_pidfd(pid).ok()?;
            let path = format!("/proc/self/fdinfo/{}", sys::number_of(&handle));
            let text = fs::read_to_string(path).ok()?;
            let shown = text.lines().find_map(|line| line.strip_prefix("Pid:"))?;
            shown.trim().parse().ok().filter(|shown| *shown > 0)
        }
        Numbering::Absent => None,
    }
}

/// A `/proc/PID/status`, read once.
struct Status(String);

impl Status {
    fn read(shown: i32) -> Option<Self> {
        // Group names or a process's own name may be any bytes; the lines read here are ASCII.
        let bytes = fs::read(format!("/proc/{shown}/status")).ok()?;
        Some(Self(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn ids(&self, label: &str) -> Vec<i32> {
        self.0.lines().find_map(|line| line.strip_prefix(label)).map_or_else(Vec::new, |ids| {
            ids.split_whitespace().filter_map(|id| id.parse().ok()).collect()
        })
    }

    /// The id in our namespace; 0 where it has none there.
    fn id_at(&self, label: &str, level: usize) -> i32 {
        self.ids(label).get(level).copied().unwrap_or(0)
    }
}

/// What `/proc/PID/stat` says, in the numbers of the mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) state: ProcessState,
    parent: i32,
    group: i32,
    session: i32,
    pub(super) terminal: u32,
    pub(super) is_foreground: bool,
    pub(super) ticks: u64,
    start_time: u64,
}

impl Stat {
    fn read(shown: i32) -> Option<Self> {
        Self::of(&format!("/proc/{shown}/stat"))
    }

    /// Of a process or a thread, by the path of its file.
    pub(super) fn of(path: &str) -> Option<Self> {
        let mut file = fs::File::open(path).ok()?;
        // 52 numbers of at most 20 digits and a name of at most 64 bytes: one read has it all.
        let mut buffer = [0; 2048];
        let length = file.read(&mut buffer).ok()?;
        Self::parse(buffer.get(..length)?)
    }

    /// The name in parentheses may contain anything, also `)`: the fields follow the last one.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let after_name = bytes.iter().rposition(|byte| *byte == b')')? + 1;
        let text = str::from_utf8(bytes.get(after_name..)?).ok()?;
        // Field 3 of proc_pid_stat(5) is the first here.
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        let threads: i32 = field(20)?.parse().ok()?;
        let state = match field(3)? {
            "R" => ProcessState::Running,
            "S" | "I" => ProcessState::Sleeping,
            "D" => ProcessState::Waiting,
            "T" | "t" => ProcessState::Stopped,
            // A leader that called pthread_exit shows Z while its other threads go on.
            "Z" | "X" | "x" if threads <= 1 => ProcessState::Zombie,
            _ => ProcessState::Other,
        };
        Some(Self {
            state,
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            // The kernel prints the device number as a signed number.
            terminal: field(7)?.parse::<i32>().ok()?.cast_unsigned(),
            is_foreground: field(8)? == field(5)?,
            ticks: field(14)?.parse::<u64>().ok()?.saturating_add(field(15)?.parse().ok()?),
            start_time: field(22)?.parse().ok()?,
        })
    }
}

/// The entry of a folder in `/proc`; `None` when it is gone or outside our namespace.
fn entry_at(shown: i32) -> Option<ProcessEntry> {
    let stat = Stat::read(shown)?;
    let (pid, parent, group, session) = match numbering() {
        Numbering::Same => (shown, stat.parent, stat.group, stat.session),
        Numbering::Outer(level) => {
            let status = Status::read(shown)?;
            let parent =
                Status::read(stat.parent).map_or(0, |parent| parent.id_at("NStgid:", level));
            (
                status.id_at("NStgid:", level),
                parent,
                status.id_at("NSpgid:", level),
                status.id_at("NSsid:", level),
            )
        }
        Numbering::Absent => return None,
    };
    let identity = ProcessIdentity { pid, start_time: stat.start_time };
    (pid > 0).then_some(ProcessEntry { identity, parent, state: stat.state, group, session })
}

/// The process at or below `root` that has the number `inner` in the innermost pid namespace it is
/// in, such as one that a sandbox made.
pub fn find_by_inner_pid(root: i32, inner: i32) -> Option<ProcessIdentity> {
    let below = super::descendants(root).into_iter().map(|entry| entry.identity);
    super::identity_of(root).into_iter().chain(below).find(|identity| {
        let status = proc_pid(identity.pid).and_then(Status::read);
        status.is_some_and(|status| status.ids("NSpid:").last() == Some(&inner))
    })
}

pub(super) fn is_available() -> bool {
    numbering() != Numbering::Absent
}

pub(super) fn entry_of(pid: i32) -> Option<ProcessEntry> {
    entry_at(proc_pid(pid)?).filter(|entry| entry.identity.pid == pid)
}

/// Every number that is a folder in `/proc`.
fn folders() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

pub(super) fn everyone() -> Vec<ProcessEntry> {
    folders().into_iter().filter_map(entry_at).collect()
}

/// The kernel has `children` files (`CONFIG_PROC_CHILDREN`).
fn has_children_files() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| fs::metadata("/proc/thread-self/children").is_ok())
}

/// [`children_of`] gives what is below a process, in our own numbers. Where it does not, [`super::descendants`] does.
pub fn lists_children() -> bool {
    numbering() == Numbering::Same && has_children_files()
}

/// Children of all threads of a process, in the numbers of the mount.
pub fn children_of(shown: i32) -> Vec<i32> {
    let folder = format!("/proc/{shown}/task");
    let mut children = Vec::new();
    // One look is cheaper than a list, and most processes have one thread.
    if has_one_thread(&folder) {
        add_children(format!("{folder}/{shown}/children"), &mut children);
        return children;
    }
    let Ok(threads) = fs::read_dir(folder) else { return Vec::new() };
    for thread in threads.flatten() {
        add_children(thread.path().join("children"), &mut children);
    }
    children
}

/// By the links of its `task` folder: that one, `.` and one for each thread (`proc_task_getattr` in fs/proc/base.c).
fn has_one_thread(task_folder: &str) -> bool {
    fs::metadata(task_folder).is_ok_and(|found| found.nlink() == 3)
}

fn add_children(path: impl AsRef<Path>, children: &mut Vec<i32>) {
    let Ok(mut file) = fs::File::open(path) else { return };
    let mut text = Vec::new();
    // Its length is not known before, and most are empty: a buffer that grows would ask for it and read more often.
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = file.read(&mut buffer) {
        text.extend_from_slice(&buffer[..length]);
    }
    let numbers = text.split(u8::is_ascii_whitespace).filter_map(|pid| str::from_utf8(pid).ok());
    children.extend(numbers.filter_map(|pid| pid.parse::<i32>().ok()));
}

/// The children of a process that has one thread, by one read; `None` where the system does not list them, or counts
/// processes in another way than we do.
pub fn children_of_single_thread(pid: i32) -> Option<Vec<i32>> {
    if numbering() != Numbering::Same {
        return None;
    }
    let mut file = fs::File::open(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut buffer = [0; 512];
    let length = file.read(&mut buffer).ok()?;
    // A list that is longer may be cut off.
    let text = buffer.get(..length).filter(|_| length < buffer.len())?;
    str::from_utf8(text).ok()?.split_ascii_whitespace().map(|pid| pid.parse().ok()).collect()
}

/// Who has which children, from one pass over all of `/proc`.
fn children_by_parent() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for shown in folders() {
        if let Some(stat) = Stat::read(shown) {
            children.entry(stat.parent).or_default().push(shown);
        }
    }
    children
}

pub(super) fn walk(root: i32, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
    let Some(root) = proc_pid(root) else { return Walk::default() };
    if has_children_files() {
        return walk_by(root, visit, &children_of);
    }
    let children = children_by_parent();
    walk_by(root, visit, &|shown| children.get(&shown).cloned().unwrap_or_default())
}

fn walk_by(
    root: i32,
    visit: &mut dyn FnMut(&ProcessEntry),
    children_of: &dyn Fn(i32) -> Vec<i32>,
) -> Walk {
    let mut walk = Walk::default();
    // A process that moves to another parent meanwhile is listed twice.
    let mut seen = HashSet::from([root]);
    let mut queue: VecDeque<i32> = children_of(root).into();
    while let Some(shown) = queue.pop_front() {
        if !seen.insert(shown) {
            continue;
        }
        match entry_at(shown) {
            Some(entry) => {
                visit(&entry);
                queue.extend(children_of(shown));
            }
            None => walk.vanished += 1,
        }
    }
    walk
}

pub(super) fn arguments_of(pid: i32, limit: usize) -> Option<Vec<u8>> {
    let mut file = fs::File::open(format!("/proc/{}/cmdline", proc_pid(pid)?)).ok()?;
    let mut buffer = vec![0; limit];
    let length = file.read(&mut buffer).ok()?;
    buffer.truncate(length);
    (length > 0).then_some(buffer)
}

pub(super) fn name_of(pid: i32) -> Option<Vec<u8>> {
    let name = fs::read(format!("/proc/{}/comm", proc_pid(pid)?)).ok()?;
    Some(name.strip_suffix(b"\n").map_or_else(|| name.clone(), <[u8]>::to_vec))
}

pub(super) fn started_at_ms(identity: ProcessIdentity) -> u64 {
    // Ticks count from boot, suspended time included; the epoch's clock may have been set since
    // then, so the age is what carries over.
    let ticks_per_second = sys::clock_ticks_per_second();
    let started = u128::from(identity.start_time) * 1000 / u128::from(ticks_per_second);
    let uptime = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let uptime = Duration::try_from(uptime).unwrap_or_default().as_millis();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let age = uptime.saturating_sub(started);
    u64::try_from(now.saturating_sub(age)).unwrap_or(u64::MAX)
}

pub(super) fn ignores(pid: i32, signal: i32) -> bool {
    let mask = || {
        let status = Status::read(proc_pid(pid)?)?;
        let digits = status.0.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(digits.trim(), 16).ok()
    };
    // Bit 0 is signal 1.
    let bit = u32::try_from(signal - 1).unwrap_or(u32::MAX);
    1_u64.checked_shl(bit).is_some_and(|bit| mask().unwrap_or(0) & bit != 0)
}

pub(super) fn signal(identity: ProcessIdentity, signal: i32) -> io::Result<()> {
    let same = || identity_matches(identity);
    match sys::open_pidfd(identity.pid) {
        // The pidfd holds on to whoever has the pid now; only then is the start time compared.
        Ok(handle) if same() => sys::signal_pidfd(&handle, signal),
        // Kernels before 5.3, sandboxes that refuse the call, or no descriptor left: the window
        // between the comparison and the signal is a few microseconds.
        Err(_) if same() => sys::signal_pid(identity.pid, signal),
        Ok(_) | Err(_) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

pub(super) fn queue_signal(identity: ProcessIdentity, signal: i32, value: u32) -> io::Result<()> {
    let same = || identity_matches(identity);
    match sys::open_pidfd(identity.pid) {
        Ok(handle) if same() => sys::queue_to_pidfd(&handle, signal, value),
        Err(_) if same() => sys::queue_to_pid(identity.pid, signal, value),
        Ok(_) | Err(_) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
    }
}

fn identity_matches(identity: ProcessIdentity) -> bool {
    let Some(shown) = proc_pid(identity.pid) else { return false };
    Stat::read(shown).is_some_and(|stat| stat.start_time == identity.start_time)
}

#[cfg(test)]
#[path = "linux_cases.rs"]
mod cases;
