//! The confined standby of a session: a copy that gave its rights up beforehand, from which the copies of read-only commands
//! are made. So such a command costs a fork, as any copy does.
//!
//! It is made with the first read-only command, from the standby that has the session's state, and again where the state
//! has changed since. What it is confined by is `sandbox::read_only`'s; the bash driver applies it.

use std::io;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::channel::NotConfined;
use super::protocol;
use super::shell::DrivenShell;
use super::standby::{Shared, Standby, bounded};
use crate::error::ShellError;
use crate::sandbox::read_only::ReadOnly;

/// What read-only copies are made from.
#[derive(Default)]
pub(super) struct Confined(Mutex<State>);

#[derive(Default)]
struct State {
    /// Made with the first one.
    means: Option<Arc<ReadOnly>>,
    standby: Option<Standby>,
}

impl Confined {
    pub(super) async fn drop_standby(&self) {
        self.0.lock().await.standby = None;
    }
}

impl Shared {
    /// A copy of the session that can change nothing, and what the system does not hold of that.
    pub(super) async fn read_only_copy(
        &self,
    ) -> Result<(DrivenShell, Vec<&'static str>), ShellError> {
        // Locked until its standby has answered: whoever replaces it kills it.
        let mut state = self.confined.0.lock().await;
        let means = self.read_only_means(&mut state)?;
        let made = async {
            let birth = self.birth()?;
            let standby = self.confined_standby(&mut state, &means).await?;
            let apart = means.apart();
            let order = |sequence| match apart {
                Some(_) => protocol::confined_fork_order(sequence),
                None => protocol::fork_order(sequence, true),
            };
            let (birth, inner) = standby.fork(birth, order, apart).await?;
            drop(state);
            self.grown(birth, inner).await
        };
        let shell = bounded(made).await.map_err(explained)?;
        Ok((shell, means.degraded()))
    }

    fn read_only_means(&self, state: &mut State) -> Result<Arc<ReadOnly>, ShellError> {
        if let Some(means) = &state.means {
            return Ok(Arc::clone(means));
        }
        let made = ReadOnly::new(&self.folder.state());
        let means = Arc::new(made.map_err(|reason| ShellError::ReadOnlyUnavailable { reason })?);
        state.means = Some(Arc::clone(&means));
        Ok(means)
    }

    /// The confined standby with the session's state.
    async fn confined_standby<'a>(
        &self,
        state: &'a mut State,
        means: &ReadOnly,
    ) -> io::Result<&'a mut Standby> {
        let wanted = self.current_standby();
        let serves = |one: &Standby| one.serial() >= wanted && one.is_alive();
        if !state.standby.as_ref().is_some_and(serves) {
            state.standby = None;
            state.standby = Some(self.new_confined_standby(means).await?);
        }
        state.standby.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    async fn new_confined_standby(&self, means: &ReadOnly) -> io::Result<Standby> {
        let birth = self.birth()?;
        let mut slot = self.fresh_slot().await;
        let standby = slot.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let ruleset = means.ruleset(standby.pid(), self.spec.sandbox.is_some())?;
        let serial = standby.serial();
        let order = |sequence| protocol::confine_order(sequence, means.temporary(), means.filter());
        let (birth, _inner) = standby.fork(birth, order, Some(ruleset.descriptor())).await?;
        drop(slot);
        self.waiting(birth, serial).await
    }
}

/// Where a copy could not be confined, that is why the command was not run.
fn explained(error: ShellError) -> ShellError {
    let ShellError::System { source, .. } = &error else { return error };
    match source.get_ref().and_then(|inner| inner.downcast_ref::<NotConfined>()) {
        Some(step) => ShellError::ReadOnlyUnavailable { reason: step.to_string() },
        None => error,
    }
}
