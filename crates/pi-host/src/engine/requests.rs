//! Operations that near asks for, each with one answer.

use std::path::PathBuf;
use std::time::Duration;

use pi_shell::{DriverState, Shell, ShellError};
use serde_json::{Value, json};

use super::channels::{Channel, Refused};
use super::runs::Session;
use super::tasks::{Contained, blocking};
use super::{Engine, Loss};
use crate::message::{self, Failure, Request, mask_of, shortened};
use crate::outgoing::{Found, StreamOptions};
use crate::wire::{Kind, MAX_PAYLOAD, frame};

/// Most sessions at a time.
const MAX_SESSIONS: usize = 4_096;

/// Longest wait for a file system to say what a path is.
const STAT_BOUND: Duration = Duration::from_secs(10);

/// Most bytes of one `read`.
const MAX_READ_BYTES: u64 = 1024 * 1024;

/// Bytes of a piece of a file.
const PIECE_BYTES: u64 = 64 * 1024;

/// Room in a frame for what stands around a text.
const AROUND_TEXT: usize = 64;

impl Engine {
    /// An operation is asked for.
    pub(super) fn take_request(&self, link: u64, channel: u32, payload: &[u8]) -> Result<(), Loss> {
        if self.outgoing().is_open(channel) {
            return Err(Self::in_use(channel));
        }
        match self.inner.channels.add(channel, Channel::Request(link)) {
            Ok(()) => {}
            Err(Refused::InUse) => return Err(Self::in_use(channel)),
            Err(Refused::TooMany) => {
                let busy = Failure::new("PI_HOST_BUSY", "too many operations at a time");
                self.answer(link, channel, Err(busy));
                return Ok(());
            }
        }
        let request = match Request::read(payload) {
            Ok(request) => request,
            Err(error) => {
                let message = format!("the Request frame cannot be read: {error}");
                self.answer(link, channel, Err(Failure::invalid(message)));
                return Ok(());
            }
        };
        if self.over().is_some() {
            self.answer(link, channel, Err(ShellError::Closed.into()));
            return Ok(());
        }
        if let Some(answer) = self.answer_at_once(channel, request, link) {
            self.answer(link, channel, answer);
        }
        Ok(())
    }

    /// What takes no time is done in the order of the frames: what follows may count on it. `None`: the answer comes later.
    fn answer_at_once(
        &self,
        channel: u32,
        request: Request,
        link: u64,
    ) -> Option<Result<Value, Failure>> {
        match request {
            Request::Open { session, options, mask } => {
                let opened = self.place().supervisor().and_then(|supervisor| {
                    let shell = Shell::new(options.into_options(&supervisor)?)?;
                    Ok((shell, mask_of(mask)?))
                });
                Some(
                    opened.map_err(Failure::from).and_then(|(shell, mask)| {
                        self.add_session(session, Session::new(shell, mask))
                    }),
                )
            }
            Request::Terminal { options, id, window } => {
                let stream = StreamOptions { is_data: true, id, window };
                self.begin_terminal(channel, *options, stream).err().map(Err)
            }
            Request::Resize { terminal, columns, rows } => {
                let resized = self.terminal(terminal).and_then(|terminal| {
                    terminal.session.resize(columns, rows).map_err(Failure::from)
                });
                Some(resized.map(|()| json!({})))
            }
            Request::Signal { terminal, signal } => {
                let signalled = self.terminal(terminal).and_then(|terminal| {
                    terminal.session.kill(Some(signal)).map_err(Failure::from)
                });
                Some(signalled.map(|()| json!({})))
            }
            Request::PendingInput { terminal } => {
                let terminal = self.terminal(terminal);
                Some(terminal.map(|one| json!({ "bytes": one.session.pending_input() })))
            }
            Request::Pipe { way, window } => {
                self.begin_pipe(link, channel, way, window).err().map(Err)
            }
            Request::List => Some(Ok(self.list())),
            Request::LateOutput { session } => Some(self.shell(session).map(|shell| {
                let text = shell.late_output();
                json!({ "text": shortened(&text, MAX_PAYLOAD - AROUND_TEXT) })
            })),
            Request::Describe { session } => {
                Some(self.shell(session).map(|_| json!({ "driver": driver() })))
            }
            Request::Close { session } => {
                // From here on it is not there; what it still has is being ended.
                let taken = self.sessions().remove(&session);
                let Some(taken) = taken else {
                    return Some(Err(Failure::unknown_session(session)));
                };
                self.note_state();
                self.answer_later(link, channel, async move {
                    taken.shell.close().await;
                    Ok(json!({}))
                });
                None
            }
            later => {
                let engine = self.clone();
                self.answer_later(link, channel, async move {
                    engine.operate(link, channel, later).await
                });
                None
            }
        }
    }

