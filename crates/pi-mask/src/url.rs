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

#[cfg(test)]
mod tests {
    use super::*;

    /// The password behind `://`, while the text goes on and at its end.
    fn passwords(rest: &str) -> [Verdict; 2] {
        let text = format!("x://{rest}");
        [false, true].map(|at_end| password(text.as_bytes(), 4, at_end))
    }

    fn token(start: usize, end: usize) -> Verdict {
        Verdict::Token { start: 4 + start, end: 4 + end, open: None }
    }

    #[test]
    fn a_password_stands_between_the_first_colon_and_the_last_at() {
        assert_eq!(passwords("u:pw@h/"), [token(2, 4); 2]);
        assert_eq!(passwords("u:p:w@x@h/"), [token(2, 7); 2]);
        assert_eq!(passwords("u:pw@h"), [Verdict::Undecided, token(2, 4)]);
        for without in ["u@h/", "h:80/", "u:@h/", "h/u:pw@h", "u:$P@h/", "u:{P}@h/", "u:[P]@h/"] {
            assert_eq!(passwords(without), [Verdict::No; 2], "{without}");
        }
        for mask in ["****", "xxxx", "XXXX", "...."] {
            assert_eq!(passwords(&format!("u:{mask}@h/")), [Verdict::No; 2], "{mask}");
        }
        assert_eq!(passwords("u:x*y@h/"), [token(2, 5); 2]);
        for end in ["/", "?", "#", "\\", "\"", "'", "`", "<", ">", "|", " ", "\n", "\u{7f}"] {
            assert_eq!(passwords(&format!("u:pw{end}@h/")), [Verdict::No; 2], "{end:?}");
        }
    }

    #[test]
    fn an_authority_is_looked_at_up_to_its_bound() {
        let of = |length: usize| {
            let password = "p".repeat(length - "u:@h".len());
            passwords(&format!("u:{password}@h"))[0]
        };
        assert_eq!(of(MAX_AUTHORITY - 1), Verdict::Undecided);
        assert_eq!(of(MAX_AUTHORITY), token(2, MAX_AUTHORITY - 2));
        assert_eq!(of(MAX_AUTHORITY + 2), Verdict::No, "the `@` is beyond it");
    }

    #[test]
    fn a_host_and_a_port_can_be_shown_and_what_may_be_a_password_cannot() {
        for (rest, shown) in [
            ("localhost", 9),
            ("localhost:", 10),
            ("localhost:65535", 15),
            ("localhost:655350", 10),
            ("user:p", 5),
            ("user:1p", 5),
        ] {
            assert_eq!(harmless(rest.as_bytes()), shown, "{rest}");
        }
    }
}
