//! Looks at a silent command for a program that waits for input that cannot come.
//!
//! What such a wait is, and when to look for one, is `pi_waiting`'s; what becomes of the command is its follower's.

use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

#[cfg(unix)]
use pi_process::stop::StopPlan;
#[cfg(unix)]
use pi_waiting::{Silence, Unanswered};
#[cfg(unix)]
use tokio::task::JoinHandle;

use super::tail::FileId;
use crate::outcome::{ExitOutcome, InputWanted};
use crate::request::OnInputWait;

/// How often it is asked whether a look is due, by followers that have no clock of their own.
pub(super) const TICK: Duration = Duration::from_millis(250);

/// Looks for one command.
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing can be looked at there"))]
pub(super) struct Waits {
    on_wait: OnInputWait,
    /// Where its output goes. None where processes cannot be asked whether they have it.
    output: Option<FileId>,
    /// Output came since the clock ticked last: to note when would cost each read a look at the clock.
    has_output: bool,
    /// Since the clock's first tick: a short command has none.
    #[cfg(unix)]
    silence: Option<Silence>,
    /// A look that goes on, and when it was begun.
    #[cfg(unix)]
    look: Option<(Instant, JoinHandle<Option<Unanswered>>)>,
    /// The wait that was seen last.
    seen: Option<InputWanted>,
}

impl Waits {
    /// Looks for a command whose output goes to `output`, and that becomes `on_wait`.
    pub(super) fn new(on_wait: OnInputWait) -> Self {
        Self {
            on_wait,
            output: None,
            has_output: false,
            #[cfg(unix)]
            silence: None,
            #[cfg(unix)]
            look: None,
            seen: None,
        }
    }

    /// Output came: nothing waits for a person.
    pub(super) fn stir(&mut self) {
        self.has_output = true;
        #[cfg(unix)]
        if self.look.is_some() {
            // What it sees is of before.
            self.look = None;
        }
    }

    /// The program that was seen to wait last, where no output came since.
    pub(super) fn into_seen(self) -> Option<InputWanted> {
        self.seen.filter(|_| !self.has_output)
    }

    /// The clock ticks: begins a look where one is due. `output` says where the output goes, `plan` who belongs to the command.
    #[cfg(unix)]
    pub(super) fn tick(
        &mut self,
        output: impl FnOnce() -> Option<FileId>,
        plan: impl FnOnce() -> StopPlan,
    ) {
        if !cfg!(target_os = "linux") {
            // Blocked calls are not shown.
            return;
        }
        let now = Instant::now();
        if std::mem::take(&mut self.has_output) || self.silence.is_none() {
            self.seen = None;
            self.silence = Some(Silence::new(now));
            self.output = self.output.or_else(output);
            return;
        }
        let is_due = self.silence.as_ref().is_some_and(|silence| silence.due() <= now);
        let Some(output) = self.output.filter(|_| is_due && self.look.is_none()) else { return };
        let plan = plan();
        // Each process is looked at in `/proc`, of which there may be many.
        let look = tokio::task::spawn_blocking(move || {
            let targets = plan.targets();
            let below = targets.iter().map(|entry| entry.identity.pid);
            let pids: Vec<i32> = below.chain([plan.shell.identity().pid]).collect();
            pi_waiting::unanswered(&pids, output)
        });
        self.look = Some((now, look));
    }

    /// Ends when a look has seen a wait that the command is to be ended for. Cancel-safe.
    #[cfg(unix)]
    pub(super) async fn ending(&mut self) -> ExitOutcome {
        loop {
            let Some((began, look)) = &mut self.look else { return std::future::pending().await };
            let (began, seen) = (*began, look.await);
            self.look = None;
            // A look that panicked saw nothing.
            let wait = seen.unwrap_or_default();
            let held = self.silence.as_mut().and_then(|silence| silence.seen(wait, began));
            self.seen = held.map(|Unanswered { program, .. }| InputWanted {
                pid: program.pid,
                program: program.name,
            });
            if self.seen.is_some() && self.on_wait == OnInputWait::End {
                return ExitOutcome::Unanswered;
            }
        }
    }
}

#[cfg(not(unix))]
impl Waits {
    /// Never: nothing can be looked at.
    pub(super) async fn ending(&mut self) -> ExitOutcome {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_was_seen_is_over_when_output_comes() {
        let wanted = InputWanted { pid: 1, program: "vim".to_owned() };
        let waits = || Waits { seen: Some(wanted.clone()), ..Waits::new(OnInputWait::Note) };
        let mut stirred = waits();
        stirred.stir();

        assert_eq!(waits().into_seen(), Some(wanted.clone()));
        assert_eq!(stirred.into_seen(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_clock_begins_with_its_first_tick_and_nothing_is_looked_at_before_it_is_due() {
        let never = || -> StopPlan { panic!("it is looked at") };
        let mut waits = Waits::new(OnInputWait::End);
        waits.tick(|| Some((1, 2)), never);
        assert!(waits.silence.is_some() && waits.output == Some((1, 2)));

        waits.silence = Some(Silence::new(Instant::now() + Duration::from_secs(3_600)));
        waits.tick(|| None, never);
        assert!(waits.look.is_none());
    }
}
