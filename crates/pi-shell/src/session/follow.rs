//! Follows one command from its order to its end: reads what it writes, waits for its report,
//! and stops it when it is cancelled or its time is up.
//!
//! The end is bash's own report, never the end of the pipe: what foreground children wrote
//! happened before it, and background children may hold the pipe for ever.

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[cfg(target_os = "linux")]
use super::driven;
use super::filters::{self, Patience};
use super::frames::FrameBody;
use super::noise::LastWords;
use super::output_pipe::OutputPipe;
use super::runner::{self, Heard, Runner};
use super::standby::Births;
use crate::delivery::Delivery;
use crate::inline;
use crate::job::DRAIN_LIMIT;
use crate::source::{ReadOutcome, Source as _};
use crate::stop::{self, StopPlan};
use crate::supervisor::{ChildExit, Supervisor};

/// How often a silent shell is looked at. It finds a driver that a command destroyed (`set -n`,
/// `extdebug` with a failing DEBUG trap, functions named like its builtins).
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// Looks in a row that find bash asleep between commands until it is taken for lost.
const LOST_AFTER_LOOKS: u32 = 2;

/// The same while the order lies unread: bash waits for the fork of a standby, which takes long
/// on a starved machine and for ever under `ulimit -u`.
const STUCK_AFTER_LOOKS: u32 = 6;

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
    Reported(Report),
    /// Its shell ended without a report: `exit`, `exec`, a signal; `unread`: before it read the
    /// order.
    Died { exit: ChildExit, unread: bool },
    /// We stopped it. What could not be ended is a survivor. The shell may have reported all the same.
    Stopped { reason: StopReason, report: Option<Report> },
    /// The shell stands outside of the command and does not report; `unread`: nor did it read
    /// the order.
    Lost { unread: bool },
    /// The shell could not begin with it.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the driver refuses"))]
    Refused { errno: i32 },
}

/// What bash tells of a command that has ended.
#[expect(clippy::struct_excessive_bools, reason = "facts, each by itself")]
pub(super) struct Report {
    pub(super) status: i32,
    pub(super) cwd_failed: bool,
    /// An error took bash out of the order, so what stands behind the command was not done.
    pub(super) unwound: bool,
    pub(super) flags: String,
    pub(super) cwd: PathBuf,
    /// The EXIT trap that is set.
    pub(super) trap: Option<String>,
    /// The command may have started something.
    pub(super) made_process: bool,
    /// The shell may have children, of this command or of earlier ones.
    pub(super) has_children: bool,
    /// A trap runs beside commands that change nothing by themselves.
    pub(super) has_traps: bool,
    /// The command changed nothing that a session keeps.
    pub(super) kept_state: bool,
}

impl Report {
    /// Nothing can have the command's output any more: it started nothing, and the shell has opened nothing.
    pub(super) fn leaves_output(&self) -> bool {
        !self.made_process && self.kept_state && !self.has_traps
    }
}

/// One command and what is needed to follow it.
pub(super) struct Follow<'a, 'b> {
    pub(super) runner: Runner<'a>,
    /// Begun before the order was given.
    pub(super) output: &'a mut OutputPipe,
    pub(super) delivery: &'a mut Delivery,
    pub(super) births: Option<&'a mut Births>,
    pub(super) supervisor: &'a Supervisor,
    pub(super) token: &'a str,
    /// The report comes in two frames, the second with the EXIT trap; and if the shell ends, what it
    /// writes after the command is the command's.
    pub(super) last_words: Option<&'a mut LastWords<'b>>,
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

impl Follow<'_, '_> {
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
        if self.last_words.is_some() || made_process || !matches!(ending, Ending::Reported(_)) {
            self.delivery.flush();
        }
        ending
    }

