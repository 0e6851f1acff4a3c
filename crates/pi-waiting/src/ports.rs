//! Which ports the processes below a root listen on.
//!
//! The listening sockets of our own network namespace come from the kernel in one answer (`sock_diag(7)`), those of another one from
//! the `net/tcp` and `net/tcp6` of a process inside it. Whose a socket is, the descriptors of the processes say; those of other
//! users are not seen. A port that a container publishes belongs to the program that forwards it, and not to the tree.

use std::collections::HashMap;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use pi_supervisor::process;

use crate::look::Program;
use crate::{diag, net_table};

/// Most descriptors of one process that are looked at.
const MAX_DESCRIPTORS: usize = 4096;

/// A port that a program listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// Address and port.
    pub address: SocketAddr,
    /// Who has the socket open; of several, the first that was found from the root on.
    pub program: Program,
    /// It is in another network namespace than this process: it cannot be reached from here.
    pub is_inside: bool,
}

/// The ports, by number and address, each once.
pub fn listening(root: i32) -> Vec<Listening> {
    let own = process::identity_of(root).map(|identity| identity.pid);
    let below = process::descendants(root).into_iter().map(|entry| entry.identity.pid);
    of_processes(own.into_iter().chain(below))
}

/// The ports of these processes.
pub(crate) fn of_processes(pids: impl Iterator<Item = i32>) -> Vec<Listening> {
    let mut namespaces = Namespaces::default();
    let mut found: Vec<Listening> = Vec::new();
    for pid in pids {
        let Some(shown) = process::proc_pid(pid) else { continue };
        let inodes = sockets_of(shown);
        if inodes.is_empty() {
            continue;
        }
        let (table, is_inside) = namespaces.of(shown);
        for inode in inodes {
            let Some(address) = table.get(&inode).copied() else { continue };
            if found.iter().any(|known| known.address == address && known.is_inside == is_inside) {
                continue;
            }
            let name = process::name_of(pid).unwrap_or_default();
            let name = String::from_utf8_lossy(&name).into_owned();
            found.push(Listening { address, program: Program { pid, name }, is_inside });
        }
    }
    found.sort_by_key(|listening| (listening.address.port(), listening.address.ip()));
    found
}

/// Inodes of the sockets that a process has open.
fn sockets_of(shown: i32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(format!("/proc/{shown}/fd")) else { return Vec::new() };
    let sockets = entries.flatten().take(MAX_DESCRIPTORS).filter_map(|entry| {
        let link = fs::read_link(entry.path()).ok()?;
        link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    });
    sockets.collect()
}

/// Where the listening sockets of a network namespace are bound, by inode.
pub(crate) type Table = HashMap<u32, SocketAddr>;

/// The tables of the namespaces that were met.
#[derive(Default)]
struct Namespaces {
    own: Option<PathBuf>,
    tables: HashMap<Option<PathBuf>, Table>,
}

impl Namespaces {
    /// The table of a process's namespace, and whether that is another one than ours.
    fn of(&mut self, shown: i32) -> (&Table, bool) {
        let own = self.own.get_or_insert_with(|| name_of("self").unwrap_or_default()).clone();
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

/// An address as programs bind it: one of IPv4 that was mapped into IPv6 is one of IPv4.
pub(crate) fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(IpAddr::to_canonical(&address.ip()), address.port())
}
