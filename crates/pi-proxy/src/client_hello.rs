//! The first message of TLS: whom it is for. Read by rustls; nothing is answered or decrypted.

use std::io;

use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes read at once; most first messages have fewer.
const READ_BYTES: usize = 4096;

/// Longest first message with its records, in bytes: the longest handshake message that rustls takes
/// is 64 KiB.
const MAX_HELLO_BYTES: usize = 80 * 1024;

/// The alert `unrecognized_name` of TLS 1.2 (RFC 6066), which every client has words for.
pub(crate) const UNRECOGNIZED_NAME: [u8; 7] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];

/// What a client said first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hello {
    /// TLS for this name, in lower case.
    Named(String),
    /// TLS for no name.
    Unnamed,
    /// Something else, or an end before the message was whole.
    NotTls,
}

/// Reads until the message is whole. What was read, the message and perhaps more, is in `bytes`.
pub(crate) async fn read<S>(stream: &mut S, bytes: &mut Vec<u8>) -> io::Result<Hello>
where
    S: AsyncRead + Unpin,
{
    let mut acceptor = Acceptor::default();
    let mut chunk = [0; READ_BYTES];
    while bytes.len() < MAX_HELLO_BYTES {
        let count = stream.read(&mut chunk).await?;
        let Some(mut new) = chunk.get(..count).filter(|new| !new.is_empty()) else {
            return Ok(Hello::NotTls);
        };
        bytes.extend_from_slice(new);
        while !new.is_empty() {
            if !matches!(acceptor.read_tls(&mut new), Ok(1..)) {
                return Ok(Hello::NotTls);
            }
            match acceptor.accept() {
                Ok(Some(accepted)) => {
                    let name = accepted.client_hello().server_name().map(str::to_ascii_lowercase);
                    return Ok(name.map_or(Hello::Unnamed, Hello::Named));
                }
                Ok(None) => {}
                Err(_) => return Ok(Hello::NotTls),
            }
        }
    }
    Ok(Hello::NotTls)
}
