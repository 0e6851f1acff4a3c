//! Programs on a pseudoterminal: `PtySession`, and what may be said to it while one runs.
//!
//! # Module map
//! ```text
//! mod      PtySession: who may start, and the control calls
//! run      one program from its start to its end
//! options  what is asked for            terminal  the device
//! input    typed, not yet taken                               looking  who reads it while it is quiet
//! hang_up  the end of a program that is stopped                  error  why nothing ran
//! ```
//! Unlike a session's run, a program here has a terminal, which is its standard input as well, and
//! ends with everything it started: its terminal is gone. See docs/pty.md.
#![cfg(unix)]

mod error;
mod gather;
mod hang_up;
mod input;
mod looking;
mod options;
mod run;
mod terminal;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_process::supervisor::Child;
use pi_process::{ResourceUsage, lock, tree};
use pi_sandbox::SandboxReport;
use rustix::process::Signal;
use tokio_util::sync::CancellationToken;

pub use self::error::PtyError;
use self::input::Input;
pub use self::options::{PtyArgvStartOptions, PtyOptions, PtyStartOptions};
use self::terminal::{Size, Terminal};
use crate::error::ShellError;
use crate::observer::Observer;
use crate::outcome::{ExitOutcome, RunResult};

/// Takes the program's pid when it runs, before any of its output.
pub type OnStart = Box<dyn FnOnce(i32) + Send>;

/// How a program on a terminal ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtyResult {
    /// The outcome. `Cancelled` also after [`PtySession::kill`] without a signal.
    pub outcome: ExitOutcome,
    /// The sandbox it ran in, where one was asked for and the program was started.
    pub sandbox: Option<SandboxReport>,
    /// What the program used, where it was started and its end is known.
    pub usage: Option<ResourceUsage>,
}

impl PtyResult {
    /// As the result of a session's run that took `wall_time`: the outcome and the sandbox. A terminal has nothing of the rest.
    pub fn into_run(self, wall_time: Duration) -> RunResult {
        RunResult {
            outcome: self.outcome,
            working_dir: None,
            session_reset: false,
            survivors: Vec::new(),
            wall_time,
            output: None,
            sandbox: self.sandbox,
            lost_with_shell: Vec::new(),
            limits_met: Vec::new(),
            read_only: None,
            input_wanted: None,
            usage: self.usage,
        }
    }
}

/// One terminal at a time. Cheap to clone; clones control the same program.
#[derive(Clone, Default)]
pub struct PtySession {
    /// The controls of the program that runs or is being started.
    current: Arc<Mutex<Option<Arc<Controls>>>>,
}

impl PtySession {
    /// A session without a terminal; `start` opens one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a command line with a shell, `bash -c` by default, and resolves with how it ended.
    ///
    /// From the instant this returns the control calls work; what they ask for is done when the
    /// program runs. All output is given to the observer before the future ends. Dropping the
    /// future kills the program. Must be polled within a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// [`PtyError`] when nothing ran. However a program ended is a result.
    pub fn start(
        &self,
        options: PtyStartOptions,
        observer: Arc<dyn Observer>,
        on_start: Option<OnStart>,
        cancel: &CancellationToken,
    ) -> impl Future<Output = Result<PtyResult, PtyError>> + Send + use<> {
        let claim = self.claim(options.options.size(), cancel);
        async move {
            let claim = claim?;
            run::run(options.check()?, &claim.controls, observer, on_start).await
        }
    }

    /// Runs a program without a shell; otherwise as `start`.
    pub fn start_argv(
        &self,
        options: PtyArgvStartOptions,
        observer: Arc<dyn Observer>,
        on_start: Option<OnStart>,
        cancel: &CancellationToken,
    ) -> impl Future<Output = Result<PtyResult, PtyError>> + Send + use<> {
        let claim = self.claim(options.options.size(), cancel);
        async move {
            let claim = claim?;
            run::run(options.check()?, &claim.controls, observer, on_start).await
        }
    }

    /// Types `bytes`. Returns at once; false when the program has much left to read, and a writer
    /// should wait until `pending_input` is small.
    ///
    /// # Errors
    /// [`PtyError::NotRunning`], and [`PtyError::InputFull`] when 16 MiB would be waiting; then
    /// none of `bytes` was taken.
    pub fn write(&self, bytes: &[u8]) -> Result<bool, PtyError> {
        self.controls()?.input.push(bytes)
    }

