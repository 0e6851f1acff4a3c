//! What a session's shell and the copies of it have in common, where shell text drives them.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::ground::Ground;
use super::output_pipe::OutputPipe;
use super::own_pid;
use super::protocol::{Token, TokenSource};
use super::standby::StandbySlot;
use super::traps::Traps;
use crate::error::ShellError;

/// Common ground of a session's shell and its copies.
pub(super) struct Shared {
    ground: Ground,
    pub(super) slot: StandbySlot,
    /// Serial of the standby that the last finished command left: a copy waits for that one.
    current: AtomicU64,
    tokens: Mutex<TokenSource>,
    /// A command left something that asks for the process id of its shell: a copy must have its own.
    asks_for_pid: AtomicBool,
    /// Traps that a command or a restored state may have set.
    traps: Mutex<Traps>,
}

impl Shared {
    pub(super) fn new(ground: Ground) -> Self {
        Self {
            ground,
            slot: StandbySlot::default(),
            current: AtomicU64::new(0),
            tokens: Mutex::new(TokenSource::new()),
            asks_for_pid: AtomicBool::new(false),
            traps: Mutex::default(),
        }
    }

    /// A token for an order.
    pub(super) fn new_token(&self) -> Token {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// The command that ordered this standby has finished.
    pub(super) fn set_current_standby(&self, serial: u64) {
        self.current.fetch_max(serial, Ordering::SeqCst);
    }

    /// Serial of the standby that has the session's state.
    pub(super) fn current_standby(&self) -> u64 {
        self.current.load(Ordering::SeqCst)
    }

    /// The session's shell was given `command`.
    pub(super) fn note_command(&self, command: &str) {
        if own_pid::is_kept_by(command) {
            self.asks_for_pid.store(true, Ordering::SeqCst);
        }
        self.note_traps(Traps::set_by(command.as_bytes()));
    }

    /// The session's shell may have these from now on.
    pub(super) fn note_traps(&self, set: Traps) {
        let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
        *traps = traps.and(set);
    }

    /// Traps that may be set.
    pub(super) fn traps(&self) -> Traps {
        *self.traps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a copy that runs `command` must have a process id of its own.
    pub(super) fn needs_own_pid(&self, command: &str) -> bool {
        own_pid::is_asked_for(command) || self.asks_for_pid.load(Ordering::SeqCst)
    }

    /// A new FIFO whose name begins with `kind`.
    pub(super) fn make_fifo(&self, kind: char) -> Result<PathBuf, ShellError> {
        let name = format!("{kind}{}", self.next_serial());
        self.folder
            .make_fifo(&name)
            .map_err(|source| ShellError::System { attempt: "make a FIFO", source })
    }

    /// A new FIFO for a command's output.
    pub(super) fn make_output(&self) -> Result<OutputPipe, ShellError> {
        OutputPipe::open(self.make_fifo('o')?)
            .map_err(|source| ShellError::System { attempt: "open a FIFO for output", source })
    }
}

impl Deref for Shared {
    type Target = Ground;

    fn deref(&self) -> &Ground {
        &self.ground
    }
}
