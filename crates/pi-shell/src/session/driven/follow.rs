//! Follows one command from its order to its end: reads what it writes, waits for its report, and stops it when it is
//! cancelled or its time is up.
//!
//! The end is bash's own report, never the end of the pipe: what foreground children wrote happened before it, and
//! background children may hold the pipe for ever.

use std::time::Duration;

use pi_process::budget::{DRAIN_LIMIT, SETTLE_LIMIT};
use pi_process::deadline::{Deadline, until};
use pi_process::stop::{self, StopPlan};
use pi_process::supervisor::{ChildExit, Supervisor};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::protocol::Ended;
use super::shell::{Heard, Running};
use crate::delivery::Delivery;
use crate::inline;
use crate::outcome::ExitOutcome;
use crate::session::filters;
use crate::session::output_pipe::OutputPipe;
use crate::session::tail::{Output as _, Tail};
use crate::session::unanswered::Waits;
use crate::source::{ReadOutcome, Source as _};

/// How often a silent shell is looked at: its supervisor may have been stopped, and then tells nothing.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// How a command ended.
pub(super) enum Ending {
    /// Bash reported.
    Reported(Ended),
    /// Its shell ended without a report: `exec`, a signal; `unread`: before it read the order.
    Died { exit: ChildExit, unread: bool },
    /// We stopped it. What could not be ended is a survivor. The shell may have reported all the same.
    Stopped { outcome: ExitOutcome, report: Option<Ended> },
    /// The shell could not begin with it.
    Refused { errno: i32 },
}

impl Ending {
    /// What the shell reported, where it did.
    pub(super) fn report(&self) -> Option<&Ended> {
        match self {
            Self::Reported(report) | Self::Stopped { report: Some(report), .. } => Some(report),
            Self::Stopped { report: None, .. } | Self::Died { .. } | Self::Refused { .. } => None,
        }
    }
}

/// One command and what is needed to follow it.
pub(super) struct Follow<'a> {
    pub(super) running: Running<'a>,
    /// Begun before the order was given.
    pub(super) output: &'a mut OutputPipe,
    /// By its text the command opens nothing.
    pub(super) opens_nothing: bool,
    pub(super) delivery: &'a mut Delivery,
    pub(super) supervisor: &'a Supervisor,
    /// Whom a stop is about, looked up when it comes to that.
    pub(super) plan: &'a (dyn Fn() -> StopPlan + Send + Sync),
    pub(super) deadline: Deadline,
    pub(super) cancel: &'a CancellationToken,
    pub(super) waits: &'a mut Waits,
}

enum Event {
    Cancelled,
    Deadline,
    Unanswered(ExitOutcome),
    Heard(Heard),
    Ended(ChildExit),
    Read(usize),
    Stopped,
    Look,
    Nothing,
    /// The bytes that were expected did not come.
    NothingMore,
}

