//! Commands: in a session, in the order in which they came, or in a bash of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pi_shell::mask::Mask;
use pi_shell::{Observer, RunOptions, RunResult, Shell, ShellError, SinkUpdate, callback_patience};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::channels::{Channel, Refused};
use super::{Engine, Loss};
use crate::message::{Failure, OneShot, Run, RunOutcome, Update, json, mask_of};
use crate::outgoing::{DEFAULT_WINDOW, End, StreamOptions};
use crate::wire::{Kind, MAX_PAYLOAD, frame};

/// Most bytes of an update's tail in JSON: it is for a screen, and has to fit one frame.
const MAX_TAIL_JSON: usize = 512 * 1024;

/// Room in a payload for what stands around an outcome.
const AROUND_OUTCOME: usize = 256;

/// A session and the way to its runs.
pub(super) struct Session {
    pub(super) shell: Shell,
    mask: Option<Mask>,
    /// Runs in the order in which they came.
    waiting: mpsc::UnboundedSender<Start>,
}

/// A run of a session that is to begin.
struct Start {
    channel: u32,
    options: RunOptions,
    voice: Arc<Voice>,
    cancel: CancellationToken,
    timeout: Option<Duration>,
}

impl Session {
    pub(super) fn new(engine: &Engine, shell: Shell, mask: Option<Mask>) -> Self {
        let (waiting, mut starts) = mpsc::unbounded_channel::<Start>();
        let (engine, own) = (engine.clone(), shell.clone());
        // Ends with the session: the last sender goes with it.
        let handle = engine.inner.handle.clone();
        handle.spawn(async move {
            while let Some(start) = starts.recv().await {
                let running = running(engine.clone(), own.clone(), start);
                let mut running = Box::pin(running);
                // Polled once in the order of the calls: that is where it takes its place in the session's queue.
                let first = std::future::poll_fn(|context| {
                    std::task::Poll::Ready(running.as_mut().poll(context))
                });
                if first.await.is_pending() {
                    tokio::spawn(running);
                }
            }
        });
        Self { shell, mask, waiting }
    }

    /// Ends everything of it.
    pub(super) async fn close(self) {
        let Self { shell, waiting, .. } = self;
        drop(waiting);
        shell.close().await;
    }
}

async fn running(engine: Engine, shell: Shell, start: Start) {
    let Start { channel, options, voice, cancel, timeout } = start;
    let ending = Ending::new(engine, channel, timeout);
    ending.end(shell.run_to_end(options, voice, cancel).await);
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

impl Engine {
    /// A command is to run.
    pub(super) fn take_run(&self, channel: u32, payload: &[u8]) -> Result<(), Loss> {
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
                id: Some(run.id.clone()),
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
            Ok(run) => self.begin_run(channel, run, cancel),
        };
        if let Err(failure) = begun {
            self.fail_run(channel, &failure);
        }
        Ok(())
    }

    fn begin_run(&self, channel: u32, run: Run, cancel: CancellationToken) -> Result<(), Failure> {
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
        match (session, one_shot) {
            (Some(number), None) => {
                let sessions = self.sessions();
                let session =
                    sessions.get(&number).ok_or_else(|| Failure::unknown_session(number))?;
                let options = request.into_options(session.mask.clone(), spill_path)?;
                let start = Start { channel, options, voice, cancel, timeout };
                session.waiting.send(start).map_err(|_| Failure::from(ShellError::Closed))
            }
            (None, Some(one_shot)) => {
                let OneShot { options, mask } = *one_shot;
                let shell = options.into_options(&self.place().supervisor()?)?;
                let options = request.into_options(mask_of(mask)?, spill_path)?;
                let ending = Ending::new(self.clone(), channel, timeout);
                self.inner.handle.spawn(async move {
                    ending.end(pi_shell::execute_shell(shell, options, voice, cancel).await);
                });
                Ok(())
            }
            _ => Err(Failure::invalid("a Run frame has one of `session` and `oneShot`")),
        }
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
        self.inner.handle.spawn(async move {
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
