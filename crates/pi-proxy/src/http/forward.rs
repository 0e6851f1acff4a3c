//! A request on its way to a server and the answer on its way back, over a connection that is kept.

use std::io;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderValue};
use hyper::{Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::headers::remove_hop_by_hop;
use super::{Body, MAX_HEAD_BYTES, Rejection};
use crate::host::Target;

/// Longest wait for a kept connection to be free; its last answer was passed on already.
const FREE_BOUND: Duration = Duration::from_secs(1);

/// A connection to a server.
pub(super) struct Upstream {
    target: Target,
    sender: SendRequest<Incoming>,
    /// Moves the bytes; ends with this.
    _task: JoinSet<()>,
}

impl Upstream {
    pub(super) async fn open(stream: TcpStream, target: Target) -> Result<Self, Rejection> {
        let shaken = Builder::new()
            .max_buf_size(2 * MAX_HEAD_BYTES)
            .handshake::<_, Incoming>(TokioIo::new(stream))
            .await;
        let (sender, connection) = shaken
            .map_err(|error| Rejection::Unreached(target.to_string(), io::Error::other(error)))?;
        let mut task = JoinSet::new();
        task.spawn(async {
            // Its errors are those of the requests.
            connection.await.ok();
        });
        Ok(Self { target, sender, _task: task })
    }

    pub(super) fn is_for(&self, target: &Target) -> bool {
        self.target == *target
    }

    /// The connection when it takes a request; `None`: the server has ended it.
    pub(super) async fn when_free(mut self) -> Option<Self> {
        let is_free = matches!(timeout(FREE_BOUND, self.sender.ready()).await, Ok(Ok(())));
        is_free.then_some(self)
    }

    /// Sends a request; an error has it back where nothing of it went out.
    pub(super) async fn send(
        &mut self,
        request: Request<Incoming>,
    ) -> Result<Response<Incoming>, (io::Error, Option<Request<Incoming>>)> {
        self.sender.try_send_request(request).await.map_err(|mut error| {
            let unsent = error.take_message();
            (io::Error::other(error.into_error()), unsent)
        })
    }
}

/// Makes a request that of a proxy to the target's server.
pub(super) fn rewrite(request: &mut Request<Incoming>, target: &Target) -> Result<(), Rejection> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let path = path.parse::<Uri>().map_err(|_| Rejection::Bad("the address has no usable path"))?;
    *request.uri_mut() = path;
    *request.version_mut() = Version::HTTP_11;
    let length = request.body().size_hint().exact();
    let had_length = request.headers().contains_key(CONTENT_LENGTH);
    let headers = request.headers_mut();
    remove_hop_by_hop(headers);
    // Said again in one way: the length that was read, and the target that was judged.
    headers.remove(CONTENT_LENGTH);
    if let Some(length) = length.filter(|_| had_length) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let host = if target.port == 80 { target.host.to_string() } else { target.to_string() };
    let host = HeaderValue::try_from(host)
        .map_err(|_| Rejection::Bad("the address has no usable host"))?;
    headers.insert(HOST, host);
    Ok(())
}

/// Makes an answer that of a proxy.
pub(super) fn clean(
    mut response: Response<Incoming>,
    target: &Target,
) -> Result<Response<Body>, Rejection> {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let error = io::Error::other("it changed the protocol, which was not asked for");
        return Err(Rejection::Unreached(target.to_string(), error));
    }
    remove_hop_by_hop(response.headers_mut());
    *response.version_mut() = Version::HTTP_11;
    Ok(response.map(BodyExt::boxed))
}
