//! HTTP: `CONNECT`, and plain requests that are judged one by one, also on a kept connection.
//!
//! hyper reads each message and writes it again, so that what two programs could read differently
//! (framing, several `Host`s, obsolete forms) is either refused or said in one way to the server.

mod forward;
mod headers;

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use self::forward::Upstream;
use crate::host::Target;
use crate::outside::Unreached;
use crate::refusals::{Reason, Refusal, shown};
use crate::rules::Content;
use crate::shared::Shared;

/// Longest wait for the head of a request; also how long a kept connection waits for the next.
const HEAD_BOUND: Duration = Duration::from_secs(60);

/// Most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Most fields of a request's head.
const MAX_FIELDS: usize = 100;

type Body = BoxBody<Bytes, hyper::Error>;

/// Serves one connection of a program that asks a proxy.
pub(crate) async fn serve<S>(stream: S, shared: &Shared) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let conversation = Conversation::new(shared, None);
    conversation.hold(stream).await?;
    let Some(tunnel) = conversation.take_tunnel() else { return Ok(()) };
    let upgraded = tunnel.upgrade.await.map_err(io::Error::other)?;
    let mut stream = TokioIo::new(upgraded);
    match tunnel.server {
        Some(mut server) => {
            shared.pass(&mut stream, &mut server, &tunnel.target, tunnel.content).await
        }
        None => serve_within(stream, shared, tunnel.target).await,
    }
}

/// Serves requests to one target, within a tunnel to it.
pub(crate) async fn serve_within<S>(stream: S, shared: &Shared, target: Target) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Conversation::new(shared, Some(target)).hold(stream).await
}

/// A tunnel that was granted.
struct Tunnel {
    upgrade: OnUpgrade,
    target: Target,
    content: Content,
    /// `None`: its requests are judged, and each is connected for.
    server: Option<TcpStream>,
}

/// Why a request was not passed on.
enum Rejection {
    /// It is not one that a proxy can take.
    Bad(&'static str),
    Refused(Refusal),
    /// What was asked for, and what the system said.
    Unreached(String, io::Error),
}

/// The requests of one connection.
struct Conversation<'a> {
    shared: &'a Shared,
    /// The target of the tunnel that this is within.
    within: Option<Target>,
    upstream: tokio::sync::Mutex<Option<Upstream>>,
    tunnel: Mutex<Option<Tunnel>>,
}

impl<'a> Conversation<'a> {
    fn new(shared: &'a Shared, within: Option<Target>) -> Self {
        Self { shared, within, upstream: tokio::sync::Mutex::default(), tunnel: Mutex::default() }
    }