    /// Bytes typed that the program's terminal has not taken yet. 0 without a program.
    pub fn pending_input(&self) -> usize {
        self.controls().map_or(0, |controls| controls.input.pending())
    }

    /// Changes the terminal's size, clamped to 20 to 400 columns and 5 to 200 rows. The programs
    /// in the foreground are notified with SIGWINCH.
    ///
    /// # Errors
    /// [`PtyError::NotRunning`], and what the system says.
    pub fn resize(&self, cols: u32, rows: u32) -> Result<(), PtyError> {
        self.controls()?.resize(Size::clamped(cols, rows))
    }

    /// Without a signal, ends the program and everything it started: SIGHUP, SIGTERM, SIGKILL.
    /// With one, sends it to the process group in the foreground, as the terminal's keys do.
    ///
    /// # Errors
    /// [`PtyError::NotRunning`], and [`ShellError::InvalidOption`] for a number that is no signal.
    pub fn kill(&self, signal: Option<i32>) -> Result<(), PtyError> {
        let controls = self.controls()?;
        let Some(number) = signal else {
            controls.cancel.cancel();
            return Ok(());
        };
        let signal = Signal::from_named_raw(number).ok_or_else(|| ShellError::InvalidOption {
            name: "signal",
            reason: format!("is {number}, which is not a signal of this system"),
        })?;
        controls.signal(signal);
        Ok(())
    }

    fn controls(&self) -> Result<Arc<Controls>, PtyError> {
        lock(&self.current).clone().ok_or(PtyError::NotRunning)
    }

    /// Makes a program's controls the current ones, for as long as the claim lives.
    fn claim(&self, size: Size, cancel: &CancellationToken) -> Result<Claim, PtyError> {
        let mut current = lock(&self.current);
        if current.is_some() {
            return Err(PtyError::AlreadyRunning);
        }
        let controls = Arc::new(Controls {
            input: Input::default(),
            cancel: cancel.child_token(),
            target: Mutex::new(Target { size, signals: Vec::new(), program: None }),
        });
        *current = Some(Arc::clone(&controls));
        drop(current);
        Ok(Claim { session: self.clone(), controls })
    }
}

/// The right to be the session's program; given back by its drop.
struct Claim {
    session: PtySession,
    controls: Arc<Controls>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.session.current).take();
    }
}

/// What may be said to one program, from before it runs until it has ended.
struct Controls {
    input: Input,
    cancel: CancellationToken,
    target: Mutex<Target>,
}

/// Whom controls reach, and what was asked for before there was anyone.
struct Target {
    size: Size,
    signals: Vec<Signal>,
    program: Option<(Arc<Terminal>, Child)>,
}

impl Controls {
    fn size(&self) -> Size {
        lock(&self.target).size
    }

    fn resize(&self, size: Size) -> Result<(), PtyError> {
        let mut target = lock(&self.target);
        target.size = size;
        match &target.program {
            Some((terminal, _)) => terminal.resize(size),
            None => Ok(()),
        }
    }

    fn signal(&self, signal: Signal) {
        let mut target = lock(&self.target);
        match &target.program {
            Some((terminal, leader)) => send(terminal, leader, signal),
            None => target.signals.push(signal),
        }
    }

    /// The program runs: does what was asked for meanwhile.
    fn attach(&self, terminal: &Arc<Terminal>, leader: &Child) {
        let mut target = lock(&self.target);
        // It was opened with the size as of then; a terminal that cannot be sized stays as it is.
        terminal.resize(target.size).ok();
        for signal in std::mem::take(&mut target.signals) {
            send(terminal, leader, signal);
        }
        target.program = Some((Arc::clone(terminal), leader.clone()));
    }
}

/// Signals the foreground group. One that ended meanwhile needs no signal.
fn send(terminal: &Terminal, leader: &Child, signal: Signal) {
    if leader.exit_status().is_some() {
        return;
    }
    let sent = terminal
        .foreground_group()
        .is_some_and(|group| rustix::process::kill_process_group(group, signal).is_ok());
    if !sent {
        // A group that has ended and was not replaced yet.
        tree::signal(leader.identity(), signal.as_raw()).ok();
    }
}
