//! Which ports the processes below a root listen on.
//!
//! The listening sockets of our own network namespace come from the kernel in one answer (`sock_diag(7)`), those of another one from
//! the `net/tcp` and `net/tcp6` of a process inside it. Whose a socket is, the descriptors of the processes say; those of other
//! users are not seen. A port that a container publishes belongs to the program that forwards it, and not to the tree.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::iter;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;

use pi_supervisor::process;
use rustix::fs::{Mode, OFlags, RawDir, readlinkat_raw};
use rustix::path::{Arg, DecInt};

use crate::program::Program;
use crate::sockets::Table;
use crate::{diag, net_table};

/// Most descriptors of one process that are looked at.
const MAX_DESCRIPTORS: usize = 4096;
/// Processes whose descriptors are read before the next look at what is left to find.
const LISTED_TOGETHER: usize = 512;
/// Processes that are worth a thread: about a millisecond of reading.
const LISTED_BY_ONE_THREAD: usize = 64;
/// Most descriptors that are asked for by their numbers.
const ASKED_BY_NUMBER: u64 = 16;
/// Room for the names of descriptors that one call lists, in bytes.
const LISTED_BYTES: usize = 4096;
/// Longest link that can name a socket, in bytes: `socket:[4294967295]` has 19.
const LINK_BYTES: usize = 32;

/// A port that a program listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// Address and port.
    pub address: SocketAddr,
    /// Who has the socket open; of several, the first that was found from the root on.
    pub program: Program,
    /// When that process started, in milliseconds since the Unix epoch.
    pub started_at_ms: u64,
    /// It is in another network namespace than this process: it cannot be reached from here.
    pub is_inside: bool,
}

/// The ports of everything below these roots and of the roots, by number and address, each once.
pub fn listening(roots: &[i32]) -> Vec<Listening> {
    let roots = roots.iter().filter_map(|root| Some(process::identity_of(*root)?.pid));
    if !process::lists_children() {
        let below = |root| process::descendants(root).into_iter().map(|entry| entry.identity.pid);
        return of_processes(roots.flat_map(|root| iter::once(root).chain(below(root))));
    }
    let mut search = Search::default();
    let mut seen = HashSet::new();
    // Parents before their children. Those of one depth are looked at together, for what they have open and for who is below.
    let mut together: Vec<i32> = roots.filter(|root| seen.insert(*root)).collect();
    while !together.is_empty() {
        let below = search.look_at(&together, true);
        together = below.into_iter().filter(|child| seen.insert(*child)).collect();
    }
    search.found()
}

/// Who listens on a port of our network namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Where it is bound; of several addresses the lowest.
    pub address: SocketAddr,
    /// Absent where the socket is another user's.
    pub program: Option<Program>,
}

/// Who listens on `port`; `None`: no process does. Looks through all processes that can be seen, so it is for an error's text and
/// not for a loop.
pub fn holder(port: u16) -> Option<Holder> {
    let table = diag::listening().unwrap_or_else(|_| {
        let own = i32::try_from(std::process::id()).ok().and_then(process::proc_pid);
        own.map(net_table::listening).unwrap_or_default()
    });
    let mut bound: Vec<(SocketAddr, u32)> = table
        .into_iter()
        .filter(|(_, address)| address.port() == port)
        .map(|(inode, address)| (address, inode))
        .collect();
    bound.sort_unstable();
    let (address, _) = *bound.first()?;
    let everyone = process::everyone().into_iter().map(|entry| entry.identity.pid);
    let owner = everyone.into_iter().find(|pid| {
        let sockets = process::proc_pid(*pid).map(sockets_of).unwrap_or_default();
        sockets.iter().any(|socket| bound.iter().any(|(_, inode)| inode == socket))
    });
    Some(Holder { address, program: owner.map(program_of) })
}

/// The ports of these processes.
pub(crate) fn of_processes(pids: impl Iterator<Item = i32>) -> Vec<Listening> {
    let mut search = Search::default();
    let pids: Vec<i32> = pids.collect();
    for together in pids.chunks(LISTED_TOGETHER) {
        search.look_at(together, false);
    }
    search.found()
}

/// What was found so far.
#[derive(Default)]
struct Search {
    namespaces: Namespaces,
    /// Sockets whose address was found. Their inodes are those of one file system, whatever the namespace (`sockfs` in
    /// net/socket.c), and a tree inherits them.
    known: HashSet<u32>,
    found: Vec<Listening>,
}

impl Search {
    /// Looks at processes, none of which was looked at before. Gives their children where it is `walking`.
    fn look_at(&mut self, pids: &[i32], walking: bool) -> Vec<i32> {
        // Most have no socket, and need not be asked for their namespace. Where nothing is left to find in ours, it is the
        // descriptors that need not be read.
        let lists_sockets = self.namespaces.may_be_own();
        let mut below = Vec::new();
        for (pid, listed) in pids.iter().zip(listed_of_all(pids, lists_sockets, walking)) {
            below.extend(listed.children);
            let Some(shown) = process::proc_pid(*pid) else { continue };
            let mut sockets = if lists_sockets {
                listed.sockets
            } else if self.namespaces.of(shown).0.is_empty() {
                continue;
            } else {
                sockets_of(shown)
            };
            sockets.retain(|inode| !self.known.contains(inode));
            if !sockets.is_empty() {
                self.keep(*pid, shown, &sockets);
            }
        }
        below
    }

