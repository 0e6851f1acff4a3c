//! The proxy of a session whose network has rules: on the host's side of the listener that the
//! supervisor made in its network namespace.
//!
//! What it lets through is the crate pi-proxy's; which variables lead to it stands in
//! `proxy_variables` of pi-shell.

use std::net::TcpListener;
use std::sync::Arc;

use pi_process::supervisor::Supervisor;
use pi_proxy::{Proxy, Refusals, System};

use super::sandbox::Sandbox;
use crate::{SandboxNetwork, SandboxUnavailable};

/// The running proxy. Dropped, it closes every connection.
#[derive(Debug)]
pub struct Egress(Proxy);

impl Egress {
    /// Serves the programs of `supervisor`; `None`: there are no rules to serve by.
    pub fn start(
        sandbox: &Sandbox,
        supervisor: &Supervisor,
    ) -> Result<Option<Self>, SandboxUnavailable> {
        let SandboxNetwork::Rules(rules) = &sandbox.options.network else { return Ok(None) };
        let unavailable =
            |reason: String| SandboxUnavailable { mode: sandbox.options.mode.name(), reason };
        let listener = supervisor.take_listener().ok_or_else(|| {
            unavailable("the supervisor has no listener for the proxy".to_owned())
        })?;
        let proxy = Proxy::start(TcpListener::from(listener), rules.clone(), System::default());
        let proxy =
            proxy.map_err(|error| unavailable(format!("cannot start the proxy: {error}")))?;
        Ok(Some(Self(proxy)))
    }

    /// What it refused, until it is taken.
    pub fn refusals(&self) -> Arc<Refusals> {
        Arc::clone(self.0.refusals())
    }
}
