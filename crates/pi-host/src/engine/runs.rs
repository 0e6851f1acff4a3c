//! Commands: in a session, in the order in which they came, or in a bash of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pi_shell::mask::Mask;
use pi_shell::{Observer, RunResult, Shell, ShellError, SinkUpdate, callback_patience};
use tokio_util::sync::CancellationToken;

use super::channels::{Channel, Refused};
use super::tasks::Contained;
use super::{Engine, Loss};
use crate::link::Link;
use crate::message::{Failure, OneShot, Run, RunOutcome, Update, json, mask_of};
use crate::outgoing::{DEFAULT_WINDOW, End, StreamOptions};
use crate::wire::{Kind, MAX_PAYLOAD, frame};

/// Most bytes of an update's tail in JSON: it is for a screen, and many of them cross a link while a flood lasts.
const MAX_TAIL_JSON: usize = 8 * 1024;

/// Room in a payload for what stands around an outcome.
const AROUND_OUTCOME: usize = 256;

/// A session.
pub(super) struct Session {
    pub(super) shell: Shell,
    mask: Option<Mask>,
    /// The name of the newest hand-over, where it had one.
    handed_over: Option<String>,
}

impl Session {
    pub(super) fn new(shell: Shell, mask: Option<Mask>) -> Self {
        Self { shell, mask, handed_over: None }
    }
}

/// A run as its core sees its consumer.
struct Voice {
    engine: Engine,
    channel: u32,
    wants_chunks: bool,
    wants_updates: bool,
    is_started: AtomicBool,
}

impl Observer for Voice {
    fn started(&self) {
        if !self.is_started.swap(true, Ordering::Relaxed) {
            let started = frame(Kind::Started, self.channel, b"{}");
            self.engine.outgoing().put_patient(&started);
        }
    }

    fn stopping(&self) {
        self.engine.outgoing().free(self.channel);
    }

    fn wants_chunks(&self) -> bool {
        self.wants_chunks
    }

    fn chunk(&self, text: &str) {
        self.engine.outgoing().push(self.channel, text.as_bytes());
    }

    fn flush(&self) {
        self.engine.outgoing().flush(self.channel);
    }

    fn room(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.engine.outgoing().room(self.channel))
    }

    fn wants_updates(&self) -> bool {
        self.wants_updates
    }

    fn update(&self, update: SinkUpdate) {
        let payload = json(&Update::new(&update, MAX_TAIL_JSON));
        self.engine.outgoing().update(self.channel, frame(Kind::Update, self.channel, &payload));
    }
}

/// A run's duty to have an end, whatever becomes of its task.
struct Ending {
    engine: Engine,
    channel: u32,
    timeout: Option<Duration>,
    is_due: bool,
}

impl Ending {
    fn new(engine: Engine, channel: u32, timeout: Option<Duration>) -> Self {
        Self { engine, channel, timeout, is_due: true }
    }

    fn end(mut self, result: Result<RunResult, ShellError>) {
        self.is_due = false;
        match result {
            Ok(result) => {
                let wall_time = result.wall_time;
                let outcome = RunOutcome::from(result);
                let was_stopped = outcome.is_stopped();
                let mut members = b"\"ok\":".to_vec();
                members.extend(outcome.into_json(MAX_PAYLOAD - AROUND_OUTCOME));
                if was_stopped && let Some(over) = self.engine.over() {
                    members.extend_from_slice(b",\"endedBy\":\"");
                    members.extend_from_slice(over.reason.as_bytes());
                    members.push(b'"');
                }
                let patience = callback_patience(was_stopped, wall_time, self.timeout);
                self.engine.end_run(self.channel, members, patience);
            }
            Err(error) => self.engine.fail_run(self.channel, &error.into()),
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if self.is_due {
            let failure = Failure::internal("a run was dropped before it ended");
            self.engine.fail_run(self.channel, &failure);
        }
    }
}

/// Begins a run on the thread of its link, which has others to poll: a panic of this one ends it (`Ending`) and nothing else.
fn begin(link: &Link, run: impl Future<Output = ()> + Send + 'static) {
    let run = Contained::new(run);
    link.begin_run(async move {
        run.await;
    });
}

impl Engine {
    /// A command is to run.
    pub(super) fn take_run(&self, link: &Link, channel: u32, payload: &[u8]) -> Result<(), Loss> {
        let cancel = CancellationToken::new();
        let run: Result<Run, _> = serde_json::from_slice(payload);
        let session = run.as_ref().ok().and_then(|run| run.session);
        let added = if self.outgoing().is_open(channel) {
            Err(Refused::InUse)
        } else {
            let channel_of_run = Channel::Run { cancel: cancel.clone(), session };
            self.inner.channels.add(channel, channel_of_run)
        };
        let is_too_many = match added {
            Ok(()) => false,
            Err(Refused::TooMany) => true,
            Err(Refused::InUse) => {
                return Err(Loss::Protocol(format!("channel {channel} is in use")));
            }
        };
        let options = run.as_ref().map_or_else(
            |_| StreamOptions::default(),
            |run| StreamOptions {
                id: run.id.clone(),
                window: Some(run.window.unwrap_or(DEFAULT_WINDOW)),
                is_data: false,
            },
        );
        self.outgoing().open(channel, options);
        let begun = match run {
            _ if is_too_many => {
                Err(Failure::new("PI_HOST_BUSY", "too many operations at a time; try again later"))
            }
            Err(error) => Err(Failure::invalid(format!("the Run frame cannot be read: {error}"))),
            Ok(run) => self.begin_run(link, channel, run, cancel),
        };
        if let Err(failure) = begun {
            self.fail_run(channel, &failure);
        }
        Ok(())
    }

