//! What a shell's death by a fault (SIGSEGV and its like) says of its bash and the driver.
//!
//! A fault of the driver and a command that kills its own shell (`kill -SEGV $$`, a function that calls itself for ever, a
//! child with a grudge) look the same from outside: the kernel reports a signal, not its sender. So a death counts against
//! the pair by itself only where no command can have sent the signal: the shell ran none of its text, no trap is set, and the session
//! never had a process beside it. Every other one only raises a doubt, and a trial at length decides (`fit`).

use std::sync::atomic::{AtomicBool, Ordering};

use pi_process::supervisor::{Child, ChildExit};
use pi_process::sys::signals;

use super::fit::{self, Pair};

/// Which bash and driver a session's shells are, and what could have killed one.
pub(super) struct Faults {
    pair: Option<Pair>,
    /// Something ran beside the session's shell once: a process that outlived its command, a copy, or a command
    /// that was handed over.
    had_company: AtomicBool,
}

impl Faults {
    pub(super) fn of(pair: Option<Pair>) -> Self {
        Self { pair, had_company: AtomicBool::new(false) }
    }

    /// Something runs beside the session's shell.
    pub(super) fn note_company(&self) {
        self.had_company.store(true, Ordering::Relaxed);
    }

    /// Notes how a shell ended, where it did. `is_alone`: it ran nothing of a command, and no trap is set.
    pub(super) fn note_end(&self, shell: &Child, is_alone: bool) {
        if let Some(pair) = &self.pair
            && let Some(signal) = shell.exit_status().and_then(fault_in)
        {
            fit::note_fault(pair, signal, is_alone && !self.had_company.load(Ordering::Relaxed));
        }
    }
}

/// The signal of the fault that a shell died by, where it was one.
pub(super) fn fault_in(exit: ChildExit) -> Option<i32> {
    match exit {
        ChildExit::Signaled(signal) if signals::FAULTS.contains(&signal) => Some(signal),
        _ => None,
    }
}
