//! Kills a tree of processes that may fork while it is being killed.
//!
//! # Theory of operation
//! A list of processes is out of date when it is complete: one of them may have forked and
//! exited, and its child is no one's on the list. So a round first *freezes*: it stops every
//! process it meets and walks again until a walk is conclusive, which means that everyone met
//! was already stopped, and no one was met who died since the walk before. A stopped process
//! cannot fork and cannot die by itself, so such a walk has seen everyone. Only then the whole
//! set is killed and reaped.
//!
//! Some processes cannot be frozen: they are not ours to signal, or they wait in the kernel for a
//! child that is itself frozen (`vfork`). So freezing is bounded, and rounds repeat until two
//! walks in a row find no one, or the bound of the sweep is reached.
//!
//! Who belongs to the tree, how its dead are reaped and how to wait is the caller's: see
//! [`Territory`].

use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

use crate::process::{ProcessEntry, ProcessIdentity, ProcessState, Walk, signal};

/// Time after which a sweep gives up on processes it cannot kill.
pub const SWEEP_BOUND: Duration = Duration::from_secs(5);

/// Time spent on freezing in one round. A thousand runnable processes on two processors need
/// about this long until each has been scheduled once and has stopped.
const FREEZE_BOUND: Duration = Duration::from_millis(500);

/// First pause between two looks; doubles up to [`LONGEST_PAUSE`].
const SHORTEST_PAUSE: Duration = Duration::from_micros(500);

/// Longest pause between two looks, so that a slow death costs no processor time.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Walks in a row that must find no one.
const EMPTY_WALKS: u32 = 2;

/// The processes a sweep is about.
pub trait Territory {
    /// Visits everyone in it, parents before their children, as [`crate::process::walk`] does.
    fn walk(&mut self, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk;
    /// Takes the exit statuses of its dead, as far as they are this process's to take.
    fn reap(&mut self);
    /// Waits for about `pause`, or until someone died.
    fn pause(&mut self, pause: Duration);
}

/// Kills everyone in `territory`; returns those who are still alive after `bound`.
pub fn sweep(territory: &mut dyn Territory, bound: Duration) -> Vec<i32> {
    let deadline = Instant::now() + bound;
    let mut state = Sweep::default();
    let mut empty_walks = 0;
    let mut pauses = Pauses::default();
    loop {
        territory.reap();
        let look = state.look(territory);
        if look.alive.is_empty() && look.conclusive {
            empty_walks += 1;
            if empty_walks == EMPTY_WALKS {
                return Vec::new();
            }
            continue;
        }
        empty_walks = 0;
        if Instant::now() >= deadline {
            return look.alive.iter().map(|entry| entry.identity.pid).collect();
        }
        // Those already killed need time, not another freeze.
        if look.alive.iter().any(|entry| !state.is_settled(entry)) {
            state.freeze(territory, deadline);
            state.kill_all(territory);
        } else {
            territory.pause(pauses.next(deadline));
            // A program that took another user's rights may have given them back.
            for denied in state.denied.clone() {
                state.send(denied, libc::SIGKILL);
            }
        }
    }
}

/// What one walk found.
struct Look {
    alive: Vec<ProcessEntry>,
    /// No one died during the walk, so no one can have slipped past it.
    conclusive: bool,
}

/// What the sweep knows about the processes it met.
#[derive(Default)]
struct Sweep {
    /// They got SIGKILL: they cannot fork any more, whatever they are still doing.
    killed: HashSet<ProcessIdentity>,
    /// They may not be signalled.
    denied: HashSet<ProcessIdentity>,
    /// They were dead at the walk before, so they had no time to fork since.
    dead: HashSet<ProcessIdentity>,
}

impl Sweep {
    fn is_settled(&self, entry: &ProcessEntry) -> bool {
        self.killed.contains(&entry.identity) || self.denied.contains(&entry.identity)
    }

    fn look(&mut self, territory: &mut dyn Territory) -> Look {
        let mut alive = Vec::new();
        let mut dead = HashSet::new();
        let walk = territory.walk(&mut |entry| {
            if entry.state == ProcessState::Zombie {
                dead.insert(entry.identity);
            } else {
                alive.push(*entry);
            }
        });
        let conclusive = walk.vanished == 0 && dead.is_subset(&self.dead);
        self.dead = dead;
        Look { alive, conclusive }
    }

    /// Stops everyone; returns when a walk met only stopped ones, or at the bound.
    fn freeze(&mut self, territory: &mut dyn Territory, deadline: Instant) {
        let bound = deadline.min(Instant::now() + FREEZE_BOUND);
        let mut pauses = Pauses::default();
        loop {
            let mut moving = false;
            let mut dead = HashSet::new();
            let walk = territory.walk(&mut |entry| match entry.state {
                ProcessState::Zombie => {
                    dead.insert(entry.identity);
                }
                ProcessState::Stopped => {}
                _ if self.is_settled(entry) => {}
                _ => {
                    moving = true;
                    self.send(entry.identity, libc::SIGSTOP);
                }
            });
            let stable = !moving && walk.vanished == 0 && dead.is_subset(&self.dead);
            self.dead = dead;
            if stable || Instant::now() >= bound {
                return;
            }
            territory.pause(pauses.next(bound));
        }
    }