impl Follow<'_> {
    /// Follows the command to its end and reads what was written until then.
    pub(super) async fn complete(mut self) -> Ending {
        let ending = self.until_end().await;
        let limit = match ending {
            Ending::Stopped { .. } => Some(Instant::now() + DRAIN_LIMIT),
            _ => self.deadline.and(DRAIN_LIMIT),
        };
        let Self { output, opens_nothing, delivery, plan, cancel, .. } = self;
        // Else the end of file has to show whether anything has the pipe yet.
        let is_left =
            matches!(&ending, Ending::Reported(report) if report.leaves_output(opens_nothing));
        if !is_left {
            output.release();
        }
        // A file may lie on a disk that does not answer.
        if delivery.has_file() && delivery.needs_file_for(output.waiting_bytes()) {
            inline::elsewhere().await;
        }
        let mut tail = Tail { output, delivery, cancel, limit };
        // Not asked for before the first read where that can be made at once.
        let known = (!tail.delivery.is_ready()).then(|| tail.output.waiting_bytes());
        tail.drain(known).await;
        // A plain builtin starts nothing; what was stopped leaves nothing.
        let (made_process, has_children) = match &ending {
            Ending::Reported(report) => (report.made_process, report.has_children),
            Ending::Died { .. } => (true, true),
            _ => (false, true),
        };
        // A filter may still pass on what the command wrote: the shell has children, or the pipe has a writer.
        if made_process && (has_children || !tail.delivery.is_ready() || tail.read_what_is_there())
        {
            // From here on, the system's list of processes is read.
            inline::elsewhere().await;
            tail.await_filters(|output| filters::look(&plan(), output)).await;
        }
        tail.delivery.end();
        tail.has_room().await;
        // The result comes at once after a plain command, and tells of its output too.
        if made_process || !matches!(ending, Ending::Reported(_)) {
            tail.delivery.flush();
        }
        ending
    }

    #[expect(clippy::too_many_lines, reason = "one loop, whose events are read together")]
    async fn until_end(&mut self) -> Ending {
        let mut report: Option<Ended> = None;
        let mut stopping: Option<ExitOutcome> = None;
        let mut exit = None;
        let mut dead_since: Option<Instant> = None;
        let child = self.running.target().child;
        let ended = child.exited();
        tokio::pin!(ended);
        let plan = self.plan;
        let ladder = async move { stop::stop(&plan()).await };
        tokio::pin!(ladder);
        let mut watch = tokio::time::interval_at(Instant::now() + WATCH_INTERVAL, WATCH_INTERVAL);
        // After the host was held up, one look is made, not all that were missed.
        watch.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        self.output.listen_soon(!self.delivery.wants_text());
        loop {
            // A pipe that is never empty would keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
            let event = {
                let reading = self.delivery.is_ready();
                let update = self.delivery.next_update().map(Instant::from_std);
                // A timer costs the runtime a turn of its own. Whoever reports at once needs none.
                let timed = stopping.is_none() && (self.output.is_listening() || !reading);
                tokio::select! {
                    biased;
                    () = self.cancel.cancelled(), if stopping.is_none() => Event::Cancelled,
                    () = self.deadline.come(), if timed && self.deadline.is_set() => Event::Deadline,
                    _ = &mut ladder, if stopping.is_some() => Event::Stopped,
                    heard = self.running.heard() => Event::Heard(heard),
                    outcome = self.waits.ending(), if stopping.is_none() => Event::Unanswered(outcome),
                    exit = &mut ended, if exit.is_none() => Event::Ended(exit),
                    () = self.delivery.drained(), if !reading => Event::Nothing,
                    read = self.output.read(), if reading => match read {
                        Ok(ReadOutcome::Data(length)) => Event::Read(length),
                        _ => Event::NothingMore,
                    },
                    () = until(update), if update.is_some() => {
                        self.delivery.update();
                        Event::Nothing
                    }
                    _ = watch.tick(), if timed => Event::Look,
                }
            };
            match event {
                Event::Nothing => {}
                Event::NothingMore => self.delivery.flush(),
                Event::Read(length) => {
                    // What it writes while it is being stopped answers nothing.
                    if stopping.is_none() {
                        self.waits.stir();
                    }
                    self.delivery.take(self.output, length);
                }
                Event::Unanswered(outcome) => {
                    self.delivery.stopping();
                    stopping = Some(outcome);
                }
                Event::Cancelled => {
                    self.delivery.stopping();
                    stopping = Some(ExitOutcome::Cancelled);
                }
                Event::Deadline => {
                    // It may have ended in time, where this thread was late.
                    if let Some(heard) = self.running.heard_now() {
                        return end_by(heard);
                    }
                    if !self.deadline.extend_if_late() {
                        self.delivery.stopping();
                        stopping = Some(ExitOutcome::TimedOut);
                    }
                }
                Event::Stopped => {
                    let outcome = stopping.unwrap_or(ExitOutcome::Cancelled);
                    return Ending::Stopped { outcome, report };
                }
                Event::Heard(heard) => match (end_by(heard), stopping) {
                    (end, None) => return end,
                    (Ending::Reported(ended), Some(_)) => report = Some(ended),
                    _ => {}
                },
                Event::Ended(how) => {
                    exit = Some(how);
                    let end = self.died(how);
                    if stopping.is_none() {
                        return end;
                    }
                    if let Ending::Reported(ended) = end {
                        report = Some(ended);
                    }
                }
                Event::Look => {
                    self.supervisor.wake();
                    self.waits.tick(|| self.output.file_id().ok(), plan);
                    if let Some(heard) = self.running.heard_now() {
                        return end_by(heard);
                    }
                    if !self.running.is_kept_dead() {
                        dead_since = None;
                    } else if dead_since.get_or_insert_with(Instant::now).elapsed() > SETTLE_LIMIT {
                        return self.died(ChildExit::Lost);
                    }
                }
            }
        }
    }

    /// The end of a command whose shell is dead.
    fn died(&mut self, exit: ChildExit) -> Ending {
        match self.running.last_words() {
            Ok(heard) => end_by(heard),
            Err(unread) => Ending::Died { exit, unread },
        }
    }
}

/// What the shell's answer means.
fn end_by(heard: Heard) -> Ending {
    match heard {
        Heard::Ended(ended) => Ending::Reported(ended),
        Heard::Refused(errno) => Ending::Refused { errno },
    }
}
