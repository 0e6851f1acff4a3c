//! The engine that a link talks to: its sessions, runs and requests, which link it serves, and its end.
//!
//! # Module map
//! ```text
//! mod        Engine: links come and go, frames are handed on, everything ends
//! channels   which channel is what                         runs       commands, in sessions or in a bash of their own
//! requests   operations and their answers                  terminals  programs on a terminal
//! puts       files that near sends                         end        how all of it ends
//! tasks      what the runtime does for it                  ports      which ports processes listen on
//! pipes      what commands read from near, and write to it beside their output
//! ```
//! Frames are taken on the link's own thread, in their order, and nothing there waits: what takes time is a task. What goes
//! back goes through the queue (`outgoing`), which outlives links.

mod channels;
mod end;
mod pipes;
mod ports;
mod puts;
mod requests;
mod runs;
mod tasks;
mod terminals;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq as _;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::channels::Channels;
use self::end::FLUSH_BOUND;
pub(crate) use self::end::Over;
use self::runs::Session;
use crate::hello::Facts;
use crate::link::Link;
use crate::message::{Attach, NearBye, RunState, json};
use crate::outgoing::{Found, Outgoing};
use crate::place::Place;
use crate::wire::{Frame, Kind, frame, push_frame, split_u64};

/// Silence after which near is taken for gone, where it names none.
const DEFAULT_LEASE: Duration = Duration::from_secs(60);

/// Shortest and longest lease that near may name.
const LEASES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3_600));

/// How often a link is looked at that has not said how long it may be silent.
const GREETING_INTERVAL: Duration = Duration::from_millis(50);

/// Number of the link that the engine was started with. Near has the token from it.
const FIRST_LINK: u64 = 1;

/// Why a link is over.
#[derive(Debug)]
pub(crate) enum Loss {
    /// Its stream ended.
    Ended,
    /// Near said that it is done.
    Closed,
    /// It could not be read or written.
    Failed(String),
    /// Near was silent for longer than its lease.
    Lease,
    /// What came is not the protocol.
    Protocol(String),
    /// A newer link is served.
    Displaced,
}

impl Loss {
    /// As it is called in `Bye`, and more for people.
    pub(crate) fn words(&self) -> (&'static str, String) {
        match self {
            Self::Ended => ("closed", "the stream ended".to_owned()),
            Self::Closed => ("closed", "as it was asked for".to_owned()),
            Self::Failed(error) => ("closed", error.clone()),
            Self::Lease => ("lease", "nothing was heard for the time of the lease".to_owned()),
            Self::Protocol(detail) => ("protocol", detail.clone()),
            Self::Displaced => ("displaced", "a newer link has taken over".to_owned()),
        }
    }
}

/// What an engine keeps while there is no link.
pub(crate) struct Keep {
    /// For how long.
    pub(crate) time: Duration,
    /// What near has to show when it comes back, in hexadecimal digits.
    pub(crate) token: String,
}

/// The engine. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    handle: Handle,
    outgoing: Outgoing,
    place: Place,
    facts: Facts,
    keep: Option<Keep>,
    links: AtomicU64,
    present: Mutex<Present>,
    sessions: Mutex<HashMap<u32, Session>>,
    channels: Channels,
    over: watch::Sender<Option<Over>>,
    /// Held by a link that comes back, one after the other, and while a frame is taken: what an older link had under way
    /// is taken before near is answered what there is, or never.
    turn: Mutex<()>,
    /// Near has answered the first `Hello`, so that it has the token.
    is_known: AtomicBool,
}

/// The link that is served.
#[derive(Default)]
struct Present {
    link: Option<Arc<Link>>,
    lease: Duration,
    /// Since when there is none. In the future where the first is awaited.
    away_since: Option<Instant>,
    /// Ends with the link: what was asked for by it alone ends then.
    asked: CancellationToken,
}

impl Engine {
    pub(crate) fn new(place: Place, facts: Facts, keep: Option<Keep>) -> Self {
        // The first link gets its time to say `Hello` besides.
        let away_since = Some(Instant::now() + DEFAULT_LEASE);
        let present = Present { away_since, ..Present::default() };
        Self {
            inner: Arc::new(Inner {
                handle: Handle::current(),
                outgoing: Outgoing::new(keep.is_some()),
                place,
                facts,
                keep,
                links: AtomicU64::new(0),
                present: Mutex::new(present),
                sessions: Mutex::new(HashMap::new()),
                channels: Channels::default(),
                over: watch::Sender::new(None),
                turn: Mutex::new(()),
                is_known: AtomicBool::new(false),
            }),
        }
    }