    fn take_tunnel(&self) -> Option<Tunnel> {
        self.tunnel.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn hold<S>(&self, stream: S) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let answer = |request| async { Ok::<_, Infallible>(self.answer(request).await) };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_BOUND)
            .max_header_size(MAX_HEAD_BYTES)
            .max_buf_size(2 * MAX_HEAD_BYTES)
            .max_headers(MAX_FIELDS)
            .auto_date_header(false)
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service_fn(answer))
            .with_upgrades();
        let mut connection = pin!(connection);
        let mut is_crowded = self.shared.is_crowded.subscribe();
        tokio::select! {
            // First, so that a new connection has read something and is not taken for a kept one.
            biased;
            ended = connection.as_mut() => return ended.map_err(io::Error::other),
            _ = is_crowded.wait_for(|is_crowded| *is_crowded) => {}
        }
        // It ends at once where no request is under way, else after that.
        connection.as_mut().graceful_shutdown();
        connection.await.map_err(io::Error::other)
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let is_tunnel = request.method() == Method::CONNECT;
        let answered = if is_tunnel { self.open(request).await } else { self.pass(request).await };
        answered.unwrap_or_else(|rejection| {
            if let Rejection::Refused(refusal) = &rejection {
                self.shared.refusals.note(refusal);
            }
            answer_to(&rejection)
        })
    }

    /// Grants a tunnel, which begins when this answer is out. Its `Host` goes nowhere, and some programs
    /// name the proxy in it.
    async fn open(&self, mut request: Request<Incoming>) -> Result<Response<Body>, Rejection> {
        let text = request.uri().to_string();
        if self.within.is_some() {
            let reason = "is asked for within a connection to another host";
            return Err(Rejection::Refused(Refusal::of_text(&text, reason)));
        }
        if headers::has_body(request.headers()) {
            return Err(Rejection::Bad("a CONNECT request has no body"));
        }
        let unreadable = |reason| Rejection::Refused(Refusal::of_text(&text, reason));
        let target = Target::parse(&text, None).map_err(unreadable)?;
        let content = self.content_for(&target)?;
        let server = match content {
            Content::Http => None,
            Content::Tls | Content::Anything => Some(self.reach(&target).await?),
        };
        let upgrade = hyper::upgrade::on(&mut request);
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Tunnel { upgrade, target, content, server });
        Ok(Response::new(body_of(String::new())))
    }

    /// Passes one request on.
    async fn pass(&self, mut request: Request<Incoming>) -> Result<Response<Body>, Rejection> {
        let target = self.target_of(&request)?;
        headers::check_framing(request.headers())?;
        headers::check_host(request.headers(), &target)?;
        if self.within.is_none() && self.content_for(&target)? == Content::Tls {
            return Err(Rejection::Refused(Refusal::of(&target, &Reason::NotTls)));
        }
        forward::rewrite(&mut request, &target)?;
        let mut slot = self.upstream.lock().await;
        let response = loop {
            let kept = slot.take().filter(|kept| kept.is_for(&target));
            let kept = if let Some(kept) = kept { kept.when_free().await } else { None };
            let is_kept = kept.is_some();
            let mut upstream = match kept {
                Some(kept) => kept,
                None => Upstream::open(self.reach(&target).await?, target.clone()).await?,
            };
            match upstream.send(request).await {
                Ok(response) => {
                    *slot = Some(upstream);
                    break response;
                }
                // A server may end a kept connection at any time; what did not go out is sent again.
                Err((_, Some(unsent))) if is_kept => request = unsent,
                Err((error, _)) => return Err(Rejection::Unreached(target.to_string(), error)),
            }
        };
        forward::clean(response, &target)
    }

    /// What a request is for.
    fn target_of(&self, request: &Request<Incoming>) -> Result<Target, Rejection> {
        let uri = request.uri();
        let named = match (uri.scheme_str(), uri.authority()) {
            (Some("http"), Some(authority)) => {
                let unreadable =
                    |reason| Rejection::Refused(Refusal::of_text(authority.as_str(), reason));
                Some(Target::parse(authority.as_str(), Some(80)).map_err(unreadable)?)
            }
            (None, None) => None,
            _ => {
                let reason = "is asked for with another scheme than `http`; use CONNECT for it";
                return Err(Rejection::Refused(Refusal::of_text(&uri.to_string(), reason)));
            }
        };
        match (&self.within, named) {
            (None, Some(named)) => Ok(named),
            (None, None) => {
                Err(Rejection::Bad("this is a proxy; ask for a whole address, `http://host/path`"))
            }
            (Some(target), None) => Ok(target.clone()),
            (Some(target), Some(named)) if *target == named => Ok(named),
            (Some(target), Some(named)) => {
                let reason = Reason::HostHeader(named.to_string());
                Err(Rejection::Refused(Refusal::of(target, &reason)))
            }
        }
    }

    fn content_for(&self, target: &Target) -> Result<Content, Rejection> {
        let content = self.shared.rules.content_for(target);
        content.ok_or_else(|| Rejection::Refused(Refusal::of(target, &Reason::NoRule)))
    }

    async fn reach(&self, target: &Target) -> Result<TcpStream, Rejection> {
        self.shared.reach(target).await.map_err(|unreached| match unreached {
            Unreached::Refused(reason) => Rejection::Refused(Refusal::of(target, &reason)),
            Unreached::Failed(error) => Rejection::Unreached(target.to_string(), error),
        })
    }
}

/// The answer to a request that was not passed on: a status, and one line for people.
fn answer_to(rejection: &Rejection) -> Response<Body> {
    let (status, line) = match rejection {
        Rejection::Bad(reason) => (StatusCode::BAD_REQUEST, (*reason).to_owned()),
        Rejection::Refused(refusal) => (StatusCode::FORBIDDEN, refusal.to_string()),
        Rejection::Unreached(target, error) => {
            let status = match error.kind() {
                io::ErrorKind::TimedOut => StatusCode::GATEWAY_TIMEOUT,
                _ => StatusCode::BAD_GATEWAY,
            };
            (status, format!("cannot reach `{target}`: {}", shown(&error.to_string())))
        }
    };
    let mut response = Response::new(body_of(format!("pi-bash: {line}\n")));
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

fn body_of(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed()
}