    /// What takes time.
    async fn operate(&self, link: u64, channel: u32, request: Request) -> Result<Value, Failure> {
        match request {
            Request::Abort { session } => {
                self.shell(session)?.abort().await;
                Ok(json!({}))
            }
            Request::HandOver { session, id } => {
                Ok(json!({ "done": self.hand_over(session, id).await? }))
            }
            Request::BackgroundCount { session } => {
                Ok(json!({ "count": self.shell(session)?.live_background_job_count().await }))
            }
            Request::Put { digest, size, name } => {
                self.put(link, channel, (digest, size, name)).await
            }
            Request::Read { spill_name, offset, length } => {
                self.read(link, channel, &spill_name, offset, length).await
            }
            Request::Ports { of } => self.ports(of).await,
            Request::Drained { pipe } => Ok(json!({ "offset": self.drained(pipe).await? })),
            Request::Remove { spill_name } => {
                let place = self.place().clone();
                blocking(move || place.remove(&spill_name)).await?;
                Ok(json!({}))
            }
            Request::Stat { path } => {
                let found = tokio::time::timeout(STAT_BOUND, blocking(move || Ok(stat(path))));
                found.await.unwrap_or_else(|_| {
                    Err(Failure::new("PI_HOST_TIMEOUT", "the file system does not answer"))
                })
            }
            _ => Err(Failure::internal("an operation is answered by another part")),
        }
    }

    async fn read(
        &self,
        link: u64,
        channel: u32,
        name: &str,
        offset: u64,
        length: u64,
    ) -> Result<Value, Failure> {
        if length > MAX_READ_BYTES {
            let message =
                format!("`length` is {length}; at most {MAX_READ_BYTES} are read at once");
            return Err(Failure::invalid(message));
        }
        let (place, owned) = (self.place().clone(), name.to_owned());
        let mut spill = blocking(move || place.open_spill(&owned)).await?;
        let mut read = 0;
        while read < length {
            let (from, most) = (offset.saturating_add(read), PIECE_BYTES.min(length - read));
            let (again, bytes) = blocking(move || spill.read(from, most)).await?;
            spill = again;
            if bytes.is_empty() {
                break;
            }
            read += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            if !self.outgoing().put_data(link, channel, from, &bytes).await {
                break;
            }
        }
        Ok(json!({ "size": spill.size, "bytes": read }))
    }

    fn add_session(&self, number: u32, session: Session) -> Result<Value, Failure> {
        let mut sessions = self.sessions();
        if sessions.contains_key(&number) {
            let message = format!("session {number} is open already; take another number");
            return Err(Failure::invalid(message));
        }
        if sessions.len() >= MAX_SESSIONS {
            let message = format!("there are {MAX_SESSIONS} sessions here; close some first");
            return Err(Failure::new("PI_HOST_BUSY", message));
        }
        sessions.insert(number, session);
        drop(sessions);
        self.note_state();
        Ok(json!({}))
    }

    pub(super) fn shell(&self, session: u32) -> Result<Shell, Failure> {
        let sessions = self.sessions();
        let found = sessions.get(&session).map(|session| session.shell.clone());
        found.ok_or_else(|| Failure::unknown_session(session))
    }

    fn list(&self) -> Value {
        let mut sessions: Vec<u32> = self.sessions().keys().copied().collect();
        sessions.sort_unstable();
        let runs: Vec<Value> = self
            .outgoing()
            .named()
            .into_iter()
            .map(|(channel, id, found)| {
                let state = if found == Found::Ended { "ended" } else { "running" };
                let mut run = json!({ "channel": channel, "id": id, "state": state });
                if let Some(Channel::Run { session: Some(session), .. }) =
                    self.inner.channels.get(channel)
                {
                    run["session"] = session.into();
                }
                run
            })
            .collect();
        json!({ "sessions": sessions, "runs": runs })
    }

    /// Answers when `operation` is done; what was begun goes on where the link ends meanwhile.
    fn answer_later(
        &self,
        link: u64,
        channel: u32,
        operation: impl Future<Output = Result<Value, Failure>> + Send + 'static,
    ) {
        let engine = self.clone();
        let operation = Contained::new(operation);
        self.spawn(async move {
            let answer = operation.await;
            let early = || Err(Failure::internal("an operation's task ended early"));
            engine.answer(link, channel, answer.unwrap_or_else(early));
        });
    }

    fn answer(&self, link: u64, channel: u32, answer: Result<Value, Failure>) {
        self.inner.channels.remove_request(link, channel);
        let payload = match answer {
            Ok(value) => json!({ "ok": value }).to_string().into_bytes(),
            Err(failure) => message::json(&json!({ "error": failure })),
        };
        // After the data of a file, and before everything else.
        let answer = frame(Kind::Answer, channel, &payload);
        self.outgoing().put_answer(link, channel, answer);
    }
}

/// Whether sessions are driven by the bash driver, as far as this process has tried.
fn driver() -> Value {
    match pi_shell::driver_state() {
        DriverState::Untried => json!({ "state": "untried" }),
        DriverState::Fits => json!({ "state": "fits" }),
        DriverState::Unfit(reason) => json!({ "state": "unfit", "reason": reason }),
    }
}

/// What a path is.
fn stat(path: String) -> Value {
    let path = PathBuf::from(path);
    let kind = match std::fs::metadata(&path) {
        Ok(found) if found.is_file() => "file",
        Ok(found) if found.is_dir() => "directory",
        Ok(_) => "other",
        Err(error) => match error.kind() {
            std::io::ErrorKind::PermissionDenied => "denied",
            _ => "missing",
        },
    };
    let mut found = json!({ "kind": kind });
    let real = std::fs::canonicalize(&path).ok();
    if let Some(real) = real.as_ref().and_then(|real| real.to_str()) {
        found["realPath"] = real.into();
    }
    found
}
