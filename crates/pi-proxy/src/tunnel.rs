//! Bytes between a program and its target, once both agreed on one.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy_bidirectional_with_sizes};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client_hello::{self, Hello, UNRECOGNIZED_NAME};
use crate::host::Target;
use crate::refusals::Reason;

/// Bytes on their way in each direction.
const BUFFER_BYTES: usize = 64 * 1024;

/// Longest wait for the first message of TLS. A program sends it at once.
const HELLO_BOUND: Duration = Duration::from_secs(30);

/// Passes anything, until both sides have ended; one that ends only its own half still hears the other.
pub(crate) async fn pass<S>(client: &mut S, server: &mut TcpStream) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    copy_bidirectional_with_sizes(client, server, BUFFER_BYTES, BUFFER_BYTES).await.map(drop)
}

/// Passes TLS for the target's name; `refuse` is called with the reason otherwise, before the program
/// learns of it.
pub(crate) async fn pass_tls<S>(
    client: &mut S,
    server: &mut TcpStream,
    target: &Target,
    refuse: impl FnOnce(&Reason),
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut first = Vec::new();
    let hello = timeout(HELLO_BOUND, client_hello::read(client, &mut first)).await??;
    let reason = match hello {
        Hello::Named(name) if name == target.host.to_string() => None,
        Hello::Named(name) => Some(Reason::ServerName(Some(name))),
        Hello::Unnamed => Some(Reason::ServerName(None)),
        // A program that looked whether the port is open and left asked for nothing.
        Hello::NotTls if first.is_empty() => return Ok(()),
        Hello::NotTls => Some(Reason::NotTls),
    };
    if let Some(reason) = reason {
        refuse(&reason);
        client.write_all(&UNRECOGNIZED_NAME).await?;
        return client.shutdown().await;
    }
    server.write_all(&first).await?;
    pass(client, server).await
}
