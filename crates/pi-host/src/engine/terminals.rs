//! Programs on a terminal. What they draw is a stream as a run's text is; what is typed comes as data.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pi_shell::{Observer, OnStart, PtyError, PtyResult, PtySession, QuietReport};
use tokio_util::sync::CancellationToken;

use super::channels::Channel;
use super::tasks::Contained;
use super::{Engine, Loss};
use crate::message::{Failure, Quiet, RunOutcome, TerminalOptions, TerminalProgram, json};
use crate::outgoing::{End, StreamOptions};
use crate::wire::{Kind, frame, split_u64};

/// Time that near has to take the rest of what a program drew, where its window is used up.
const PATIENCE: Duration = Duration::from_secs(2);

/// A terminal and its program.
pub(super) struct Terminal {
    pub(super) session: PtySession,
    cancel: CancellationToken,
    /// Why it was ended that is not in its outcome.
    failure: Mutex<Option<Failure>>,
}

impl Terminal {
    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Types `bytes`.
    pub(super) fn write(&self, bytes: &[u8]) {
        match self.session.write(bytes) {
            // What waits near can ask. A program that has ended is about to be reported.
            Ok(_) | Err(PtyError::NotRunning) => {}
            Err(error) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
                self.cancel();
            }
        }
    }
}

/// A program as its core sees its consumer.
struct Screen {
    engine: Engine,
    channel: u32,
    wants_quiet: bool,
}

impl Observer for Screen {
    fn stopping(&self) {
        self.engine.outgoing().free(self.channel);
    }

    fn wants_chunks(&self) -> bool {
        true
    }

    fn wants_quiet(&self) -> bool {
        self.wants_quiet
    }

    fn quiet(&self, report: QuietReport) {
        let payload = json(&Quiet::from(&report));
        self.engine.outgoing().update(self.channel, frame(Kind::Quiet, self.channel, &payload));
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
}

impl Engine {
    /// A program is to run on a terminal. The channel is a request's by now.
    pub(super) fn begin_terminal(
        &self,
        channel: u32,
        options: TerminalOptions,
        stream: StreamOptions,
    ) -> Result<(), Failure> {
        let wants_quiet = options.wants_quiet;
        let program = options.into_program(&self.place().supervisor()?)?;
        let terminal = Arc::new(Terminal {
            session: PtySession::new(),
            cancel: CancellationToken::new(),
            failure: Mutex::new(None),
        });
        self.inner.channels.become_terminal(channel, Arc::clone(&terminal));
        self.outgoing().open(channel, stream);
        let screen = Arc::new(Screen { engine: self.clone(), channel, wants_quiet });
        let engine = self.clone();
        let on_start: OnStart = Box::new(move |pid| {
            let started = frame(Kind::Started, channel, format!("{{\"pid\":{pid}}}").as_bytes());
            engine.outgoing().put_control(None, started);
        });
        // The control calls work from here on.
        match program {
            TerminalProgram::Command(options) => {
                let session = terminal.session.clone();
                let run = session.start(options, screen, Some(on_start), &terminal.cancel);
                self.follow_terminal(channel, terminal, run);
            }
            TerminalProgram::Argv(options) => {
                let session = terminal.session.clone();
                let run = session.start_argv(options, screen, Some(on_start), &terminal.cancel);
                self.follow_terminal(channel, terminal, run);
            }
        }
        Ok(())
    }

    fn follow_terminal(
        &self,
        channel: u32,
        terminal: Arc<Terminal>,
        run: impl Future<Output = Result<PtyResult, PtyError>> + Send + 'static,
    ) {
        let engine = self.clone();
        let start = Instant::now();
        // A panic is an answer too.
        let run = Contained::new(run);
        self.spawn(async move {
            let result = run.await;
            let failure = terminal.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            let result = match (result, failure) {
                (_, Some(failure)) => Err(failure),
                (Some(result), None) => result.map_err(Failure::from),
                (None, None) => Err(Failure::internal("a terminal's task ended early")),
            };
            let mut members = Vec::new();
            match result {
                Ok(result) => {
                    let outcome = RunOutcome::of_terminal(result, start.elapsed());
                    members.extend_from_slice(b"\"ok\":{\"outcome\":");
                    members.extend(outcome.into_json(crate::wire::MAX_PAYLOAD / 2));
                    members.push(b'}');
                }
                Err(failure) => {
                    members.extend_from_slice(b"\"error\":");
                    members.extend(json(&failure));
                }
            }
            engine.inner.channels.finish(channel, || {
                engine.outgoing().end(channel, End { kind: Kind::Answer, members });
            });
            engine.free_later(channel, PATIENCE);
        });
    }

    /// The terminal of a channel.
    pub(super) fn terminal(&self, channel: u32) -> Result<Arc<Terminal>, Failure> {
        match self.inner.channels.get(channel) {
            Some(Channel::Terminal(terminal)) => Ok(terminal),
            _ => Err(PtyError::NotRunning.into()),
        }
    }

    /// Bytes of a file or for a terminal.
    pub(super) fn take_data(&self, channel: u32, payload: &[u8]) {
        let Some((offset, bytes)) = split_u64(payload) else { return };
        match self.inner.channels.get(channel) {
            Some(Channel::Terminal(terminal)) => terminal.write(bytes),
            Some(Channel::Put(_, inbox)) => inbox.take(offset, bytes),
            Some(Channel::Pipe(_, pipe)) => pipe.take(offset, bytes),
            // It has ended meanwhile.
            Some(Channel::Run { .. } | Channel::Request(_)) | None => {}
        }
    }

    /// Something is asked for on a channel that has something already.
    pub(super) fn in_use(channel: u32) -> Loss {
        Loss::Protocol(format!("channel {channel} is in use"))
    }
}
