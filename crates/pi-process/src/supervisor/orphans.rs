//! Kills what is in the sessions of given programs, from the host's side.
//!
//! The supervisor sweeps all or nothing, and while it lives that is its work. This is for the
//! program that no one asked for any more, and for what a supervisor left behind when it was
//! itself killed. Its programs then belong to init, or to another subreaper above this host. They
//! are found by what was known of them: their identities, whoever is below them, and whoever is in
//! the session that each of them leads, which outlives its leader. A process that made a session
//! of its own and whose parents are dead is not found.

use std::collections::HashSet;
use std::time::Duration;

use pi_supervisor::process::{self, ProcessEntry, ProcessIdentity, Walk};
use pi_supervisor::sweep::{SWEEP_BOUND, Territory, sweep};

/// Kills everyone that can be found from `leaders`; blocks for at most 5 s.
pub(super) fn kill(leaders: &[ProcessIdentity]) {
    if !leaders.is_empty() {
        // What is left belongs to another user, or is stuck in the kernel.
        drop(sweep(&mut Orphans { leaders }, SWEEP_BOUND));
    }
}

struct Orphans<'a> {
    leaders: &'a [ProcessIdentity],
}

impl Orphans<'_> {
    /// The session's number cannot be given to another process while the session has members, so
    /// a living process of that pid is either the leader or a stranger in a session of his own.
    fn owns_session(&self, entry: &ProcessEntry) -> bool {
        self.leaders.iter().any(|leader| {
            entry.session == leader.pid
                && process::identity_of(leader.pid).is_none_or(|holder| holder == *leader)
        })
    }
}

impl Territory for Orphans<'_> {
    fn walk(&mut self, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
        let mut seen = HashSet::new();
        let everyone = process::everyone();
        let members = everyone.iter().filter(|entry| self.owns_session(entry));
        let vanished = members.map(|member| {
            if seen.insert(member.identity) {
                visit(member);
            }
            let below = process::walk(member.identity.pid, &mut |entry| {
                if seen.insert(entry.identity) {
                    visit(entry);
                }
            });
            below.vanished
        });
        Walk { vanished: vanished.sum() }
    }

    /// They are the children of others.
    fn reap(&mut self) {}

    fn pause(&mut self, pause: Duration) {
        std::thread::sleep(pause);
    }
}
