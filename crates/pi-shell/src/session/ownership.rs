//! Whose a session is. Mostly its one engine's; after a hand-over there are two: the new one has the
//! session, the old one follows its command to the end beside it. How a hand-over is done stands in
//! `hand_over`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use pi_process::lock;

/// The engines of a session, by number: the newest owns it.
#[derive(Clone, Default)]
pub(super) struct Ownership(Arc<Mutex<State>>);

struct State {
    owner: u64,
    /// The owner follows a command, which can be handed over.
    is_following: bool,
    /// The owner's `Title::last_standby`.
    last_standby: Arc<AtomicU64>,
}

impl Default for State {
    fn default() -> Self {
        Self { owner: 0, is_following: false, last_standby: unbounded() }
    }
}

/// The engine may leave any standby.
fn unbounded() -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(u64::MAX))
}

impl Ownership {
    /// What an engine holds that owns the session now.
    pub(super) fn owned(&self) -> Title {
        let state = lock(&self.0);
        let (number, last_standby) = (state.owner, Arc::clone(&state.last_standby));
        drop(state);
        Title { ownership: self.clone(), number, last_standby }
    }

    /// Takes the session from the engine that follows a command. None where there is no such command.
    /// `standby` is the serial of the one with the state that the session goes on with.
    pub(super) fn take_over(&self, standby: u64) -> Option<Title> {
        let mut state = lock(&self.0);
        if !std::mem::take(&mut state.is_following) {
            return None;
        }
        state.owner += 1;
        state.last_standby.store(standby, Ordering::SeqCst);
        state.last_standby = unbounded();
        drop(state);
        Some(self.owned())
    }
}

/// One engine's title to its session.
#[derive(Clone)]
pub(super) struct Title {
    ownership: Ownership,
    number: u64,
    /// Serial of the last standby that has the session's state. A later one of this engine has what
    /// the command left that was handed over.
    last_standby: Arc<AtomicU64>,
}

impl Title {
    /// The engine follows a command from here on.
    pub(super) fn begin(&self) {
        lock(&self.ownership.0).is_following = true;
    }

    /// The command has ended. Returns whether the session is still this engine's.
    pub(super) fn end(&self) -> bool {
        let mut state = lock(&self.ownership.0);
        if state.owner == self.number {
            state.is_following = false;
        }
        state.owner == self.number
    }

    /// Whether a standby of this engine's has the session's state.
    pub(super) fn covers(&self, standby: u64) -> bool {
        standby <= self.last_standby.load(Ordering::SeqCst)
    }

    /// Whether the session is this engine's.
    pub(super) fn holds(&self) -> bool {
        lock(&self.ownership.0).owner == self.number
    }
}

#[cfg(test)]
mod tests {
    use super::Ownership;

    #[test]
    fn a_session_is_taken_over_only_while_a_command_is_followed() {
        let ownership = Ownership::default();
        let first = ownership.owned();
        assert!(ownership.take_over(1).is_none());
        first.begin();
        let second = ownership.take_over(1).expect("a command is followed");
        assert!(!first.holds() && second.holds());
        assert!(first.covers(1) && !first.covers(2) && second.covers(2));
        // The old engine's end does not end what the new one follows.
        second.begin();
        assert!(!first.end());
        assert!(ownership.take_over(2).is_some());
        assert!(!second.end());
    }

    #[test]
    fn a_command_that_has_ended_cannot_be_handed_over() {
        let ownership = Ownership::default();
        let title = ownership.owned();
        title.begin();
        assert!(title.end());
        assert!(ownership.take_over(1).is_none());
    }
}
