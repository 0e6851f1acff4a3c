//! SOCKS5: connections by name or address. No other command, no credentials.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use fast_socks5::server::Socks5ServerProtocol;
use fast_socks5::util::target_addr::TargetAddr;
use fast_socks5::{ReplyError, Socks5Command};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::host::{Host, Target};
use crate::http;
use crate::outside::Unreached;
use crate::refusals::{Reason, Refusal};
use crate::rules::Content;
use crate::shared::Shared;

/// First byte of the protocol.
pub(crate) const VERSION: u8 = 5;

/// The address that a reply names as the proxy's end: programs have no use for it.
const BOUND_TO: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// Serves one connection.
pub(crate) async fn serve<S>(stream: S, shared: &Shared) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let opened = Socks5ServerProtocol::accept_no_auth(stream).await.map_err(io::Error::other)?;
    let (asked, command, target) = opened.read_command().await.map_err(io::Error::other)?;
    let refuse = async |asked: Socks5ServerProtocol<S, _>, refusal: &Refusal, reply: ReplyError| {
        shared.refusals.note(refusal);
        asked.reply_error(&reply).await.map_err(io::Error::other)
    };
    if command != Socks5Command::TCPConnect {
        let reason = "asks for UDP or for a listening port, which no rule can allow";
        let refusal = Refusal::of_text(&text_of(&target), reason);
        return refuse(asked, &refusal, ReplyError::CommandNotSupported).await;
    }
    let target = match read_target(&target) {
        Ok(target) => target,
        Err(reason) => {
            let refusal = Refusal::of_text(&text_of(&target), reason);
            return refuse(asked, &refusal, ReplyError::ConnectionNotAllowed).await;
        }
    };
    let Some(content) = shared.rules.content_for(&target) else {
        let refusal = Refusal::of(&target, &Reason::NoRule);
        return refuse(asked, &refusal, ReplyError::ConnectionNotAllowed).await;
    };
    if content == Content::Http {
        let stream = asked.reply_success(BOUND_TO).await.map_err(io::Error::other)?;
        return http::serve_within(stream, shared, target).await;
    }
    let mut server = match shared.reach(&target).await {
        Ok(server) => server,
        Err(Unreached::Refused(reason)) => {
            let refusal = Refusal::of(&target, &reason);
            return refuse(asked, &refusal, ReplyError::ConnectionNotAllowed).await;
        }
        Err(Unreached::Failed(error)) => {
            let reply = reply_for(&error);
            return asked.reply_error(&reply).await.map_err(io::Error::other);
        }
    };
    let mut stream = asked.reply_success(BOUND_TO).await.map_err(io::Error::other)?;
    shared.pass(&mut stream, &mut server, &target, content).await
}

/// A name that is written as an address is that address.
fn read_target(target: &TargetAddr) -> Result<Target, &'static str> {
    match target {
        TargetAddr::Ip(address) => {
            Ok(Target { host: Host::Address(address.ip()), port: address.port() })
        }

        TargetAddr::Domain(name, port) => Ok(Target { host: Host::parse(name)?, port: *port }),
    }
}

fn text_of(target: &TargetAddr) -> String {
    match target {
        TargetAddr::Ip(address) => address.to_string(),
        TargetAddr::Domain(name, port) => format!("{name}:{port}"),
    }
}

fn reply_for(error: &io::Error) -> ReplyError {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ReplyError::ConnectionRefused,
        io::ErrorKind::NetworkUnreachable => ReplyError::NetworkUnreachable,
        io::ErrorKind::TimedOut => ReplyError::ConnectionTimeout,
        _ => ReplyError::HostUnreachable,
    }
}
