//! Follows one command to the end of its bash: reads what it writes, and stops it when it is
//! cancelled or its time is up.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::platform::{Output, Patience, Place, Process};
use crate::budget::DRAIN_LIMIT;
use crate::delivery::Delivery;
use crate::outcome::ExitOutcome;
use crate::source::{ReadOutcome, Source as _};

/// Why a command is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    TimedOut,
    Cancelled,
}

/// How a command ended.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    /// Its bash did.
    Ended(ExitOutcome),
    /// We stopped it.
    Stopped(StopReason),
}

enum Event {
    Ended(ExitOutcome),
    Stop(StopReason),
    Stopped,
    Read(ReadOutcome),
    Nothing,
}

/// One command and what is needed to follow it.
pub(super) struct Follow<'a> {
    pub(super) process: &'a Process,
    pub(super) place: &'a Place,
    pub(super) output: &'a mut Output,
    pub(super) delivery: &'a mut Delivery,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: &'a CancellationToken,
}

impl Follow<'_> {
    /// Follows the command to its end and reads what was written until then.
    pub(super) async fn complete(mut self) -> Ending {
        let ending = self.until_end().await;
        let limit = match ending {
            Ending::Stopped(_) => Some(Instant::now() + DRAIN_LIMIT),
            Ending::Ended(_) => self.deadline.map(|one| one.max(Instant::now()) + DRAIN_LIMIT),
        };
        self.drain(limit).await;
        // What was stopped leaves nothing that passes its output on.
        if matches!(ending, Ending::Ended(_)) {
            self.await_filters(limit).await;
        }
        self.delivery.end();
        self.delivery.flush();
        self.has_room(limit).await;
        ending
    }

    async fn until_end(&mut self) -> Ending {
        let mut stopping: Option<StopReason> = None;
        let mut is_open = true;
        let (process, place) = (self.process, self.place);
        let ladder = async move { process.stop(place).await };
        tokio::pin!(ladder);
        loop {
            // A pipe that is never empty would keep the thread from everything else.
            tokio::task::coop::consume_budget().await;
            let reading = self.delivery.is_ready();
            let update = self.delivery.next_update().map(Instant::from_std);
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if stopping.is_none() => Event::Stop(StopReason::Cancelled),
                // Before the deadline: a host that was held up finds both, and the command had ended in time.
                outcome = process.ended(), if stopping.is_none() => Event::Ended(outcome),
                () = until(self.deadline), if stopping.is_none() => Event::Stop(StopReason::TimedOut),
                () = &mut ladder, if stopping.is_some() => Event::Stopped,
                () = self.delivery.drained(), if !reading => Event::Nothing,
                read = self.output.read_to_end(), if reading && is_open => {
                    Event::Read(read.unwrap_or(ReadOutcome::Closed))
                }
                () = until(update), if update.is_some() => Event::Nothing,
            };
            match event {
                Event::Ended(outcome) => return Ending::Ended(outcome),
                Event::Stop(reason) => stopping = Some(reason),
                Event::Stopped => {
                    return Ending::Stopped(stopping.unwrap_or(StopReason::Cancelled));
                }
                Event::Read(ReadOutcome::Data(length)) => {
                    self.delivery.take(self.output, length);
                }
                Event::Read(ReadOutcome::Closed) => is_open = false,
                Event::Read(ReadOutcome::Empty) | Event::Nothing => self.delivery.update(),
            }
        }
    }

    /// Reads what was in the pipe when the command ended. Not more: a background child may write
    /// faster than we read.
    async fn drain(&mut self, limit: Option<Instant>) {
        let mut rest = self.output.waiting_bytes();
        loop {
            tokio::task::coop::consume_budget().await;
            if !self.has_room(limit).await || rest == 0 {
                break;
            }
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    rest = rest.saturating_sub(length);
                    self.delivery.take(self.output, length);
                }
                _ => rest = 0,
            }
        }
    }

    /// Reads on while filters of the command still pass its output on.
    async fn await_filters(&mut self, limit: Option<Instant>) {
        if !self.has_room(limit).await || !self.read_what_is_there() {
            return;
        }
        let Ok(output) = self.output.file_id() else { return };
        let mut patience = Patience::new(limit);
        while patience.lasts() && !self.cancel.is_cancelled() {
            let sight = self.process.sight(self.place, output);
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

    /// Takes what lies in the pipe now. Returns whether it still has a writer.
    fn read_what_is_there(&mut self) -> bool {
        let mut rest = self.output.waiting_bytes();
        loop {
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    self.delivery.take(self.output, length);
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
            () = self.delivery.drained() => true,
            () = until(limit) => false,
        }
    }
}

/// Waits until an instant; for ever where there is none.
async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending::<()>().await,
    }
}