    fn begin_run(
        &self,
        link: &Link,
        channel: u32,
        run: Run,
        cancel: CancellationToken,
    ) -> Result<(), Failure> {
        if self.over().is_some() {
            return Err(Failure::from(ShellError::Closed));
        }
        let Run { session, one_shot, request, .. } = run;
        let timeout = request.timeout();
        let voice = Arc::new(Voice {
            engine: self.clone(),
            channel,
            wants_chunks: request.wants_chunks,
            wants_updates: request.wants_updates,
            is_started: AtomicBool::new(false),
        });
        let spill_path = |name: &str| self.place().spill_path(name);
        // Begun in the order of the frames: its first poll is where it takes its place in the session's queue.
        match (session, one_shot) {
            (Some(number), None) => {
                let (shell, mask) = self.session(number)?;
                let options = request.into_options(mask, spill_path)?;
                let ending = Ending::new(self.clone(), channel, timeout);
                begin(link, async move {
                    ending.end(shell.run_to_end(options, voice, cancel).await);
                });
                Ok(())
            }
            (None, Some(one_shot)) => {
                let OneShot { options, mask } = *one_shot;
                let shell = options.into_options(&self.place().supervisor()?)?;
                let options = request.into_options(mask_of(mask)?, spill_path)?;
                let ending = Ending::new(self.clone(), channel, timeout);
                begin(link, async move {
                    ending.end(pi_shell::execute_shell(shell, options, voice, cancel).await);
                });
                Ok(())
            }
            _ => Err(Failure::invalid("a Run frame has one of `session` and `oneShot`")),
        }
    }

    /// Has the command of a session go on beside it. One that is asked for again by its name, because its answer was lost
    /// with a link, gives the first one's: by then another command may run.
    pub(super) async fn hand_over(
        &self,
        session: u32,
        id: Option<String>,
    ) -> Result<bool, Failure> {
        let (shell, known) = {
            let sessions = self.sessions();
            let found = sessions.get(&session).ok_or_else(|| Failure::unknown_session(session))?;
            (found.shell.clone(), found.handed_over.clone())
        };
        if id.is_some() && known == id {
            return Ok(true);
        }
        let done = shell.hand_over().await;
        if done && let Some(session) = self.sessions().get_mut(&session) {
            session.handed_over = id;
        }
        Ok(done)
    }

    fn session(&self, number: u32) -> Result<(Shell, Option<Mask>), Failure> {
        let sessions = self.sessions();
        let found = sessions.get(&number).map(|one| (one.shell.clone(), one.mask.clone()));
        found.ok_or_else(|| Failure::unknown_session(number))
    }

    /// Has a run or a terminal ended.
    pub(super) fn cancel(&self, channel: u32) {
        match self.inner.channels.get(channel) {
            Some(Channel::Run { cancel, .. }) => {
                self.outgoing().free(channel);
                cancel.cancel();
            }
            Some(Channel::Terminal(terminal)) => {
                self.outgoing().free(channel);
                terminal.cancel();
            }
            Some(Channel::Pipe(_, pipe)) => {
                self.outgoing().free(channel);
                pipe.close();
            }
            // It has ended meanwhile.
            Some(Channel::Put(..) | Channel::Request(_)) | None => {}
        }
    }

    /// A run has ended; `members` are those of its `End`. Near has `patience` to take the rest of its text.
    fn end_run(&self, channel: u32, members: Vec<u8>, patience: Duration) {
        self.inner.channels.finish(channel, || {
            self.outgoing().end(channel, End { kind: Kind::End, members });
        });
        self.free_later(channel, patience);
    }

    /// Sends the rest of a text past its window where near does not take it in time.
    pub(super) fn free_later(&self, channel: u32, patience: Duration) {
        // For most there is nothing to wait for.
        let Some(serial) = self.outgoing().held(channel) else { return };
        let engine = self.clone();
        self.spawn(async move {
            tokio::time::sleep(patience).await;
            engine.outgoing().free_held(channel, serial);
        });
    }

    fn fail_run(&self, channel: u32, failure: &Failure) {
        let mut members = b"\"error\":".to_vec();
        members.extend(json(failure));
        self.end_run(channel, members, Duration::ZERO);
    }
}
