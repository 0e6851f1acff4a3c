//! The way to the network of the host: names to addresses, and connections to addresses that were judged.
//!
//! A name is looked up once, and what is connected to is an address of that answer: a second look
//! could be answered otherwise (DNS rebinding).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::host::{Host, LOCALHOST, Target};
use crate::refusals::Reason;
use crate::rules::Rules;

/// Longest wait for the addresses of a name.
const RESOLVE_BOUND: Duration = Duration::from_secs(10);

/// Longest wait for one address to take a connection.
const CONNECT_BOUND: Duration = Duration::from_secs(10);

/// Addresses of a name that are tried.
const MAX_TRIED: usize = 4;

/// Lookups of the process at one time: each takes a thread for blocking calls, and a hostile name
/// server can hold it as long as it likes. The others are for files.
const MAX_LOOKUPS: usize = 8;

static LOOKUPS: Semaphore = Semaphore::const_new(MAX_LOOKUPS);

/// A future answer of [`Outside`].
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// What a proxy needs of the host's network.
pub trait Outside: Send + Sync + 'static {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Answer<'a, Vec<IpAddr>>;
    /// A connection to an address.
    fn connect(&self, address: SocketAddr) -> Answer<'_, TcpStream>;
}

/// Lookups of one session at one time, so that it cannot hold up those of others.
const MAX_OWN_LOOKUPS: usize = 4;

/// The host's own resolver and network, for one session.
#[derive(Debug, Clone)]
pub struct System {
    own_lookups: Arc<Semaphore>,
}

impl Default for System {
    fn default() -> Self {
        Self { own_lookups: Arc::new(Semaphore::new(MAX_OWN_LOOKUPS)) }
    }
}

impl Outside for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Answer<'a, Vec<IpAddr>> {
        Box::pin(async move {
            let own = Arc::clone(&self.own_lookups);
            let own = own.acquire_owned().await.map_err(io::Error::other)?;
            let permit = LOOKUPS.acquire().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            let lookup = move || {
                // Held as long as the thread, not as long as the caller waits for it.
                let _permits = (own, permit);
                let found = (name.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|address| address.ip()).collect())
            };
            tokio::task::spawn_blocking(lookup).await.map_err(io::Error::other)?
        })
    }

    fn connect(&self, address: SocketAddr) -> Answer<'_, TcpStream> {
        Box::pin(TcpStream::connect(address))
    }
}

/// Why a target was not reached.
#[derive(Debug)]
pub(crate) enum Unreached {
    Refused(Reason),
    /// What the system said.
    Failed(io::Error),
}

/// Connects to a target that rules allow, at an address that they allow.
pub(crate) async fn reach(
    outside: &dyn Outside,
    rules: &Rules,
    target: &Target,
) -> Result<TcpStream, Unreached> {
    let addresses = addresses_of(outside, rules, target).await?;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses.into_iter().take(MAX_TRIED) {
        let connecting = outside.connect(SocketAddr::new(address, target.port));
        match timeout(CONNECT_BOUND, connecting).await {
            Ok(Ok(stream)) => {
                // Small writes of one side must not wait for answers of the other.
                stream.set_nodelay(true).ok();
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(elapsed) => last = io::Error::new(io::ErrorKind::TimedOut, elapsed),
        }
    }
    Err(Unreached::Failed(last))
}

async fn addresses_of(
    outside: &dyn Outside,
    rules: &Rules,
    target: &Target,
) -> Result<Vec<IpAddr>, Unreached> {
    let name = match &target.host {
        // A rule names it; another would not have led here.
        Host::Address(address) => return Ok(vec![*address]),
        Host::Name(name) if name == LOCALHOST => {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        Host::Name(name) => name,
    };
    let found = match timeout(RESOLVE_BOUND, outside.resolve(name)).await {
        Ok(found) => found.map_err(Unreached::Failed)?,
        Err(elapsed) => {
            return Err(Unreached::Failed(io::Error::new(io::ErrorKind::TimedOut, elapsed)));
        }
    };
    let mut refused = None;
    let mut allowed = Vec::new();
    for address in found {
        match rules.check_address(address, target.port) {
            Ok(()) => allowed.push(address),
            Err(use_) => refused = refused.or(Some(Reason::Address { address, use_ })),
        }
    }
    match refused {
        Some(reason) if allowed.is_empty() => Err(Unreached::Refused(reason)),
        _ => Ok(allowed),
    }
}