    fn kill_all(&mut self, territory: &mut dyn Territory) {
        territory.walk(&mut |entry| {
            if entry.state != ProcessState::Zombie {
                self.send(entry.identity, libc::SIGKILL);
            }
        });
    }

    fn send(&mut self, identity: ProcessIdentity, number: i32) {
        match signal(identity, number) {
            Ok(()) if number == libc::SIGKILL => {
                self.killed.insert(identity);
            }
            Err(error) if is_denied(&error) => {
                self.denied.insert(identity);
            }
            // Gone meanwhile: the next walk finds what it left.
            Ok(()) | Err(_) => {}
        }
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EPERM)
}

/// Growing pauses that do not overshoot a deadline.
struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(SHORTEST_PAUSE)
    }
}

impl Pauses {
    fn next(&mut self, deadline: Instant) -> Duration {
        let pause = self.0.min(deadline.saturating_duration_since(Instant::now()));
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
        pause
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::process::{self, identity_of};

    /// One walk: in which state who is met, and how many were gone when they were looked at.
    type Seen = (Vec<(i32, ProcessState)>, usize);

    /// Shows what it was made of, one walk after the other, and the last one for ever.
    #[derive(Default)]
    struct Scripted {
        script: Vec<Seen>,
        walks: usize,
        pauses: usize,
    }

    impl Scripted {
        fn new(script: &[Seen]) -> Self {
            Self { script: script.to_vec(), ..Self::default() }
        }
    }

    /// Far above every pid there is, so no process is ever signalled.
    fn nowhere(number: i32) -> ProcessIdentity {
        ProcessIdentity { pid: i32::MAX - number, start_time: 1 }
    }

    impl Territory for Scripted {
        fn walk(&mut self, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
            let (met, vanished) = &self.script[self.walks.min(self.script.len() - 1)];
            self.walks += 1;
            for (number, state) in met {
                let identity = nowhere(*number);
                visit(&ProcessEntry { identity, parent: 1, state: *state, group: 1, session: 1 });
            }
            Walk { vanished: *vanished }
        }

        fn reap(&mut self) {}

        fn pause(&mut self, pause: Duration) {
            self.pauses += 1;
            std::thread::sleep(pause);
        }
    }

    use ProcessState::{Running, Sleeping, Stopped, Zombie};

    fn far() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn a_look_is_conclusive_when_no_one_vanished_and_no_one_died_since_the_one_before() {
        let mut state = Sweep::default();
        let mut look = |met: &[(i32, ProcessState)], vanished| {
            let look = state.look(&mut Scripted::new(&[(met.to_vec(), vanished)]));
            let alive: Vec<_> = look.alive.iter().map(|entry| entry.identity).collect();
            (alive, look.conclusive)
        };
        assert_eq!(look(&[], 0), (vec![], true));
        assert_eq!(look(&[(1, Sleeping), (2, Stopped)], 0), (vec![nowhere(1), nowhere(2)], true));
        assert_eq!(look(&[(1, Sleeping)], 1), (vec![nowhere(1)], false));
        assert_eq!(look(&[(1, Zombie)], 0), (vec![], false));
        assert_eq!(look(&[(1, Zombie)], 0), (vec![], true));
        assert_eq!(look(&[(1, Zombie)], 1), (vec![], false));
        assert_eq!(look(&[(1, Zombie), (2, Zombie)], 0), (vec![], false));
        assert_eq!(look(&[], 0), (vec![], true));
    }

    /// How many walks a freeze makes of a script.
    fn walks_of_freeze(script: &[Seen], deadline: Instant) -> usize {
        let mut territory = Scripted::new(script);
        let mut state = Sweep::default();
        state.killed.insert(nowhere(8));
        state.denied.insert(nowhere(9));
        state.freeze(&mut territory, deadline);
        assert_eq!(territory.pauses + 1, territory.walks);
        territory.walks
    }

    #[test]
    fn a_freeze_lasts_until_a_walk_met_only_who_was_stopped_or_dead_before() {
        let stopped = (vec![(1, Stopped)], 0);
        for (walks, script) in [
            (1, vec![stopped.clone()]),
            (1, vec![(vec![], 0)]),
            (2, vec![(vec![(1, Running)], 0), stopped.clone()]),
            (2, vec![(vec![(1, Stopped), (2, Sleeping)], 0), stopped.clone()]),
            // Who vanished, or has died since, may have forked before.
            (2, vec![(vec![(1, Stopped)], 1), stopped.clone()]),
            (2, vec![(vec![(1, Stopped), (2, Zombie)], 0)]),
            (3, vec![(vec![(2, Zombie)], 1), (vec![(2, Zombie)], 1), (vec![(2, Zombie)], 0)]),
            // Who was killed cannot fork, and who may not be signalled cannot be stopped.
            (1, vec![(vec![(8, Running), (9, Running)], 0)]),
        ] {
            assert_eq!(walks_of_freeze(&script, far()), walks, "{script:?}");
        }
    }

    #[test]
    fn a_freeze_gives_up_at_its_bound_or_at_the_deadline() {
        let stubborn = [(vec![(1, Running)], 0)];
        let began = Instant::now();
        assert!(walks_of_freeze(&stubborn, far()) > 2);
        assert!(began.elapsed() >= FREEZE_BOUND && began.elapsed() < Duration::from_secs(30));
        assert_eq!(walks_of_freeze(&stubborn, Instant::now()), 1);
    }

    #[test]
    fn a_sweep_ends_after_two_conclusive_walks_that_met_no_one() {
        let none = (vec![], 0);
        for (walks, script) in [
            (2, vec![none.clone()]),
            // Empty, but not for certain.
            (3, vec![(vec![], 1), none.clone()]),
            (4, vec![none.clone(), (vec![], 1), none.clone()]),
            // A look, a freeze and a walk that kills before the two.
            (5, vec![(vec![(1, Stopped)], 0), (vec![(1, Stopped)], 0), none.clone()]),
        ] {
            let mut territory = Scripted::new(&script);
            assert_eq!(sweep(&mut territory, Duration::from_secs(60)), Vec::<i32>::new());
            assert_eq!(territory.walks, walks, "{script:?}");
        }
    }

    #[test]
    fn a_sweep_names_who_lives_at_its_bound() {
        let mut territory = Scripted::new(&[(vec![(1, Running), (2, Zombie), (3, Stopped)], 0)]);
        let left = sweep(&mut territory, Duration::ZERO);
        assert_eq!(left, [i32::MAX - 1, i32::MAX - 3]);
    }

    /// Shows one process in the state that is given.
    struct One(ProcessEntry);

    impl Territory for One {
        fn walk(&mut self, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
            visit(&self.0);
            Walk::default()
        }

        fn reap(&mut self) {}

        fn pause(&mut self, _pause: Duration) {}
    }

    #[test]
    fn everyone_but_the_dead_is_killed() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let alive = process::entry_of(i32::try_from(child.id()).unwrap()).unwrap();
        let mut state = Sweep::default();
        state.kill_all(&mut One(ProcessEntry { state: Zombie, ..alive }));
        assert!(state.killed.is_empty() && child.try_wait().unwrap().is_none());
        state.kill_all(&mut One(alive));
        assert!(state.killed.contains(&alive.identity));
        child.wait().unwrap();
    }

