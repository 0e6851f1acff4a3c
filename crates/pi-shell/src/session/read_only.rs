//! A read-only command: it runs in a copy of the session that the kernel keeps from changing anything, with the session's
//! turn or beside it. How such a copy is made is `driven::confined`'s.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pi_process::lock;
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use super::driven::{self, CopyEnd, Engine, Shared};
use super::{CLOSE_LIMIT, Shell};
use crate::error::ShellError;
use crate::inline;
use crate::job::Job;
use crate::outcome::RunResult;

/// Whether a read-only command has the session's turn, and how it is taken from it: it needs nothing of the session but
/// the order of the commands, so it goes on beside the session as it is.
#[derive(Default)]
pub(super) struct ReadOnlyTurn(Mutex<Option<CancellationToken>>);

impl ReadOnlyTurn {
    fn begin(&self) -> CancellationToken {
        let taken = CancellationToken::new();
        *lock(&self.0) = Some(taken.clone());
        taken
    }

    /// Takes the turn from the command that has it. Returns whether there was one.
    pub(super) fn take(&self) -> bool {
        let taken = lock(&self.0).take();
        taken.inspect(CancellationToken::cancel).is_some()
    }

    /// The command has ended. Returns whether it still had the turn.
    fn end(&self, taken: &CancellationToken) -> bool {
        let mut turn = lock(&self.0);
        let is_held = !taken.is_cancelled();
        if is_held {
            *turn = None;
        }
        is_held
    }
}

/// What a copy needs of the session it is made from.
struct Origin {
    shared: Arc<Shared>,
    cwd: PathBuf,
    /// State was lost that no result has reported yet.
    is_lost: bool,
}

impl Shell {
    /// Runs a read-only command whose turn it is. Where the copy has gone to, the session follows.
    pub(super) async fn run_read_only(
        &self,
        job: &Job,
        mut turn: OwnedMutexGuard<Option<Engine>>,
    ) -> Result<RunResult, ShellError> {
        inline::elsewhere().await;
        let Origin { shared, cwd, is_lost } = self.read_only_origin(&mut turn).await?;
        let taken = self.inner.read_only_turn.begin();
        let run = driven::run_copy(&shared, job, &cwd);
        tokio::pin!(run);
        let end = tokio::select! {
            biased;
            end = &mut run => end,
            () = taken.cancelled() => {
                drop(turn);
                return Ok(run.await?.result);
            }
        };
        let has_turn = self.inner.read_only_turn.end(&taken);
        let CopyEnd { mut result, left_in } = end?;
        result.session_reset = is_lost;
        if has_turn && let Some(engine) = turn.as_mut() {
            engine.follow_copy(result.outcome.status(), left_in.as_deref()).await;
            result.working_dir = Some(engine.cwd.clone());
            self.inner.note_cwd(engine);
            self.inner.rest_later(engine);
        }
        Ok(result)
    }

    /// The session, with a standby that has its state; begun again where what it stood on is gone.
    async fn read_only_origin(&self, slot: &mut Option<Engine>) -> Result<Origin, ShellError> {
        let ready = self.ready_for_read_only(slot).await;
        let Some(broken) = slot.take_if(|engine| ready.is_err() && engine.has_lost_its_ground())
        else {
            return ready;
        };
        self.inner.note_loss();
        broken.close(CLOSE_LIMIT).await;
        self.ready_for_read_only(slot).await
    }

    async fn ready_for_read_only(&self, slot: &mut Option<Engine>) -> Result<Origin, ShellError> {
        let engine = self.started(slot).await?;
        engine.prepare(self.inner.take_loss()).await?;
        engine.catch_up().await;
        Ok(Origin {
            shared: Arc::clone(&engine.shared),
            cwd: engine.cwd.clone(),
            is_lost: engine.take_loss(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ReadOnlyTurn;

    #[test]
    fn a_turn_is_taken_once_and_only_from_a_command_that_has_it() {
        let turn = ReadOnlyTurn::default();
        assert!(!turn.take());

        let first = turn.begin();
        assert!(turn.take() && first.is_cancelled());
        assert!(!turn.take() && !turn.end(&first));

        let second = turn.begin();
        assert!(turn.end(&second) && !second.is_cancelled());
        assert!(!turn.take(), "it has ended");
    }
}
