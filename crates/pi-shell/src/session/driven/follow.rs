//! Follows one command from its order to its end: reads what it writes, waits for its report, and stops it when it is
//! cancelled or its time is up.
//!
//! The end is bash's own report, never the end of the pipe: what foreground children wrote happened before it, and
//! background children may hold the pipe for ever.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::protocol::Ended;
use super::shell::{Heard, Running};
use crate::budget::{self, DRAIN_LIMIT, SETTLE_LIMIT};
use crate::delivery::Delivery;
use crate::inline;
use crate::session::filters::{self, Patience};
use crate::session::output_pipe::OutputPipe;
use crate::source::{ReadOutcome, Source as _};
use crate::stop::{self, StopPlan};
use crate::supervisor::{ChildExit, Supervisor};

/// How often a silent shell is looked at: its supervisor may have been stopped, and then tells nothing.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// Lateness of a deadline that shows that the host itself was stopped or starved.
const LATE_DEADLINE: Duration = Duration::from_millis(100);

/// Most time given to a command whose host was late, to tell that it had ended in time.
const LATE_EXTENSION: Duration = Duration::from_secs(1);

/// Why a command is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    TimedOut,
    Cancelled,
}

/// How a command ended.
pub(super) enum Ending {
    /// Bash reported.
    Reported(Ended),
    /// Its shell ended without a report: `exec`, a signal; `unread`: before it read the order.
    Died { exit: ChildExit, unread: bool },
    /// We stopped it. What could not be ended is a survivor. The shell may have reported all the same.
    Stopped { reason: StopReason, report: Option<Ended> },
    /// The shell could not begin with it.
    Refused { errno: i32 },
}

impl Ending {
    /// How long what it left alive may take to become what it is going to be.
    pub(super) fn patience(&self) -> Duration {
        match self {
            Self::Stopped { .. } => budget::STOPPED_SETTLE_LIMIT,
            _ => budget::SETTLE_LIMIT,
        }
    }
}

/// One command and what is needed to follow it.
pub(super) struct Follow<'a> {
    pub(super) running: Running<'a>,
    /// Begun before the order was given.
    pub(super) output: &'a mut OutputPipe,
    pub(super) delivery: &'a mut Delivery,
    pub(super) supervisor: &'a Supervisor,
    /// Whom a stop is about, looked up when it comes to that.
    pub(super) plan: &'a (dyn Fn() -> StopPlan + Send + Sync),
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: &'a CancellationToken,
}

