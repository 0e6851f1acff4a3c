//! The confined standby of a session: a copy that gave its rights up beforehand, from which the copies of read-only commands
//! are made. So such a command costs a fork, as any copy does.
//!
//! It is made with the first read-only command, from the standby that has the session's state, and again where the state
//! has changed since. What it is confined by is `pi_sandbox::read_only`'s; the bash driver applies it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use pi_process::Turn;
use pi_sandbox::proof::{self, Configuration, Proof};
use pi_sandbox::read_only::{self, ReadOnly};
use tokio::sync::Mutex;

use super::channel::NotConfined;
use super::protocol::{self, RunOrder};
use super::shell::{DrivenShell, Heard};
use super::standby::{Birth, Shared, Standby, bounded};
use crate::error::ShellError;
use crate::script;

/// Whose turn it is to prove that one holds: sessions that begin together have the same configuration, mostly.
static TURN: Turn = Turn::new();

/// What read-only copies are made from.
#[derive(Default)]
pub(super) struct Confined(Mutex<State>);

#[derive(Default)]
struct State {
    /// Made with the first one.
    means: Option<Arc<ReadOnly>>,
    standby: Option<Standby>,
    /// It was tried out, in this session or in one like it.
    is_proven: bool,
}

impl Confined {
    /// Gives it up: it has a state that the session has not.
    pub(super) async fn drop_standby(&self) {
        self.0.lock().await.standby = None;
    }

    /// Gives it up where the session ends. One that is being made goes with the rest of the session's processes.
    pub(super) fn end_standby(&self) {
        if let Ok(mut state) = self.0.try_lock() {
            state.standby = None;
        }
    }
}

impl Shared {
    /// Readies everything that the first read-only command of a session needs, which takes longer than a fork: what it is
    /// confined by, and the proof that it holds.
    pub(super) async fn ready_for_read_only(&self) -> Result<(), ShellError> {
        let unavailable = |reason| ShellError::ReadOnlyUnavailable { reason };
        let mut state = self.confined.0.lock().await;
        let means = self.read_only_means(&mut state)?;
        if state.is_proven {
            return Ok(());
        }
        let configuration = Configuration {
            executable: self.executable.clone(),
            shell: self.spec.shell.clone(),
            driver: self.spec.driver.clone(),
            sandbox: self.spec.sandbox.clone(),
        };
        let known = || proof::known(&configuration);
        let prove = async || self.prove(configuration.clone(), &mut state, &means).await;
        let verdict = TURN.known_or(known, prove).await?;
        verdict.map_err(unavailable)?;
        state.is_proven = true;
        Ok(())
    }

    /// Has a read-only copy try what it must not be able to.
    async fn prove(
        &self,
        configuration: Configuration,
        state: &mut State,
        means: &ReadOnly,
    ) -> Result<Result<(), String>, ShellError> {
        let proof = Proof::prepare(configuration, &self.folder.state()).map_err(unproven)?;
        let words = proof.command().map_err(unproven)?;
        let words = words.iter().map(|word| script::quote_path(Path::new(word)));
        let command = words.collect::<Vec<_>>().join(" ");
        let made = async {
            let (birth, inner) = self.fork_confined(state, means).await?;
            self.grown(birth, inner).await
        };
        let mut copy = bounded(made).await.map_err(explained)?;
        let order = RunOrder { command: &command, ..RunOrder::default() };
        let heard = copy.ask_into(&order, proof.output(), None).await;
        copy.end().await;
        match heard.map_err(unproven)? {
            Heard::Ended(_) => proof.conclude(means).map_err(unproven),
            Heard::Refused(errno) => Err(unproven(io::Error::from_raw_os_error(errno))),
        }
    }

    /// A copy of the session that can change nothing, and what the system does not hold of that. Only after
    /// `ready_for_read_only`.
    pub(super) async fn read_only_copy(
        &self,
    ) -> Result<(DrivenShell, Vec<&'static str>), ShellError> {
        let mut state = self.confined.0.lock().await;
        let means = self.read_only_means(&mut state)?;
        let made = async {
            // Locked until the standby has answered: whoever replaces it kills it.
            let (birth, inner) = self.fork_confined(&mut state, &means).await?;
            drop(state);
            self.grown(birth, inner).await
        };
        let shell = bounded(made).await.map_err(explained)?;
        Ok((shell, means.degraded()))
    }

    /// Has the confined standby leave a copy.
    async fn fork_confined(&self, state: &mut State, means: &ReadOnly) -> io::Result<(Birth, i32)> {
        let birth = self.birth()?;
        let standby = self.confined_standby(state, means).await?;
        let apart = means.apart();
        let order = |sequence| match apart {
            Some(_) => protocol::confined_fork_order(sequence),
            None => protocol::fork_order(sequence, true),
        };
        standby.fork(birth, order, apart).await
    }

    /// Has the confined standby made again in the background, where a session that uses one has another state by now, so
    /// that the next read-only command finds it.
    pub(super) fn renew_confined(self: &Arc<Self>) {
        let wanted = self.current_standby();
        let is_wanted =
            |state: &State| state.standby.as_ref().is_some_and(|one| one.serial() < wanted);
        // Locked, one is being made or copied.
        if !self.confined.0.try_lock().is_ok_and(|state| is_wanted(&state)) {
            return;
        }
        let shared = Arc::downgrade(self);
        // Bounded, as every making of a copy is.
        drop(tokio::spawn(async move {
            let Some(shared) = shared.upgrade() else { return };
            let mut state = shared.confined.0.lock().await;
            let Some(means) = state.means.clone() else { return };
            // Without it the next command makes one, and says what failed.
            drop(bounded(shared.renewed(&mut state, &means)).await);
        }));
    }

    async fn renewed(&self, state: &mut State, means: &ReadOnly) -> io::Result<()> {
        self.confined_standby(state, means).await.map(drop)
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
            // Killed once the new one stands: its end takes time of the processor that the other's birth needs.
            let old = state.standby.take();
            let made = self.new_confined_standby(means).await;
            drop(old);
            state.standby = Some(made?);
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
        let standby = self.waiting(birth, serial).await?;
        // Before it is given a command.
        read_only::bound(standby.pid())?;
        // It is the process that was bounded.
        if standby.is_alive() { Ok(standby) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }
}

/// Where a copy could not be confined, that is why the command was not run.
fn explained(error: ShellError) -> ShellError {
    let ShellError::Process(pi_process::ProcessError::System { source, .. }) = &error else {
        return error;
    };
    match source.get_ref().and_then(|inner| inner.downcast_ref::<NotConfined>()) {
        Some(step) => ShellError::ReadOnlyUnavailable { reason: step.to_string() },
        None => error,
    }
}

/// What keeps the proof from being made.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn unproven(error: io::Error) -> ShellError {
    ShellError::ReadOnlyUnavailable { reason: format!("cannot be proven: {error}") }
}
