//! Follows one command to the end of its bash: reads what it writes, and stops it when it is
//! cancelled or its time is up.

use pi_process::budget::DRAIN_LIMIT;
use pi_process::deadline::{Deadline, until};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::platform::{CommandPipe, Place, Process};
use crate::delivery::Delivery;
use crate::outcome::ExitOutcome;
use crate::session::tail::{Output as _, Tail};
use crate::session::unanswered::{TICK, Waits};
use crate::source::{ReadOutcome, Source as _};

enum Event {
    Ended(ExitOutcome),
    Stop(ExitOutcome),
    Stopped,
    Read(ReadOutcome),
    Tick,
    Nothing,
}

/// One command and what is needed to follow it.
pub(super) struct Follow<'a> {
    pub(super) process: &'a Process,
    pub(super) place: &'a Place,
    pub(super) output: &'a mut CommandPipe,
    pub(super) delivery: &'a mut Delivery,
    pub(super) deadline: Deadline,
    pub(super) cancel: &'a CancellationToken,
    pub(super) waits: &'a mut Waits,
}

impl Follow<'_> {
    /// Follows the command to its end and reads what was written until then. Returns how it ended.
    pub(super) async fn complete(mut self) -> ExitOutcome {
        let outcome = self.until_end().await;
        let limit = if outcome.is_stop() {
            Some(Instant::now() + DRAIN_LIMIT)
        } else {
            self.deadline.and(DRAIN_LIMIT)
        };
        let Self { process, place, output, delivery, cancel, .. } = self;
        let mut tail = Tail { output, delivery, cancel, limit };
        tail.drain(Some(tail.output.waiting_bytes())).await;
        // What was stopped leaves nothing that passes its output on.
        if !outcome.is_stop() {
            tail.await_filters(|output| process.sight(place, output)).await;
        }
        tail.delivery.end();
        tail.delivery.flush();
        tail.has_room().await;
        outcome
    }

    async fn until_end(&mut self) -> ExitOutcome {
        let mut stopping: Option<ExitOutcome> = None;
        let mut is_open = true;
        let (process, place) = (self.process, self.place);
        let ladder = async move { process.stop(place).await };
        tokio::pin!(ladder);
        let mut clock = tokio::time::interval_at(Instant::now() + TICK, TICK);
        // After the host was held up, one look is made, not all that were missed.
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            // A pipe that is never empty would keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
            let reading = self.delivery.is_ready();
            let update = self.delivery.next_update().map(Instant::from_std);
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if stopping.is_none() => Event::Stop(ExitOutcome::Cancelled),
                // Before the deadline: a host that was held up finds both, and the command had ended in time.
                outcome = process.ended(), if stopping.is_none() => Event::Ended(outcome),
                () = self.deadline.come(), if stopping.is_none() => Event::Stop(ExitOutcome::TimedOut),
                outcome = self.waits.ending(), if stopping.is_none() => Event::Stop(outcome),
                () = &mut ladder, if stopping.is_some() => Event::Stopped,
                () = self.delivery.drained(), if !reading => Event::Nothing,
                read = self.output.read_to_end(), if reading && is_open => {
                    Event::Read(read.unwrap_or(ReadOutcome::Closed))
                }
                () = until(update), if update.is_some() => Event::Nothing,
                _ = clock.tick(), if stopping.is_none() => Event::Tick,
            };
            match event {
                Event::Ended(outcome) => return outcome,
                Event::Stop(outcome) => {
                    self.delivery.stopping();
                    stopping = Some(outcome);
                }
                Event::Stopped => return stopping.unwrap_or(ExitOutcome::Cancelled),
                Event::Read(ReadOutcome::Data(length)) => {
                    // What it writes while it is being stopped answers nothing.
                    if stopping.is_none() {
                        self.waits.stir();
                    }
                    self.delivery.take(self.output, length);
                }
                Event::Read(ReadOutcome::Closed) => is_open = false,
                Event::Tick => self.process.look(self.place, self.output, self.waits),
                Event::Read(ReadOutcome::Empty) | Event::Nothing => self.delivery.update(),
            }
        }
    }
}
