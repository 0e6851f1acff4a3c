//! Passwords in URLs: `scheme://user:PASSWORD@host`.
//!
//! RFC 3986, section 3.2.1. Only the password is a secret; the rest of the URL says where a command went.

use super::shapes::Verdict;

/// What a URL's authority begins with.
pub(super) const PREFIX: &[u8] = b"://";

/// Longest authority that is looked at, in bytes: a user, a password and a host.
const MAX_AUTHORITY: usize = 1024;

/// Most digits of a port.
const PORT_DIGITS: usize = 5;

/// Where the password stands in `text`, whose byte `at` is the first one behind `://`.
pub(super) fn password(text: &[u8], at: usize, at_end: bool) -> Verdict {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.iter().take(MAX_AUTHORITY).take_while(|byte| !ends_authority(**byte)).count();
    if length == rest.len() && length < MAX_AUTHORITY && !at_end {
        return Verdict::Undecided;
    }
    let authority = rest.get(..length).unwrap_or_default();
    // Some passwords have an `@` that was not encoded: the last one stands before the host.
    let Some(end) = memchr::memrchr(b'@', authority) else { return Verdict::No };
    let user = authority.get(..end).unwrap_or_default();
    let Some(colon) = memchr::memchr(b':', user) else { return Verdict::No };
    let password = user.get(colon + 1..).unwrap_or_default();
    if password.is_empty() || is_placeholder(password) {
        return Verdict::No;
    }
    Verdict::Token { start: at + colon + 1, end: at + end, open: None }
}

/// Bytes behind `://` that can be shown while it is undecided what they are: up to a password.
pub(super) fn harmless(rest: &[u8]) -> usize {
    let Some(colon) = memchr::memchr(b':', rest) else { return rest.len() };
    let after = rest.get(colon + 1..).unwrap_or_default();
    let is_port = after.len() <= PORT_DIGITS && after.iter().all(u8::is_ascii_digit);
    if is_port { rest.len() } else { colon + 1 }
}

fn ends_authority(byte: u8) -> bool {
    byte <= b' '
        || byte == 0x7f
        || matches!(byte, b'/' | b'?' | b'#' | b'\\' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|')
}

/// What stands for a password in a template: a variable, or a mask that another program put there.
fn is_placeholder(password: &[u8]) -> bool {
    let first = password.first().copied().unwrap_or_default();
    matches!(first, b'$' | b'{' | b'[')
        || password.iter().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'))
}
