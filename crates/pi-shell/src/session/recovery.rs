//! Replaces a session's shell that died by one with its state: what it wrote down at its end, or
//! what its standby has. See docs/session-protocol.md#recovery.

use std::path::PathBuf;
use std::time::Duration;

use super::driver;
use super::effects;
use super::engine::Engine;
use super::main_shell::{LaunchSpec, MainShell};
use super::protocol;
use super::standby::Standby;
use super::traps::Traps;
use crate::error::ShellError;
use crate::outcome::LostWithShell;
use crate::script::SavedState;

/// Time a standby may take to write its state: a big one, 600 KB, takes 0.1 s under load.
const DUMP_LIMIT: Duration = Duration::from_secs(5);

/// Time a standby that was ordered may take to stand when it is needed.
const BIRTH_LIMIT: Duration = Duration::from_millis(500);

/// What a session lost with its shell: variables, functions, folder, options or traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// The shell wrote down at its end what it had reached.
    Nothing,
    /// The state is that of before the command: what the command had set is gone, if it had set anything.
    OfCommand,
    /// A fresh shell.
    Everything,
}

impl Loss {
    /// Whether anything is gone, where `command` was the last one.
    pub(super) fn is_real(self, command: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::OfCommand => !effects::only_replaces_shell(command),
            Self::Everything => true,
        }
    }
}

impl Engine {
    /// A shell that takes a command: the one there is, or a new one with the old one's state.
    /// Returns what was lost on the way.
    pub(super) async fn ensure_main(&mut self) -> Result<Loss, ShellError> {
        if self.main.as_ref().is_some_and(|main| main.child().exit_status().is_none()) {
            return Ok(Loss::Nothing);
        }
        self.recover().await
    }

    /// Replaces a shell that died. Returns what was lost.
    async fn recover(&mut self) -> Result<Loss, ShellError> {
        let generation = self.generation;
        let mut dead = self.main.take();
        let breath_file = self.shared.folder.state().join(driver::last_breath_name(generation));
        let breath = SavedState::read(&breath_file);
        self.note_lost_with(dead.as_mut()).await;
        let (state, lost) = match breath {
            Some(state) if !state.inside_function => (Some(state), Loss::Nothing),
            _ => match self.dump_standby(dead.as_mut()).await {
                Some(state) => (Some(state), Loss::OfCommand),
                None => (None, Loss::Everything),
            },
        };
        drop(dead);
        self.births.forget();
        *self.shared.slot.lock().await = None;
        self.idle_output = None;
        drop(std::fs::remove_file(breath_file));
        self.generation = self.shared.next_serial();
        if let Some(state) = state {
            self.begin_with(&state).await?;
        } else {
            let spec = self.shared.spec.clone();
            self.launch_main(&spec, &self.living_directory()).await?;
            self.furnish().await?;
        }
        Ok(lost)
    }

    /// Notes what a state as text does not have.
    async fn note_lost_with(&mut self, dead: Option<&mut MainShell>) {
        if let Some(dead) = dead {
            self.await_standby(dead).await;
        }
        // The standby has the descriptors of the shell that it was forked from.
        let descriptors = self.shared.slot.lock().await.as_ref().is_some_and(Standby::has_opened);
        let jobs = self.shared.background_count() > 0;
        for (is_lost, loss) in
            [(jobs, LostWithShell::Jobs), (descriptors, LostWithShell::Descriptors)]
        {
            if is_lost && !self.lost_with_shell.contains(&loss) {
                self.lost_with_shell.push(loss);
            }
        }
    }

    /// Starts a shell and gives it a state.
    pub(super) async fn begin_with(&mut self, state: &SavedState) -> Result<(), ShellError> {
        // A state has every variable; what the session unset must not come back.
        let spec = LaunchSpec { env: Vec::new(), ..self.shared.spec.clone() };
        self.launch_main(&spec, &self.living_directory()).await?;
        self.restore(state).await
    }

    /// Where a shell can be started.
    fn living_directory(&self) -> PathBuf {
        if self.cwd.is_dir() { self.cwd.clone() } else { PathBuf::from("/") }
    }

    /// The state of the standby, where there is one that obeys.
    async fn dump_standby(&mut self, dead: Option<&mut MainShell>) -> Option<SavedState> {
        let dead = dead?;
        self.await_standby(dead).await;
        let slot = self.shared.slot.lock().await;
        let standby = slot.as_ref().filter(|standby| standby.is_alive())?;
        let file = self.shared.folder.state().join(format!("d{}", self.generation));
        let token = self.shared.new_token();
        standby.send(&protocol::dump_text(self.shared.folder.path(), &file, &token, None)).ok()?;
        let dumped = async {
            loop {
                let frames = dead.frames().await.ok()?;
                if frames.iter().any(|frame| frame.token == token) {
                    return Some(());
                }
            }
        };
        tokio::time::timeout(DUMP_LIMIT, dumped).await.ok()??;
        let state = SavedState::read(&file);
        drop(std::fs::remove_file(&file));
        // It was told by our own order, not from within a function of the user's.
        state.map(|state| SavedState { inside_function: false, ..state })
    }

    /// Waits for a standby that was ordered right before the shell died.
    pub(super) async fn await_standby(&mut self, shell: &mut MainShell) {
        let born = async {
            while self.births.are_pending() {
                let Ok(frames) = shell.frames().await else { return };
                for frame in frames {
                    self.births.note(frame).await;
                }
            }
        };
        // One that does not come leaves the older one in its place.
        drop(tokio::time::timeout(BIRTH_LIMIT, born).await);
    }

    /// Sources a saved state in the new shell.
    async fn restore(&mut self, state: &SavedState) -> Result<(), ShellError> {
        let folder = self.shared.folder.path().to_path_buf();
        let system = |source| ShellError::System { attempt: "restore the session's state", source };
        self.modes.posix = state.posix;
        // A state does not tell; the next report does.
        self.modes.exports_all = true;
        self.shared.note_traps(Traps::set_by_state(&state.restore));
        let mut text = state.restore.clone();
        if !self.handicaps.limits {
            text.extend_from_slice(state.limits.as_bytes());
        }
        self.modes.xtrace |= state.xtrace;
        let name = format!("d{}", self.shared.next_serial());
        let file = self.shared.folder.write(&name, &text).map_err(system)?;
        let generation = self.generation;
        let token = self.shared.new_token();
        let text = protocol::restore_text(&folder, generation, &file, &token);
        let restored = self.command(&text, &token).await;
        drop(std::fs::remove_file(&file));
        restored?;
        if self.modes.xtrace {
            let token = self.shared.new_token();
            self.command(&format!("\\builtin set -x;__pi_e 0 {token}"), &token).await?;
        }
        self.order_standby();
        Ok(())
    }
}
