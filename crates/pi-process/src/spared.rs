//! One look at a session's tree: the processes of a command, and those that are none of its targets.
//!
//! What is done to the processes that a look finds is `stop`'s; which ones a session spares is the session's.
#![cfg(unix)]

use std::collections::HashSet;
use std::sync::Arc;

use crate::tree::{self, ProcessEntry, ProcessIdentity, ProcessState};

/// Which processes are spared, asked again for each look: some are born meanwhile.
pub type SparedNow = Arc<dyn Fn() -> Spared + Send + Sync>;

/// Processes that a stop does not signal.
#[derive(Debug, Clone, Default)]
pub struct Spared {
    /// Those that are known.
    pub pids: HashSet<i32>,
    /// Inodes of sockets: whoever has one is spared too.
    pub sockets: HashSet<u64>,
    /// A shell is being started whose pid is not known yet, so that some of `pids` may be another command's.
    pub is_provisional: bool,
}

impl Spared {
    fn contains(&self, pid: i32) -> bool {
        self.pids.contains(&pid) || (!self.sockets.is_empty() && self.has_socket(pid))
    }

    fn has_socket(&self, pid: i32) -> bool {
        let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        let links = entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
        links
            .filter_map(|link| tree::inode_of(&link, "socket:["))
            .any(|inode| self.sockets.contains(&inode))
    }
}

/// What one look found.
pub struct Look {
    /// Parents before children.
    pub found: Vec<ProcessEntry>,
    /// Nothing was left out that may be a target after all ([`Spared::is_provisional`]).
    pub is_whole: bool,
}

/// The living processes below `root` that are neither spared nor older, nor below such a one; nor is `shell`, the shell of
/// the command. Both are process ids.
///
/// `spared` is asked behind the listing. A shell that is born between the two is not listed; in the other order it would
/// be listed and not spared, and the stop of one command would kill the shell of another.
#[expect(clippy::implicit_hasher, reason = "every caller has a set of this kind")]
pub fn look_below(
    root: i32,
    spared: impl FnOnce() -> Spared,
    older: &HashSet<ProcessIdentity>,
    shell: i32,
) -> Look {
    let listed = tree::descendants(root);
    let spared = spared();
    let mut left_out: HashSet<i32> = HashSet::new();
    let mut found = Vec::new();
    for entry in listed {
        let pid = entry.identity.pid;
        let known = spared.contains(pid)
            || older.contains(&entry.identity)
            || left_out.contains(&entry.parent);
        if known {
            left_out.insert(pid);
        } else if entry.state != ProcessState::Zombie && pid != shell {
            found.push(entry);
        }
    }
    Look { found, is_whole: !spared.is_provisional }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_that_is_born_while_it_is_asked_who_is_spared_is_no_target() {
        let own = i32::try_from(std::process::id()).unwrap();
        let mut born = None;
        let bear = || {
            born = Some(Command::new("sleep").arg("1000").spawn().unwrap());
            Spared::default()
        };

        let look = look_below(own, bear, &HashSet::new(), 0);

        let mut born = born.unwrap();
        let pid = i32::try_from(born.id()).unwrap();
        let later = look_below(own, Spared::default, &HashSet::new(), 0);
        born.kill().unwrap();
        born.wait().unwrap();
        assert!(!look.found.iter().any(|entry| entry.identity.pid == pid));
        assert!(later.found.iter().any(|entry| entry.identity.pid == pid), "it is one later");
    }

    /// Shells of this test, killed at its end.
    #[cfg(target_os = "linux")]
    struct Shells(Vec<std::process::Child>);

    #[cfg(target_os = "linux")]
    impl Shells {
        fn start(&mut self, input: impl Into<std::process::Stdio>, script: &str) -> i32 {
            let mut command = Command::new("sh");
            let child = command.args(["-c", script]).stdin(input).spawn().unwrap();
            let pid = i32::try_from(child.id()).unwrap();
            self.0.push(child);
            pid
        }
    }

    #[cfg(target_os = "linux")]
    impl Drop for Shells {
        fn drop(&mut self) {
            for shell in &mut self.0 {
                shell.kill().ok();
                shell.wait().ok();
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_is_spared_or_older_is_no_target_with_all_that_it_started_and_everyone_else_is() {
        use std::os::fd::OwnedFd;
        let own = i32::try_from(std::process::id()).unwrap();
        let mut shells = Shells(Vec::new());
        // A child that ends with the pipe of its parent.
        let (input, _until) = std::io::pipe().unwrap();
        let parent = shells.start(input, "sh -c 'read -r line; :'; :");
        let (socket, _peer) = std::os::unix::net::UnixStream::pair().unwrap();
        let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&socket));
        let inode = tree::inode_of(&std::fs::read_link(link).unwrap(), "socket:[").unwrap();
        let with_socket = shells.start(OwnedFd::from(socket), "read -r line; :");
        let ended = shells.start(std::process::Stdio::null(), "exit");
        let bound = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let child = loop {
            let is_zombie = tree::entry_of(ended).unwrap().state == ProcessState::Zombie;
            if let Some(child) = tree::descendants(parent).first().filter(|_| is_zombie) {
                break child.identity.pid;
            }
            assert!(std::time::Instant::now() < bound, "they are not what they are to be");
            std::thread::yield_now();
        };

        let all = [parent, child, with_socket, ended];
        let found = |spared: &Spared, older: &HashSet<ProcessIdentity>, shell| {
            let look = look_below(own, || spared.clone(), older, shell);
            assert_eq!(look.is_whole, !spared.is_provisional);
            let found: Vec<_> = look.found.iter().map(|entry| entry.identity.pid).collect();
            all.into_iter().filter(|pid| found.contains(pid)).collect::<Vec<_>>()
        };
        let (no_one, none_older) = (Spared::default(), HashSet::new());
        assert_eq!(found(&no_one, &none_older, 0), [parent, child, with_socket]);
        assert_eq!(found(&no_one, &none_older, parent), [child, with_socket]);
        let older = HashSet::from([tree::identity_of(parent).unwrap()]);
        assert_eq!(found(&no_one, &older, 0), [with_socket]);
        let spared = Spared { pids: [parent].into(), is_provisional: true, ..Spared::default() };
        assert_eq!(found(&spared, &none_older, 0), [with_socket]);
        let spared = Spared { sockets: [inode].into(), ..Spared::default() };
        assert_eq!(found(&spared, &none_older, 0), [parent, child]);
        let both = Spared { pids: [parent].into(), ..spared };
        assert_eq!(found(&both, &none_older, 0), [0; 0]);
    }
}
