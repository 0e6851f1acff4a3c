//! What near says in its order: its `Hello`, where it comes back its `Attach`, then everything else. What each thing means
//! is the engine's.

use std::sync::Arc;

use crate::engine::{Engine, Loss};
use crate::link::{Link, Trust};
use crate::message::{Attach, NearHello};
use crate::wire::{Frame, Kind, PROTOCOLS};

/// How a link goes on after a frame.
pub(crate) enum Verdict {
    Go,
    /// The engine serves this link from now on.
    Begun,
    /// It ends.
    Break(Loss),
}

enum Phase {
    /// Nothing was said.
    Silent,
    /// Near has to show the token.
    Greeted {
        protocol: u32,
        lease_ms: Option<u64>,
    },
    Begun,
}

/// One link's conversation.
pub(crate) struct Conversation {
    engine: Engine,
    link: Arc<Link>,
    trust: Trust,
    phase: Phase,
}

impl Conversation {
    pub(crate) fn new(engine: Engine, link: Arc<Link>, trust: Trust) -> Self {
        Self { engine, link, trust, phase: Phase::Silent }
    }

    /// Whether the engine serves this link.
    pub(crate) fn has_begun(&self) -> bool {
        matches!(self.phase, Phase::Begun)
    }

    /// Takes the next frame.
    pub(crate) fn take(&mut self, frame: Frame) -> Verdict {
        match (&self.phase, frame.kind) {
            (Phase::Begun, _) => match self.engine.take(&self.link, frame) {
                Ok(()) => Verdict::Go,
                Err(loss) => Verdict::Break(loss),
            },
            (Phase::Silent, Kind::Hello) => self.greet(&frame),
            (Phase::Greeted { protocol, lease_ms }, Kind::Attach) => {
                let (protocol, lease_ms) = (*protocol, *lease_ms);
                self.attach(&frame, protocol, lease_ms)
            }
            (_, Kind::Bye) => Verdict::Break(Loss::Ended),
            (_, kind) => refused(format!("a {kind:?} frame where none is expected")),
        }
    }

    fn greet(&mut self, frame: &Frame) -> Verdict {
        let hello: NearHello = match serde_json::from_slice(&frame.payload) {
            Ok(hello) => hello,
            Err(error) => return refused(format!("the Hello frame cannot be read: {error}")),
        };
        let newest = hello.protocol.max.min(PROTOCOLS.1);
        if newest < hello.protocol.min.max(PROTOCOLS.0) {
            let (oldest, newest) = PROTOCOLS;
            return refused(format!(
                "pi-host {} speaks protocol {oldest} to {newest}, and not {} to {}",
                env!("CARGO_PKG_VERSION"),
                hello.protocol.min,
                hello.protocol.max
            ));
        }
        match self.trust {
            Trust::Whole => {
                self.engine.begin(&self.link, newest, hello.lease_ms);
                self.phase = Phase::Begun;
                Verdict::Begun
            }
            Trust::Token => {
                self.phase = Phase::Greeted { protocol: newest, lease_ms: hello.lease_ms };
                Verdict::Go
            }
        }
    }

    fn attach(&mut self, frame: &Frame, protocol: u32, lease_ms: Option<u64>) -> Verdict {
        let attach: Attach = match serde_json::from_slice(&frame.payload) {
            Ok(attach) => attach,
            Err(error) => return refused(format!("the Attach frame cannot be read: {error}")),
        };
        if !self.engine.resume(&self.link, protocol, lease_ms, attach) {
            return refused("the instance or its token is another".to_owned());
        }
        self.phase = Phase::Begun;
        Verdict::Begun
    }
}

fn refused(detail: String) -> Verdict {
    Verdict::Break(Loss::Protocol(detail))
}
