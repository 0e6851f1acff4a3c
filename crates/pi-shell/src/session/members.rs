//! Which processes of a session are its own machinery, and which outlived their commands.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::tree::{self, ProcessIdentity};

/// Members kept without looking whether they live: each look reads a file.
const PRUNE_ABOVE: usize = 8;

/// Processes of a session that are its own machinery, by pid: never survivors, never targets.
#[derive(Clone, Default)]
pub(super) struct Machinery(Arc<Mutex<HashSet<ProcessIdentity>>>);

impl Machinery {
    /// Counts a process in.
    pub(super) fn insert(&self, pid: i32) {
        if let Some(identity) = tree::identity_of(pid) {
            lock(&self.0).insert(identity);
        }
    }

    /// The pids of those that live, and perhaps of some that died lately.
    pub(super) fn living(&self) -> HashSet<i32> {
        let mut members = lock(&self.0);
        if members.len() > PRUNE_ABOVE {
            members.retain(|identity| tree::is_alive(*identity));
        }
        members.iter().map(|identity| identity.pid).collect()
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

    /// Those that live.
    pub(super) fn living(&self) -> HashSet<ProcessIdentity> {
        let mut survivors = lock(&self.0);
        survivors.retain(|identity| tree::is_alive(*identity));
        survivors.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves a set as it was: there is no half-done change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
