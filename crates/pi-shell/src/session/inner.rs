//! What a session consists of, behind its handles: its options, the place where its engine is, and the runs in it. How a
//! command is run in that place stands in `mod`.

#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::MutexGuard;
use std::sync::atomic::AtomicBool;
#[cfg(target_os = "linux")]
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

use pi_process::lock;
use tokio::sync::Notify;

use super::Engine;
use super::active_runs::ActiveRuns;
#[cfg(target_os = "linux")]
use super::driven::Shared;
use super::per_command::PerCommand;
use crate::request::{SessionKind, ShellOptions};

/// Locked for the time of a run: its fair queue is the session's queue.
pub(super) type Place = Arc<tokio::sync::Mutex<Option<Engine>>>;

/// A session, behind its handles.
pub(super) struct Inner {
    pub(super) options: Arc<ShellOptions>,
    pub(super) kind: SessionKind,
    /// Whether there is a next command.
    pub(super) is_session: bool,
    /// Where each command has a bash of its own; made with the first run.
    pub(super) per_command: OnceLock<Arc<PerCommand>>,
    /// Where the session is; another place after each hand-over.
    pub(super) place: Mutex<Place>,
    /// The session has another place.
    pub(super) moved: Notify,
    /// What copies need while the engine is busy.
    #[cfg(target_os = "linux")]
    pub(super) shared: Mutex<Option<(Arc<Shared>, PathBuf)>>,
    /// `shared` was set.
    #[cfg(target_os = "linux")]
    pub(super) opened: Notify,
    pub(super) active: Arc<ActiveRuns>,
    pub(super) closed: AtomicBool,
    /// State was lost and no result has reported it yet.
    #[cfg(target_os = "linux")]
    pub(super) lost: AtomicBool,
    #[cfg(target_os = "linux")]
    pub(super) rest: super::rest::Rest,
    #[cfg(target_os = "linux")]
    pub(super) read_only_turn: super::read_only::ReadOnlyTurn,
}

impl Inner {
    /// A session before its first run.
    pub(super) fn new(options: ShellOptions, kind: SessionKind, is_session: bool) -> Self {
        Self {
            options: Arc::new(options),
            kind,
            is_session,
            per_command: OnceLock::new(),
            place: Mutex::default(),
            moved: Notify::new(),
            #[cfg(target_os = "linux")]
            shared: Mutex::new(None),
            #[cfg(target_os = "linux")]
            opened: Notify::new(),
            active: Arc::default(),
            closed: AtomicBool::new(false),
            #[cfg(target_os = "linux")]
            lost: AtomicBool::new(false),
            #[cfg(target_os = "linux")]
            rest: super::rest::Rest::default(),
            #[cfg(target_os = "linux")]
            read_only_turn: super::read_only::ReadOnlyTurn::default(),
        }
    }

    /// Whether each command has a bash of its own: from the beginning, or since the session's bash
    /// turned out not to be one that can be kept.
    pub(super) fn is_per_command(&self) -> bool {
        self.kind == SessionKind::PerCommand || self.per_command.get().is_some()
    }

    /// Where the session is.
    pub(super) fn place(&self) -> Place {
        Arc::clone(&lock(&self.place))
    }

    /// Waits for the session, in the order of the calls.
    pub(super) async fn turn(&self) -> tokio::sync::OwnedMutexGuard<Option<Engine>> {
        loop {
            // From here on no move is missed.
            let moved = self.moved.notified();
            let place = self.place();
            tokio::select! {
                biased;
                turn = Arc::clone(&place).lock_owned() => {
                    if Arc::ptr_eq(&place, &self.place()) {
                        return turn;
                    }
                }
                () = moved => {}
            }
        }
    }

    /// The session is there from now on; who waits for it waits there.
    pub(super) fn move_to(&self, place: Place) {
        *lock(&self.place) = place;
        self.moved.notify_waiters();
    }

    #[cfg(target_os = "linux")]
    pub(super) fn shared(&self) -> MutexGuard<'_, Option<(Arc<Shared>, PathBuf)>> {
        lock(&self.shared)
    }

    /// State was lost, which the next result reports.
    #[cfg(target_os = "linux")]
    pub(super) fn note_loss(&self) {
        self.lost.store(true, Ordering::SeqCst);
    }

    #[cfg(target_os = "linux")]
    pub(super) fn take_loss(&self) -> bool {
        self.lost.swap(false, Ordering::SeqCst)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn note_cwd(&self, engine: &Engine) {
        if !self.closed.load(Ordering::SeqCst) {
            *self.shared() = Some((Arc::clone(&engine.shared), engine.cwd.clone()));
            self.opened.notify_waiters();
        }
    }

    /// Waits until the session stands.
    #[cfg(target_os = "linux")]
    pub(super) async fn opened(&self) {
        loop {
            // From here on no call is missed.
            let opened = self.opened.notified();
            if self.shared().is_some() {
                return;
            }
            opened.await;
        }
    }
}
