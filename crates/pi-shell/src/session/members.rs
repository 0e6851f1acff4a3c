//! Which processes of a session are its own internal processes, and which outlived their commands.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use pi_process::lock;
use pi_process::spared::Spared;
use pi_process::tree::{self, ProcessIdentity};

#[cfg(target_os = "linux")]
use super::ground::ReportId;

/// Members kept without looking whether they live: each look reads a file.
const PRUNE_ABOVE: usize = 8;

/// Processes of a session that are its own internal processes, by pid: never survivors, never targets.
#[derive(Clone, Default)]
pub(super) struct InternalProcesses(Arc<Mutex<Members>>);

#[derive(Default)]
struct Members {
    known: HashSet<ProcessIdentity>,
    /// Sockets of copies that are being born, by inode: whoever has one is such a copy.
    expected: HashSet<u64>,
}

impl InternalProcesses {
    /// Counts a process in.
    pub(super) fn insert(&self, pid: i32) {
        if let Some(identity) = tree::identity_of(pid) {
            lock(&self.0).known.insert(identity);
        }
    }

    /// Those that are known, dead ones too.
    #[cfg(target_os = "linux")]
    pub(super) fn known_pids(&self) -> HashSet<i32> {
        lock(&self.0).known.iter().map(|identity| identity.pid).collect()
    }

    /// It is none from now on.
    pub(super) fn remove(&self, pid: i32) {
        lock(&self.0).known.retain(|identity| identity.pid != pid);
    }

    /// Counts in whoever has this socket.
    #[cfg(target_os = "linux")]
    pub(super) fn expect(&self, socket: ReportId) {
        lock(&self.0).expected.extend(socket.map(|(_, inode)| inode));
    }

    /// That one is known, or does not come.
    #[cfg(target_os = "linux")]
    pub(super) fn expect_no_more(&self, socket: ReportId) {
        if let Some((_, inode)) = socket {
            lock(&self.0).expected.remove(&inode);
        }
    }

    /// Those that live, and perhaps some that died lately.
    pub(super) fn living(&self) -> Spared {
        let mut members = lock(&self.0);
        if members.known.len() > PRUNE_ABOVE {
            members.known.retain(|identity| tree::is_alive(*identity));
        }
        let pids = members.known.iter().map(|identity| identity.pid).collect();
        Spared { pids, sockets: members.expected.clone(), is_provisional: false }
    }
}

/// Processes that outlived the commands that started them.
#[derive(Clone, Default)]
pub(super) struct Survivors(Arc<Mutex<HashSet<ProcessIdentity>>>);

impl Survivors {
    /// Counts processes in.
    pub(super) fn extend(&self, identities: impl IntoIterator<Item = ProcessIdentity>) {
        lock(&self.0).extend(identities);
    }

    /// Whether there are any, as far as was last looked.
    #[cfg(target_os = "linux")]
    pub(super) fn has_any(&self) -> bool {
        !lock(&self.0).is_empty()
    }

    /// Those that live.
    pub(super) fn living(&self) -> HashSet<ProcessIdentity> {
        let mut survivors = lock(&self.0);
        survivors.retain(|identity| tree::is_alive(*identity));
        survivors.clone()
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A process that is gone: no process has this time of start.
    fn gone(pid: i32) -> ProcessIdentity {
        ProcessIdentity { pid, start_time: u64::MAX }
    }

    fn own_pid() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    #[test]
    fn processes_of_a_session_are_known_until_they_are_removed() {
        let internal = InternalProcesses::default();
        internal.insert(own_pid());
        internal.insert(-1);
        assert_eq!(internal.known_pids(), HashSet::from([own_pid()]));
        assert_eq!(internal.living().pids, HashSet::from([own_pid()]));

        internal.remove(own_pid() + 1);
        assert_eq!(internal.known_pids().len(), 1);
        internal.remove(own_pid());
        assert_eq!(internal.known_pids().len(), 0);
    }

    #[test]
    fn many_that_died_are_forgotten() {
        let internal = InternalProcesses::default();
        internal.insert(own_pid());
        // No process has so high a number.
        let most = i32::MAX;
        let few = i32::try_from(PRUNE_ABOVE).unwrap() - 1;
        lock(&internal.0).known.extend((most - few..most).map(gone));
        assert_eq!(internal.living().pids.len(), PRUNE_ABOVE, "few are not looked at");

        lock(&internal.0).known.insert(gone(most));
        assert_eq!(internal.living().pids, HashSet::from([own_pid()]));
    }

    #[test]
    fn copies_that_are_being_born_are_known_by_their_socket() {
        let internal = InternalProcesses::default();
        internal.expect(Some((1, 7)));
        internal.expect(Some((1, 8)));
        internal.expect(None);
        assert_eq!(internal.living().sockets, HashSet::from([7, 8]));

        internal.expect_no_more(Some((1, 7)));
        internal.expect_no_more(None);
        assert_eq!(internal.living().sockets, HashSet::from([8]));
        assert!(!internal.living().is_provisional);
    }

    #[test]
    fn survivors_are_those_that_live() {
        let survivors = Survivors::default();
        assert!(!survivors.has_any());
        let own = tree::identity_of(own_pid()).unwrap();
        survivors.extend([own, gone(1)]);
        assert!(survivors.has_any());
        assert_eq!(survivors.living(), HashSet::from([own]));
        assert_eq!(lock(&survivors.0).len(), 1);
    }
}
