//! A command goes on in the background: it keeps its shell, and the session gets another one with
//! the state of before the command, so that what later commands set lasts.
//!
//! The old engine follows its command to the end beside the session, as a copy would; then its shell
//! is ended. The new one has the same supervisor, folder, sandbox and survivors. What text cannot
//! tell stays with the command: jobs, descriptors, DEBUG traps, hashed paths.

use std::sync::Arc;
use std::time::Duration;

use super::Shell;
use super::copies;
use super::driver;
use super::engine::Engine;
use super::output_pipe::OutputPipe;
use super::runner::CopyReport;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::outcome::{OutputSummary, ProcessInfo};
use crate::sys::signals::KILL;
use crate::tree;

/// Time that a run which was just called may take to give its command to bash.
const BEGIN_LIMIT: Duration = Duration::from_secs(1);

/// How often that is looked for.
const BEGIN_LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// Time that a killed shell gets to be gone.
const END_LIMIT: Duration = Duration::from_secs(2);

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
            if self.hand_over_alone() {
                return true;
            }
            let found = self.inner.shared().clone();
            if let Some((shared, cwd)) = found
                && let Some(title) = shared.take_over()
            {
                break (shared, cwd, title);
            }
            if tokio::time::Instant::now() > patience {
                return false;
            }
            tokio::time::sleep(BEGIN_LOOK_INTERVAL).await;
        };
        let parts = shared.clone();
        let ground = parts.ground();
        let _making = ground.handing_over.lock().await;
        // With everything below it, it does not belong to what the session runs from here on.
        ground.machinery.insert(ground.main().0);
        let slot = Arc::new(tokio::sync::Mutex::new(None));
        // It is new, so the lock is free.
        let Ok(mut place) = Arc::clone(&slot).try_lock_owned() else { return false };
        self.inner.move_to(slot);
        let engine = shared.engine_beside(Arc::clone(&self.inner.options), cwd, title).await;
        self.inner.note_cwd(&engine);
        if self.is_closed() {
            return false;
        }
        *place = Some(engine);
        true
    }
}

impl Engine {
    /// With a shell that has the standby's state. Where there is none, the next command begins with a fresh shell and
    /// tells that the state is gone.
    pub(super) async fn with_state_of_standby(mut self) -> Self {
        if self.take_state_of_standby().await.is_err() {
            self.main = None;
        }
        self
    }

    /// Starts a shell with the state that the standby has.
    async fn take_state_of_standby(&mut self) -> Result<(), ShellError> {
        let failed = |source| ShellError::System { attempt: "copy the session's state", source };
        let report = self.shared.make_fifo('r')?;
        let mut report = CopyReport::open(report).map_err(failed)?;
        let state = copies::state_of_session(&self.shared, &mut report).await.map_err(failed)?;
        self.begin_with(&state).await?;
        // Only the next command would hear of its standby, which copies may need before.
        self.catch_up().await;
        Ok(())
    }

    /// The end of a command that was handed over: its shell goes. Returns what it left alive and its
    /// output.
    pub(super) async fn leave_beside(
        &mut self,
        output: OutputPipe,
        delivery: Delivery,
    ) -> (Vec<ProcessInfo>, Option<OutputSummary>) {
        if let Some(mut main) = self.main.take() {
            // It forks a standby behind the command, which must be known before its parent is gone.
            self.await_standby(&mut main).await;
            // Gone already is as good.
            drop(tree::signal(main.child().identity(), KILL));
            drop(tokio::time::timeout(END_LIMIT, main.child().exited()).await);
        }
        let breath = driver::last_breath_name(self.generation());
        drop(std::fs::remove_file(self.shared.folder.state().join(breath)));
        // Bounded, as the making of a shell is.
        drop(self.shared.handing_over.lock().await);
        let survivors = self.shared.account_for_survivors_of_copy().await;
        let (output, _idle) = self.shared.put_output_away(output, delivery, !survivors.is_empty());
        (survivors, output)
    }
}
