//! The fields of a message that say where it ends, whom it is for, and what ends at the proxy.

use hyper::HeaderMap;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

use super::Rejection;
use crate::host::Target;
use crate::refusals::{Reason, Refusal};

/// Fields that are between two programs and not for the next one (RFC 9110, 7.6.1), and what only a
/// proxy reads. `Expect` is answered here.
const HOP_BY_HOP: [HeaderName; 6] =
    [CONNECTION, EXPECT, TRAILER, TRANSFER_ENCODING, UPGRADE, HeaderName::from_static("te")];

/// More of them, which have no names of their own in the library.
const MORE_HOP_BY_HOP: [&str; 5] = [
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "http2-settings",
];

/// Whether a message says that a body follows.
pub(super) fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING)
}

/// Refuses a request of whose end two programs could think differently.
pub(super) fn check_framing(headers: &HeaderMap) -> Result<(), Rejection> {
    let codings: Vec<_> = headers.get_all(TRANSFER_ENCODING).iter().collect();
    let is_plain = match codings.as_slice() {
        [] => headers.get_all(CONTENT_LENGTH).iter().count() <= 1,
        [coding] => {
            coding.as_bytes().eq_ignore_ascii_case(b"chunked")
                && !headers.contains_key(CONTENT_LENGTH)
        }
        _ => false,
    };
    is_plain.then_some(()).ok_or(Rejection::Bad(
        "the request's length is ambiguous; send one Content-Length, or Transfer-Encoding: chunked",
    ))
}

/// Refuses a request whose `Host` is not the target. Without one there is nothing to differ.
pub(super) fn check_host(headers: &HeaderMap, target: &Target) -> Result<(), Rejection> {
    let mut hosts = headers.get_all(HOST).iter();
    let Some(host) = hosts.next() else { return Ok(()) };
    if hosts.next().is_some() {
        return Err(Rejection::Bad("the request has several Host fields; send one"));
    }
    let text = String::from_utf8_lossy(host.as_bytes());
    if Target::parse(&text, Some(80)).as_ref() == Ok(target) {
        return Ok(());
    }
    let reason = Reason::HostHeader(text.into_owned());
    Err(Rejection::Refused(Refusal::of(target, &reason)))
}

/// Removes what is not for the next program.
pub(super) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    for name in MORE_HOP_BY_HOP {
        headers.remove(name);
    }
}