    #[test]
    fn a_stop_is_no_death() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let identity = identity_of(i32::try_from(child.id()).unwrap()).unwrap();
        let mut state = Sweep::default();
        state.send(identity, libc::SIGSTOP);
        assert!(state.killed.is_empty() && state.denied.is_empty());
        state.send(identity, libc::SIGKILL);
        child.wait().unwrap();
    }

    #[test]
    fn who_was_killed_or_may_not_be_signalled_is_settled() {
        let entry = |number| ProcessEntry {
            identity: nowhere(number),
            parent: 1,
            state: Running,
            group: 1,
            session: 1,
        };
        let mut state = Sweep::default();
        state.killed.insert(nowhere(1));
        state.denied.insert(nowhere(2));
        assert_eq!([1, 2, 3].map(|number| state.is_settled(&entry(number))), [true, true, false]);
    }

    #[test]
    fn who_is_gone_is_neither_killed_nor_denied() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let identity = identity_of(i32::try_from(child.id()).unwrap()).unwrap();
        let mut state = Sweep::default();
        state.send(identity, libc::SIGKILL);
        assert!(state.killed.contains(&identity));
        child.wait().unwrap();

        let mut later = Sweep::default();
        later.send(identity, libc::SIGKILL);

        assert!(later.killed.is_empty() && later.denied.is_empty());
    }

    #[test]
    fn only_a_refusal_is_a_denial() {
        assert!(is_denied(&io::Error::from_raw_os_error(libc::EPERM)));
        assert!(!is_denied(&io::Error::from_raw_os_error(libc::ESRCH)));
    }

    #[test]
    fn pauses_grow_to_their_longest_and_end_at_the_deadline() {
        let mut pauses = Pauses::default();
        let far = Instant::now() + Duration::from_secs(60);
        let taken: Vec<Duration> = (0..8).map(|_| pauses.next(far)).collect();
        assert_eq!(taken[..3], [SHORTEST_PAUSE, SHORTEST_PAUSE * 2, SHORTEST_PAUSE * 4]);
        assert_eq!(taken[7], LONGEST_PAUSE);
        assert_eq!(pauses.next(Instant::now()), Duration::ZERO);
    }
}