    /// Keeps what a process listens on of its sockets.
    fn keep(&mut self, pid: i32, shown: i32, sockets: &[u32]) {
        let (left, is_inside) = self.namespaces.of(shown);
        for inode in sockets {
            let Some(address) = left.get(inode).copied() else { continue };
            left.retain(|_, other| *other != address);
            self.known.insert(*inode);
            let is_known =
                |known: &Listening| known.address == address && known.is_inside == is_inside;
            if self.found.iter().any(is_known) {
                continue;
            }
            let started_at_ms = process::identity_of(pid).map_or(0, process::started_at_ms);
            self.found.push(Listening {
                address,
                program: program_of(pid),
                started_at_ms,
                is_inside,
            });
        }
    }

    fn found(mut self) -> Vec<Listening> {
        self.found.sort_by_key(|listening| (listening.address.port(), listening.address.ip()));
        self.found
    }
}

fn program_of(pid: i32) -> Program {
    let name = process::name_of(pid).unwrap_or_default();
    Program { pid, name: String::from_utf8_lossy(&name).into_owned() }
}

/// What is asked of a process by itself.
#[derive(Default)]
struct Listed {
    sockets: Vec<u32>,
    children: Vec<i32>,
}

/// The sockets, the children or both of each of these processes, by threads where they are many: nearly all of it is the
/// kernel's time.
fn listed_of_all(pids: &[i32], sockets: bool, children: bool) -> Vec<Listed> {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors =
        *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get));
    let of_one = |pid: &i32| {
        let Some(shown) = process::proc_pid(*pid) else { return Listed::default() };
        Listed {
            sockets: if sockets { sockets_of(shown) } else { Vec::new() },
            children: if children { process::children_of(shown) } else { Vec::new() },
        }
    };
    let of_part = |part: &[i32]| part.iter().map(of_one).collect::<Vec<_>>();
    let threads = processors.min(pids.len() / LISTED_BY_ONE_THREAD);
    if threads < 2 {
        return of_part(pids);
    }
    thread::scope(|scope| {
        let mut parts = pids.chunks(pids.len().div_ceil(threads));
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts
            .map(|part| (part, thread::Builder::new().spawn_scoped(scope, || of_part(part))))
            .collect();
        let mut listed = of_part(first);
        for (part, started) in others {
            // No thread may be had where a limit on processes is met.
            let joined = started.ok().and_then(|thread| thread.join().ok());
            listed.extend(joined.unwrap_or_else(|| of_part(part)));
        }
        listed
    })
}

/// Inodes of the sockets that a process has open.
fn sockets_of(shown: i32) -> Vec<u32> {
    // By descriptors and a buffer of our own: a tree of 500 processes has some thousands of links.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::open(format!("/proc/{shown}/fd"), flags, Mode::empty()) else {
        return Vec::new();
    };
    let mut sockets = Vec::new();
    // Nearly all processes have theirs at the lowest numbers, and to ask for a few by their number is cheaper than to list them.
    let few = descriptors_in(&folder).filter(|count| *count <= ASKED_BY_NUMBER);
    if let Some(count) = few {
        if (0..count).all(|number| add_socket(&folder, DecInt::new(number), &mut sockets)) {
            return sockets;
        }
        sockets.clear();
    }
    let mut listed = [MaybeUninit::uninit(); LISTED_BYTES];
    let mut entries = RawDir::new(&folder, &mut listed);
    let mut seen = 0;
    while let Some(Ok(entry)) = entries.next() {
        // The folder and the one above are links to nothing.
        if entry.file_name().to_bytes().starts_with(b".") {
            continue;
        }
        seen += 1;
        if seen > MAX_DESCRIPTORS {
            break;
        }
        add_socket(&folder, entry.file_name(), &mut sockets);
    }
    sockets
}

/// How many descriptors a process has, which is the size of its `fd` folder since Linux 6.2 and 0 before (`proc_pid_fd(5)`).
fn descriptors_in(folder: &OwnedFd) -> Option<u64> {
    let size = rustix::fs::fstat(folder).ok()?.st_size;
    u64::try_from(size).ok().filter(|size| *size > 0)
}

/// Adds the inode of a descriptor that is a socket. False: there is no such descriptor.
fn add_socket(folder: &OwnedFd, name: impl Arg, sockets: &mut Vec<u32>) -> bool {
    let mut target = [MaybeUninit::uninit(); LINK_BYTES];
    let Ok((link, _)) = readlinkat_raw(folder, name, &mut target) else { return false };
    let inode = link.strip_prefix(b"socket:[").and_then(|rest| rest.strip_suffix(b"]"));
    sockets.extend(inode.and_then(|digits| str::from_utf8(digits).ok()?.parse::<u32>().ok()));
    true
}

