//! A command goes on in the background: it keeps its shell, and the session goes on in another one with the state of
//! before the command, so that what later commands set lasts.
//!
//! The old engine follows its command to the end beside the session, as a copy would; then its shell is ended. The new
//! one has the same supervisor, folder, sandbox and survivors.

use std::sync::Arc;
use std::time::Duration;

use super::Shell;
use super::driven::Engine;

/// Time that a run which was just called may take to give its command to bash.
const BEGIN_LIMIT: Duration = Duration::from_secs(1);

/// How often that is looked for.
const BEGIN_LOOK_INTERVAL: Duration = Duration::from_millis(2);

impl Shell {
    /// The command that runs goes on beside the session, which takes the next one at once, with the
    /// state of before this command. Returns false where nothing runs.
    pub async fn hand_over(&self) -> bool {
        if self.is_closed() {
            return false;
        }
        // A task of its own: a caller that drops the future must not leave the session half-way.
        let shell = self.clone();
        tokio::spawn(async move { shell.give_session_on().await }).await.unwrap_or(false)
    }

    async fn give_session_on(&self) -> bool {
        let patience = tokio::time::Instant::now() + BEGIN_LIMIT;
        let (shared, cwd, title) = loop {
            if self.inner.read_only_turn.take() || self.hand_over_alone() {
                return true;
            }
            let found = self.inner.shared().clone();
            if let Some((shared, cwd)) = found
                && let Some(title) = shared.ownership.take_over(shared.current_standby())
            {
                break (shared, cwd, title);
            }
            if tokio::time::Instant::now() > patience {
                return false;
            }
            tokio::time::sleep(BEGIN_LOOK_INTERVAL).await;
        };
        let _making = shared.handing_over.lock().await;
        // With everything below it, it does not belong to what the session runs from here on.
        shared.internal.insert(shared.main().0);
        let slot = Arc::new(tokio::sync::Mutex::new(None));
        // It is new, so the lock is free.
        let Ok(mut place) = Arc::clone(&slot).try_lock_owned() else { return false };
        self.inner.move_to(slot);
        let options = Arc::clone(&self.inner.options);
        let engine = Engine::beside(options, Arc::clone(&shared), cwd, title).await;
        self.inner.note_cwd(&engine);
        if self.is_closed() {
            return false;
        }
        *place = Some(engine);
        true
    }
}
