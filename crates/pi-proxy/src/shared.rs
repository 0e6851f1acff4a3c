//! What the connections of one session share: its rules, its refusals, and the way out.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::host::Target;
use crate::outside::{Outside, Unreached, reach};
use crate::refusals::{Refusal, Refusals};
use crate::rules::{Content, Rules};
use crate::tunnel;

/// What the connections of one session share.
pub(crate) struct Shared {
    pub(crate) rules: Rules,
    pub(crate) refusals: Arc<Refusals>,
    /// Whether all places are taken: connections that are kept for a next request are to end then.
    pub(crate) is_crowded: watch::Sender<bool>,
    pub(crate) outside: Box<dyn Outside>,
}

impl Shared {
    pub(crate) async fn reach(&self, target: &Target) -> Result<TcpStream, Unreached> {
        reach(&*self.outside, &self.rules, target).await
    }

    /// Passes what may pass to a target.
    pub(crate) async fn pass<S>(
        &self,
        client: &mut S,
        server: &mut TcpStream,
        target: &Target,
        content: Content,
    ) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        if content != Content::Tls {
            return tunnel::pass(client, server).await;
        }
        let refuse = |reason: &_| self.refusals.note(&Refusal::of(target, reason));
        tunnel::pass_tls(client, server, target, refuse).await
    }
}