enum Event {
    Cancelled,
    Deadline,
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
            _ => self.deadline.map(|deadline| deadline.max(Instant::now()) + DRAIN_LIMIT),
        };
        // Else the end of file has to show whether anything has the pipe yet.
        if !matches!(&ending, Ending::Reported(report) if report.leaves_output()) {
            self.output.release();
        }
        // A file may lie on a disk that does not answer.
        if self.delivery.has_file() && self.delivery.needs_file_for(self.output.waiting_bytes()) {
            inline::elsewhere().await;
        }
        self.drain(limit).await;
        // A plain builtin starts nothing; what was stopped leaves nothing.
        let made_process = match &ending {
            Ending::Reported(report) => report.made_process,
            Ending::Died { .. } => true,
            _ => false,
        };
        if made_process && self.may_have_filters(&ending) {
            // From here on, the system's list of processes is read.
            inline::elsewhere().await;
            self.await_filters(limit).await;
        }
        self.delivery.end();
        self.has_room(limit).await;
        // The result comes at once after a plain command, and tells of its output too.
        if made_process || !matches!(ending, Ending::Reported(_)) {
            self.delivery.flush();
        }
        ending
    }

    #[expect(clippy::too_many_lines, reason = "one loop, whose events are read together")]
    async fn until_end(&mut self) -> Ending {
        let mut report: Option<Ended> = None;
        let mut stopping: Option<StopReason> = None;
        let mut extended = false;
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
                    () = until(self.deadline), if timed && self.deadline.is_some() => Event::Deadline,
                    _ = &mut ladder, if stopping.is_some() => Event::Stopped,
                    heard = self.running.heard() => Event::Heard(heard),
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
                Event::Read(length) => self.delivery.take(self.output, length),
                Event::Cancelled => stopping = Some(StopReason::Cancelled),
                Event::Deadline => {
                    // It may have ended in time, where this thread was late.
                    if let Some(heard) = self.running.heard_now() {
                        return end_by(heard);
                    }
                    let is_extended = !extended && self.extend_late_deadline();
                    extended |= is_extended;
                    stopping = (!is_extended).then_some(StopReason::TimedOut);
                }
                Event::Stopped => {
                    let reason = stopping.unwrap_or(StopReason::Cancelled);
                    return Ending::Stopped { reason, report };
                }
                Event::Heard(heard) => match (end_by(heard), stopping) {
                    (end, None) => return end,
                    (Ending::Reported(told), Some(_)) => report = Some(told),
                    _ => {}
                },
                Event::Ended(how) => {
                    exit = Some(how);
                    let end = self.died(how);
                    if stopping.is_none() {
                        return end;
                    }
                    if let Ending::Reported(told) = end {
                        report = Some(told);
                    }
                }
                Event::Look => {
                    self.supervisor.wake();
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

    /// Gives a command whose host was late a moment to tell that it had ended in time (CC-11).
    fn extend_late_deadline(&mut self) -> bool {
        let late = self.deadline.map_or(Duration::ZERO, |deadline| deadline.elapsed());
        if late > LATE_DEADLINE {
            self.deadline = Some(Instant::now() + late.min(LATE_EXTENSION));
        }
        late > LATE_DEADLINE
    }

    /// Reads what was in the pipe when the command ended. Not more: a background child may write
    /// faster than we read.
    async fn drain(&mut self, limit: Option<Instant>) {
        // Not asked for before the first read: one that does not fill its buffer has it all.
        let mut rest = (!self.delivery.is_ready()).then(|| self.output.waiting_bytes());
        loop {
            tokio::task::coop::consume_budget().await;
            if !self.has_room(limit).await || rest == Some(0) {
                break;
            }
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    rest = Some(match rest {
                        None if length < self.output.buffer().len() => 0,
                        None => self.output.waiting_bytes(),
                        Some(rest) => rest.saturating_sub(length),
                    });
                    self.delivery.take_rest(self.output, length);
                }
                _ => rest = Some(0),
            }
        }
    }

    /// Whether a filter may still pass on what the command wrote: the shell has children, or the pipe has a writer.
    fn may_have_filters(&mut self, ending: &Ending) -> bool {
        let has_children = match ending {
            Ending::Reported(report) => report.has_children,
            _ => true,
        };
        has_children || !self.delivery.is_ready() || self.read_what_is_there()
    }

    /// Reads on while filters of the command still pass its output on.
    async fn await_filters(&mut self, limit: Option<Instant>) {
        if !self.has_room(limit).await || !self.read_what_is_there() {
            return;
        }
        let Ok(output) = self.output.file_id() else { return };
        let mut patience = Patience::new(limit);
        while patience.lasts() && !self.cancel.is_cancelled() {
            let sight = filters::look(&(self.plan)(), output);
            // What they wrote before that look is there by now.
            let is_held = self.read_what_is_there();
            if patience.is_over_with(sight, is_held) {
                return;
            }
            patience.pause().await;
            if !self.has_room(limit).await {
                return;
            }
        }
    }

    /// Takes what lies in the pipe now. Returns whether somebody can still write to it.
    fn read_what_is_there(&mut self) -> bool {
        let mut rest = self.output.waiting_bytes();
        loop {
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    self.delivery.take_rest(self.output, length);
                    rest = rest.saturating_sub(length);
                    if rest == 0 {
                        return true;
                    }
                }
                Ok(ReadOutcome::Closed) => return false,
                _ => return true,
            }
        }
    }

    /// Waits until the consumer took everything, at most until `limit`.
    async fn has_room(&mut self, limit: Option<Instant>) -> bool {
        tokio::select! {
            biased;
            () = self.delivery.drained() => true,
            () = until(limit), if limit.is_some() => false,
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

/// Waits until an instant; for ever where there is none.
async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
