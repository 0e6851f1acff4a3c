//! What a session does when no command came for a moment: a standby is forked only before a command that may end the
//! shell, so what plain builtins changed since is put into one here. Then a shell that is killed between two commands
//! loses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Inner;
use super::driven::Engine;

/// Time without a command until then. Commands that follow each other are not held up by it.
const REST_AFTER: Duration = Duration::from_millis(20);

/// Whether a look is ordered.
#[derive(Default)]
pub(super) struct Rest {
    is_awaited: AtomicBool,
}

impl Inner {
    /// A command of `engine` has ended.
    pub(super) fn rest_later(self: &Arc<Self>, engine: &mut Engine) {
        if engine.rest(Duration::MAX) || self.rest.is_awaited.swap(true, Ordering::SeqCst) {
            return;
        }
        let session = Arc::downgrade(self);
        // Ends when the session is dropped or closed, or has rested.
        drop(tokio::spawn(async move {
            loop {
                tokio::time::sleep(REST_AFTER).await;
                let Some(inner) = session.upgrade() else { return };
                inner.rest.is_awaited.store(false, Ordering::SeqCst);
                // Locked, a command runs, whose end looks again.
                let Ok(mut place) = inner.place().try_lock_owned() else { return };
                let has_rested = place.as_mut().is_none_or(|engine| engine.rest(REST_AFTER));
                if has_rested || inner.rest.is_awaited.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
        }));
    }
}
