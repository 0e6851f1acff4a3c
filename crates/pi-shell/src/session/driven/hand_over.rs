//! A command goes on in the background: it keeps its shell, and the session goes on in the standby, with everything
//! that the shell had before the command.

use std::path::PathBuf;
use std::sync::Arc;

use super::engine::Engine;
use super::standby::Shared;
use crate::request::ShellOptions;
use crate::session::ownership::Title;

impl Engine {
    /// The engine that has the session from now on, while the one before follows its command to the end. Where there
    /// is no standby, the next command begins with a fresh shell and tells that the state is gone.
    pub(in crate::session) async fn beside(
        options: Arc<ShellOptions>,
        shared: Arc<Shared>,
        cwd: PathBuf,
        title: Title,
    ) -> Self {
        let mut engine = Self::over(shared, options, cwd, title);
        engine.shared.faults.note_company();
        let promoted = engine.shared.promote().await;
        // None, or one from before what the last commands changed: the next command tells.
        engine.is_lost = !promoted.as_ref().is_some_and(|(_, has_state)| *has_state);
        if let Some((shell, _)) = promoted {
            engine.note_main(shell);
        }
        engine
    }
}
