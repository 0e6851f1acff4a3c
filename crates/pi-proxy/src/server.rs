//! The proxy of one session: takes connections from its listener, each on a task of its own.

use std::io;
use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::outside::Outside;
use crate::refusals::Refusals;
use crate::rules::Rules;
use crate::shared::Shared;
use crate::watched::{Activity, Watched};
use crate::{http, socks};

/// Connections of one session at one time, each with up to two descriptors of the host. More wait
/// in the listener's queue.
const MAX_CONNECTIONS: usize = 128;

/// Longest wait for the first byte of a connection.
const FIRST_BYTE_BOUND: Duration = Duration::from_secs(30);

/// Time after which a connection at which nothing passes ends. A server may think for minutes.
const IDLE_BOUND: Duration = Duration::from_secs(600);

/// Pause after a connection that could not be taken: the host has no descriptor for it.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A running proxy. Dropped, it closes its listener and every connection.
#[derive(Debug)]
pub struct Proxy {
    task: JoinHandle<()>,
    refusals: Arc<Refusals>,
}

impl Proxy {
    /// Serves what connects to `listener`. Must run within a tokio runtime with I/O and time.
    ///
    /// # Errors
    /// What the system says when the listener cannot be watched.
    pub fn start(listener: StdListener, rules: Rules, outside: impl Outside) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let refusals = Arc::new(Refusals::default());
        let outside = Box::new(outside);
        let shared = Arc::new(Shared {
            rules,
            refusals: Arc::clone(&refusals),
            is_crowded: watch::Sender::new(false),
            outside,
        });
        Ok(Self { task: tokio::spawn(take_connections(listener, shared)), refusals })
    }

    /// What it refused.
    pub fn refusals(&self) -> &Arc<Refusals> {
        &self.refusals
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take_connections(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Aborted with this task.
    let mut connections = JoinSet::new();
    loop {
        shared.is_crowded.send_replace(places.available_permits() == 0);
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    // A connection that breaks concerns the two programs that had it.
                    serve(stream, &shared).await.ok();
                    drop(place);
                });
            }
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut first = [0];
    if timeout(FIRST_BYTE_BOUND, stream.peek(&mut first)).await?? == 0 {
        return Ok(());
    }
    let activity = Activity::begin();
    let stream = Watched::new(stream, activity.clone());
    let [first] = first;
    let serving = async {
        if first == socks::VERSION {
            socks::serve(stream, shared).await
        } else {
            http::serve(stream, shared).await
        }
    };
    tokio::select! {
        served = serving => served,
        () = activity.ceases(IDLE_BOUND) => Err(io::ErrorKind::TimedOut.into()),
    }
}