    async fn until_end(&mut self) -> Ending {
        let mut report: Option<Report> = None;
        let mut stopping: Option<StopReason> = None;
        let mut extended = false;
        let mut looks = 0;
        let mut exit = None;
        let ended = runner::ended(self.runner.target());
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
            // Who takes them holds the shell back.
            let has_words = self.has_last_words();
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
                    heard = self.runner.heard(), if !has_words => Event::Heard(heard),
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
                    _ = watch.tick(), if timed && !has_words => Event::Look,
                }
            };
            match event {
                Event::Nothing => {}
                Event::NothingMore => self.delivery.flush(),
                Event::Read(length) => self.take(length),
                Event::Cancelled => stopping = Some(StopReason::Cancelled),
                Event::Deadline if !extended && self.extend_late_deadline() => extended = true,
                Event::Deadline => stopping = Some(StopReason::TimedOut),
                Event::Stopped => {
                    let reason = stopping.unwrap_or(StopReason::Cancelled);
                    return Ending::Stopped { reason, report };
                }
                Event::Heard(heard) => match (self.note(heard, &mut report).await, stopping) {
                    (Some(end), None) => return end,
                    (Some(Ending::Reported(told)), Some(_)) => report = Some(told),
                    _ => {}
                },
                Event::Ended(how) => {
                    exit = Some(how);
                    let heard = self.runner.heard_now();
                    let end = self.note(heard, &mut report).await;
                    if stopping.is_none() {
                        let unread = self.runner.has_unread_order();
                        let died = Ending::Died { exit: how, unread };
                        return end.or_else(|| finish(&mut report, None)).unwrap_or(died);
                    }
                }
                Event::Look => {
                    self.supervisor.wake();
                    let heard = self.runner.heard_now();
                    if let Some(end) = self.note(heard, &mut report).await {
                        return end;
                    }
                    if let Some(lost) = self.look(&mut looks) {
                        return lost;
                    }
                }
            }
        }
    }

    /// Delivers what the shell writes on its way out, where it is more than can be kept until it has
    /// ended: after what it wrote before, and as the consumer takes it. Says whether some is left.
    fn has_last_words(&mut self) -> bool {
        let Some(words) = &mut self.last_words else { return false };
        if !words.are_due(self.runner.noise_bytes()) {
            return false;
        }
        let is_time = words.are_next(self.output.waiting_bytes()) && self.delivery.is_ready();
        if is_time {
            self.delivery.push(&words.take(self.runner.take_noise()));
        }
        !is_time
    }

    fn take(&mut self, length: usize) {
        if let Some(words) = &mut self.last_words {
            words.note_read(length);
        }
        self.delivery.take(self.output, length);
    }

    /// Looks at a silent shell; `looks` in a row found it outside of the command.
    fn look(&mut self, looks: &mut u32) -> Option<Ending> {
        *looks = if self.runner.is_between_commands() { *looks + 1 } else { 0 };
        let unread = self.runner.has_unread_order();
        let limit = if unread { STUCK_AFTER_LOOKS } else { LOST_AFTER_LOOKS };
        (*looks >= limit).then_some(Ending::Lost { unread })
    }

    /// Gives a command whose host was late a moment to tell that it had ended in time (CC-11).
    fn extend_late_deadline(&mut self) -> bool {
        let late = self.deadline.map_or(Duration::ZERO, |deadline| deadline.elapsed());
        if late > LATE_DEADLINE {
            self.deadline = Some(Instant::now() + late.min(LATE_EXTENSION));
        }
        late > LATE_DEADLINE
    }

    /// Takes answers in; returns the end where they complete the report.
    async fn note(&mut self, heard: Heard, report: &mut Option<Report>) -> Option<Ending> {
        let mut end = None;
        let frames = match heard {
            Heard::Frames(frames) => frames,
            #[cfg(target_os = "linux")]
            Heard::Answer(answer) => return Some(end_by(answer)),
        };
        // A plain builtin starts nothing, and its report has no second frame.
        let made_process = self.last_words.is_some() || self.births.is_none();
        for frame in frames {
            if frame.token != self.token {
                if let Some(births) = &mut self.births {
                    births.note(frame).await;
                }
                continue;
            }
            match frame.body {
                FrameBody::Status { status, cwd_failed, unwound, flags, cwd } => {
                    *report = Some(Report {
                        status,
                        cwd_failed,
                        unwound,
                        flags,
                        cwd,
                        trap: None,
                        made_process,
                        has_children: made_process,
                        has_traps: false,
                        kept_state: false,
                    });
                    if self.last_words.is_none() {
                        end = finish(report, None);
                    }
                }
                FrameBody::Trap { text } => end = finish(report, Some(text)),
                _ => {}
            }
        }
        end
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

    /// Whether somebody may still write what the command wrote: the shell has children, or somebody holds the pipe.
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

fn finish(report: &mut Option<Report>, trap: Option<String>) -> Option<Ending> {
    report.take().map(|report| Ending::Reported(Report { trap, ..report }))
}

/// What the driver's answer means.
#[cfg(target_os = "linux")]
fn end_by(answer: driven::Heard) -> Ending {
    match answer {
        driven::Heard::Ended(ended) => Ending::Reported(Report {
            status: ended.status,
            cwd_failed: false,
            unwound: false,
            flags: ended.options,
            cwd: ended.cwd,
            trap: None,
            made_process: ended.made_process,
            has_children: ended.has_children,
            has_traps: ended.has_traps,
            kept_state: ended.kept_state,
        }),
        driven::Heard::Refused(errno) => Ending::Refused { errno },
    }
}

/// Waits until an instant; for ever where there is none.
async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