    pub(crate) fn outgoing(&self) -> &Outgoing {
        &self.inner.outgoing
    }

    pub(crate) fn place(&self) -> &Place {
        &self.inner.place
    }

    /// What tasks live on.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.inner.handle
    }

    /// Number of a new link.
    pub(crate) fn next_link(&self) -> u64 {
        self.inner.links.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Serves a link whose near side started this program.
    pub(crate) fn begin(&self, link: &Arc<Link>, protocol: u32, lease_ms: Option<u64>) {
        let token = self.inner.keep.as_ref().map(|keep| keep.token.clone());
        let hello = self.inner.facts.hello(&self.inner.place, protocol, token);
        self.serve(link, lease_ms, frame(Kind::Hello, 0, &json(&hello)));
    }

    /// Serves a link of a near side that comes back. False: it may not.
    pub(crate) fn resume(
        &self,
        link: &Arc<Link>,
        protocol: u32,
        lease_ms: Option<u64>,
        attach: Attach,
    ) -> bool {
        let Some(keep) = &self.inner.keep else { return false };
        let is_token: bool = attach.token.as_bytes().ct_eq(keep.token.as_bytes()).into();
        if !is_token || attach.instance != self.inner.place.instance() {
            return false;
        }
        let _alone = self.inner.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // In this order: the older link is not served any more, then what is left is looked at, then it is given out.
        self.leave_present(Some(("displaced", "a newer link has taken over")));
        let known = self.inner.outgoing.channels();
        let mut resumed = Vec::new();
        let runs = attach.runs.into_iter().map(|run| {
            let found = self.inner.outgoing.resume(run.channel, &run.id, run.offset);
            let state = match found {
                Found::Running => "running",
                Found::Ended => "ended",
                Found::Unknown => "unknown",
            };
            if found != Found::Unknown {
                resumed.push(run.channel);
            }
            RunState { channel: run.channel, id: run.id, state }
        });
        let runs: Vec<_> = runs.collect();
        for channel in known.into_iter().filter(|channel| !resumed.contains(channel)) {
            // A run goes on for what it does; a terminal that has no keyboard any more does not.
            if self.terminal(channel).is_ok() {
                self.cancel(channel);
            }
            self.inner.outgoing.abandon(channel);
        }
        let hello = self.inner.facts.hello(&self.inner.place, protocol, None);
        let mut frames = frame(Kind::Hello, 0, &json(&hello));
        let attached = serde_json::json!({ "runs": runs });
        push_frame(&mut frames, Kind::Attached, 0, attached.to_string().as_bytes());
        self.serve(link, lease_ms, frames);
        true
    }

    fn serve(&self, link: &Arc<Link>, lease_ms: Option<u64>, frames: Vec<u8>) {
        let lease = lease_ms.map_or(DEFAULT_LEASE, Duration::from_millis);
        let mut present = self.present();
        *present = Present {
            link: Some(Arc::clone(link)),
            lease: lease.clamp(LEASES.0, LEASES.1),
            away_since: None,
            asked: CancellationToken::new(),
        };
        self.inner.outgoing.attach(link.number, frames);
        drop(present);
        self.note_state();
    }

    /// A link has ended.
    pub(crate) fn lose(&self, link: &Arc<Link>, loss: &Loss) {
        link.end();
        let is_present = self.is_present(link);
        // Near has no token then, and cannot come back.
        let is_first_without_greeting = link.number == FIRST_LINK && !link.has_begun();
        if !is_present && self.inner.keep.is_some() && !is_first_without_greeting {
            link.cut();
            if let Some(since) = &mut self.present().away_since {
                *since = (*since).min(Instant::now());
            }
            return;
        }
        let (reason, detail) = loss.words();
        let ends_all = match loss {
            Loss::Closed => true,
            Loss::Displaced => false,
            _ => self.inner.keep.is_none() || !self.inner.is_known.load(Ordering::Relaxed),
        };
        if ends_all {
            let status = match loss {
                Loss::Protocol(_) => 2,
                Loss::Lease => 3,
                _ => 0,
            };
            self.finish(Over { reason, detail, status });
        } else if is_present {
            self.leave_present(Some((reason, &detail)));
            self.note_state();
        }
    }

    /// Serves no link any more. `farewell`: the last frame of the present one.
    fn leave_present(&self, farewell: Option<(&str, &str)>) {
        let mut present = self.present();
        let Some(link) = present.link.take() else { return };
        present.away_since = Some(Instant::now());
        present.asked.cancel();
        drop(present);
        if let Some((reason, detail)) = farewell {
            link.say_last(reason, Some(detail));
        }
        self.inner.channels.forget_requests();
        self.inner.outgoing.detach(link.number);
        // One that does not read is not waited for.
        self.spawn(async move {
            tokio::time::sleep(FLUSH_BOUND).await;
            link.cut();
        });
    }

    fn is_present(&self, link: &Link) -> bool {
        self.present().link.as_ref().is_some_and(|one| one.number == link.number)
    }

    /// Ends the link when its near side is silent for too long.
    pub(crate) fn watch(&self, link: &Arc<Link>) {
        let (engine, link) = (self.clone(), Arc::downgrade(link));
        self.spawn(async move {
            loop {
                let Some(link) = link.upgrade() else { return };
                let is_present = engine.is_present(&link);
                let lease = if is_present { engine.present().lease } else { DEFAULT_LEASE };
                let silence = link.silence();
                if link.has_ended() {
                    return;
                }
                if silence >= lease {
                    engine.lose(&link, &Loss::Lease);
                    return;
                }
                drop(link);
                let mut rest = lease.saturating_sub(silence);
                if !is_present {
                    // Its own lease is about to be named.
                    rest = rest.min(GREETING_INTERVAL);
                }
                tokio::time::sleep(rest.max(Duration::from_millis(5))).await;
            }
        });
    }

    /// Takes a frame of a link.
    ///
    /// # Errors
    /// Where the link is over: near said so, what came is not the protocol, or another link is served.
    pub(crate) fn take(&self, link: &Arc<Link>, frame: Frame) -> Result<(), Loss> {
        let number = link.number;
        let _alone = self.inner.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_present(link) {
            return Err(Loss::Displaced);
        }
        self.inner.is_known.store(true, Ordering::Relaxed);
        let Frame { kind, channel, payload } = frame;
        let is_of_link =
            matches!(kind, Kind::Hello | Kind::Attach | Kind::Ping | Kind::Pong | Kind::Bye);
        if is_of_link != (channel == 0) {
            return Err(Loss::Protocol(format!("a {kind:?} frame on channel {channel}")));
        }
        match kind {
            Kind::Ping => {
                let pong = crate::wire::frame(Kind::Pong, 0, &payload);
                self.inner.outgoing.put_control(Some(number), pong);
            }
            Kind::Pong => {}
            Kind::Bye => return Err(loss_of(&payload)),
            Kind::Credit => {
                let credit = split_u64(&payload).and_then(|(offset, rest)| {
                    Some((offset, u32::from_le_bytes(*rest.first_chunk::<4>()?)))
                });
                let Some((offset, window)) = credit else {
                    return Err(Loss::Protocol("a Credit frame that is too short".to_owned()));
                };
                self.inner.outgoing.credit(channel, offset, window);
            }
            Kind::Cancel => self.cancel(channel),
            Kind::Data => self.take_data(channel, &payload),
            Kind::Request => self.take_request(number, channel, &payload)?,
            Kind::Run => self.take_run(link, channel, &payload)?,
            Kind::Hello | Kind::Attach => {
                return Err(Loss::Protocol(format!("a second {kind:?} frame")));
            }
            Kind::Attached
            | Kind::Answer
            | Kind::Started
            | Kind::Text
            | Kind::Update
            | Kind::Quiet
            | Kind::End => {
                return Err(Loss::Protocol(format!("a {kind:?} frame, which this side sends")));
            }
        }
        Ok(())
    }

    /// Writes down what others of this user may know of this engine.
    fn note_state(&self) {
        let is_attached = self.present().link.is_some();
        let sessions = self.sessions().len();
        self.inner.place.note(
            is_attached,
            sessions,
            self.inner.keep.as_ref().map(|keep| keep.time),
        );
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.inner.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<u32, Session>> {
        self.inner.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What near's `Bye` means: all is to end, or only this link.
fn loss_of(payload: &[u8]) -> Loss {
    let said: Option<NearBye> = serde_json::from_slice(payload).ok();
    let is_closed = said.is_some_and(|said| said.reason == "closed");
    if is_closed { Loss::Closed } else { Loss::Ended }
}