/// The tables of the namespaces that were met, as far as they are not found yet.
#[derive(Default)]
struct Namespaces {
    own: Option<PathBuf>,
    tables: HashMap<Option<PathBuf>, Table>,
}

impl Namespaces {
    /// A process of our own namespace may have something that is not found yet.
    fn may_be_own(&mut self) -> bool {
        let own = self.own();
        self.tables.get(&Some(own)).is_none_or(|left| !left.is_empty())
    }

    fn own(&mut self) -> PathBuf {
        self.own.get_or_insert_with(|| name_of("self").unwrap_or_default()).clone()
    }

    /// The table of a process's namespace, and whether that is another one than ours.
    fn of(&mut self, shown: i32) -> (&mut Table, bool) {
        let own = self.own();
        let name = name_of(&shown.to_string());
        let is_inside = name.as_ref().is_some_and(|name| *name != own);
        let table = self.tables.entry(name).or_insert_with(|| {
            let asked = if is_inside { None } else { diag::listening().ok() };
            asked.unwrap_or_else(|| net_table::listening(shown))
        });
        (table, is_inside)
    }
}

fn name_of(process: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/ns/net")).ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Killed, with what it started, when dropped.
    struct Group(Child);

    impl Drop for Group {
        fn drop(&mut self) {
            let group = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(group) = group {
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
            }
            self.0.wait().ok();
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "the figure of docs/performance.md")]
    fn the_ports_of_a_tree_of_500_processes_are_found_within_a_bound() {
        use std::os::unix::process::CommandExt;

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let bound = listener.local_addr().unwrap();
        // The tree inherits the socket by its number.
        let socket = std::os::fd::OwnedFd::from(listener.try_clone().unwrap());
        let script = "for ((i = 0; i < 499; i++)); do sleep 60 & done; wait";
        let shell = Command::new("bash")
            .args(["-c", script])
            .stdin(Stdio::from(socket))
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Group(shell);
        let root = i32::try_from(group.0.id()).unwrap();
        let patience = Instant::now() + Duration::from_secs(60);
        while process::descendants(root).len() < 499 {
            assert!(Instant::now() < patience, "the processes are not there");
            std::thread::sleep(Duration::from_millis(20));
        }

        let mut fastest = Duration::MAX;
        for _ in 0..10 {
            let start = Instant::now();
            let found = listening(&[root]);
            fastest = fastest.min(start.elapsed());
            let address: Vec<SocketAddr> = found.iter().map(|one| one.address).collect();
            assert_eq!(address, [bound]);
            assert_eq!(found[0].program.pid, root);
            assert!(!found[0].is_inside);
        }
        // Shown by `cargo test --release -p pi-waiting 500 -- --nocapture`.
        eprintln!("the ports of 500 processes: {fastest:?}");
        // The best of ten, so that what others take of the machine counts little. A debug build is slower.
        // The bound is several times what an idle machine takes: caches are shared with whatever else runs.
        let bound = if cfg!(debug_assertions) { 200 } else { 60 };
        assert!(fastest < Duration::from_millis(bound), "{fastest:?}");
    }

    #[test]
    fn a_socket_is_found_at_any_number() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let bound = listener.local_addr().unwrap();
        // At the lowest numbers, above a gap, and above more than are asked for by their numbers.
        let many: Vec<String> = (10..40).map(|number| format!("{number}</dev/null")).collect();
        for redirect in [
            "3<&0",
            "9<&0 <&-",
            "200<&0 </dev/null",
            &format!("{} 255<&0 </dev/null", many.join(" ")),
        ] {
            let socket = std::os::fd::OwnedFd::from(listener.try_clone().unwrap());
            let script = format!("exec {redirect}; exec sleep 60");
            let mut group = Command::new("bash");
            std::os::unix::process::CommandExt::process_group(&mut group, 0);
            let shell = group.args(["-c", &script]).stdin(Stdio::from(socket)).spawn().unwrap();
            let group = Group(shell);
            let pid = i32::try_from(group.0.id()).unwrap();
            let patience = Instant::now() + Duration::from_secs(30);
            while process::name_of(pid).as_deref() != Some(b"sleep") {
                assert!(Instant::now() < patience, "it does not start");
                std::thread::sleep(Duration::from_millis(5));
            }
            let found: Vec<SocketAddr> = listening(&[pid]).iter().map(|one| one.address).collect();
            assert_eq!(found, [bound], "{redirect}");
        }
    }

    #[test]
    fn who_holds_a_port_is_found_among_all_processes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let found = holder(port).unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(found.program.map(|program| program.pid), Some(own));
        drop(listener);
        assert_eq!(holder(port), None);
    }
}
