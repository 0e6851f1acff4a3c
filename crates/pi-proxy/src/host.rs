//! A host and a port as programs and rules write them, in the one form in which they are compared.
//!
//! Comparing is only as strict as reading: a name has letters, digits, hyphens and underscores, so
//! that no NUL byte, no white space and no `@` is ever part of one, and what a resolver could take
//! for a number is an address or nothing.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest name, in bytes (RFC 1035, without the trailing dot).
const MAX_NAME_BYTES: usize = 253;

/// Longest part of a name between two dots, in bytes.
const MAX_LABEL_BYTES: usize = 63;

/// Digits of the highest port.
const MAX_PORT_DIGITS: usize = 5;

/// The name that means the machine itself wherever it is used (RFC 6761). It is never looked up.
pub(crate) const LOCALHOST: &str = "localhost";

/// A host, by name or by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// In lower case, without a trailing dot.
    Name(String),
    /// As it was written: an IPv4 address within an IPv6 one stays that.
    Address(IpAddr),
}

impl Host {
    /// Reads a host. An IPv6 address stands in brackets.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence that begins with the text.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or("has a bracket that does not end")?;
            let address: Ipv6Addr =
                inner.parse().map_err(|_| "has brackets around what is not an IPv6 address")?;
            return Ok(Self::Address(address.into()));
        }
        check_name(text)?;
        let name = text.to_ascii_lowercase();
        if !ends_in_number(&name) {
            return Ok(Self::Name(name));
        }
        // Resolvers read `127.1`, `0x7f.1` and `2130706433` as addresses. The standard form is enough.
        let address: Ipv4Addr = name
            .parse()
            .map_err(|_| "is a number, but not an IPv4 address of four decimal numbers")?;
        Ok(Self::Address(address.into()))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => formatter.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(formatter),
            Self::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]"),
        }
    }
}

fn check_name(text: &str) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("has no host");
    }
    if !text.is_ascii() {
        return Err("has letters beyond ASCII; write the name in Punycode (`xn--…`)");
    }
    if text.contains(':') {
        return Err("has more than one colon; an IPv6 address needs brackets");
    }
    if text.ends_with('.') {
        return Err("ends in a dot; remove it");
    }
    if text.len() > MAX_NAME_BYTES {
        return Err("is longer than 253 characters");
    }
    for label in text.split('.') {
        if label.is_empty() || label.len() > MAX_LABEL_BYTES {
            return Err("has a part that is empty or longer than 63 characters");
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !label.bytes().all(allowed) || label.starts_with('-') || label.ends_with('-') {
            return Err("is not the name of a host");
        }
    }
    Ok(())
}

/// Whether a resolver may take the name for an IPv4 address: the test of the URL standard.
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let is_hexadecimal = last
        .strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_decimal || is_hexadecimal
}

/// A host and a port of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Target {
    /// Reads `host`, `host:port` or `[address]:port`, without a user.
    ///
    /// # Errors
    /// As of [`Host::parse`]; also where there is no port and no default.
    pub(crate) fn parse(text: &str, default_port: Option<u16>) -> Result<Self, &'static str> {
        let (host, port) = split_port(text)?;
        let port = match port {
            Some(port) => parse_port(port)?,
            None => default_port.ok_or("has no port")?,
        };
        Ok(Self { host: Host::parse(host)?, port })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// The host, and what stands after the colon that follows it.
pub(crate) fn split_port(text: &str) -> Result<(&str, Option<&str>), &'static str> {
    if text.contains('@') {
        return Err("has a user before the host; remove it");
    }
    if text.starts_with('[') {
        return match text.split_once("]:") {
            Some((_, port)) => {
                let end = text.len() - port.len() - 1;
                Ok((text.get(..end).unwrap_or_default(), Some(port)))
            }
            None => Ok((text, None)),
        };
    }
    Ok(text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))))
}

/// A port in plain decimal digits.
pub(crate) fn parse_port(text: &str) -> Result<u16, &'static str> {
    const WRONG: &str = "has a port that is not a number from 1 to 65535";
    let is_plain = !text.is_empty()
        && text.len() <= MAX_PORT_DIGITS
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.starts_with('0');
    if !is_plain {
        return Err(WRONG);
    }
    text.parse().map_err(|_| WRONG)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_compared_in_lower_case() {
        assert_eq!(
            Host::parse("Registry.Example.ORG"),
            Ok(Host::Name("registry.example.org".into()))
        );
    }

    #[test]
    fn what_a_resolver_reads_as_a_number_is_not_a_name() {
        for text in [
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "127.1",
            "127.0.1",
            "0177.0.0.1",
            "127.0.0.01",
            "0x7f.0.0.0x1",
            "127.0.0.256",
            "1.2.3.4.5",
            "example.0x",
            "example.1",
        ] {
            assert!(Host::parse(text).is_err(), "{text}");
        }
        assert_eq!(Host::parse("127.0.0.1"), Ok(Host::Address(Ipv4Addr::LOCALHOST.into())));
        assert_eq!(Host::parse("[0:0::1]"), Ok(Host::Address(Ipv6Addr::LOCALHOST.into())));
    }

    #[test]
    fn a_name_has_nothing_that_another_reader_takes_for_its_end() {
        for text in [
            "",
            ".",
            "a..b",
            ".a",
            "a.",
            "a b",
            "a\0.allowed.com",
            "a\r\nb",
            "a/b",
            "a?b",
            "a#b",
            "a\\b",
            "a%2eb",
            "a,b",
            "bücher.example",
            "a\u{3002}b",
            "-a.example",
            "a-.example",
            "::1",
            "[::1",
            "[::1%lo]",
            "[127.0.0.1]",
            "*.example.com",
        ] {
            assert!(Host::parse(text).is_err(), "{text:?}");
        }
        let long = format!("{}.example", "a.".repeat(130));
        assert!(Host::parse(&long).is_err());
        assert!(Host::parse(&"a".repeat(64)).is_err());
    }

    #[test]
    fn a_target_has_a_plain_port_and_no_user() {
        let target = Target::parse("[::1]:4873", None).unwrap();
        assert_eq!(target.to_string(), "[::1]:4873");
        assert_eq!(Target::parse("a.example", Some(80)).unwrap().port, 80);
        for text in [
            "a.example",
            "a.example:",
            "a.example:0",
            "a.example:080",
            "a.example:65536",
            "a.example:+80",
            "a.example:80,443",
            "a.example:8 0",
            "u@a.example:80",
            "allowed.com:80@evil.example:80",
            "a.example:80:80",
            "[::1]80",
            "[::1]]:80",
        ] {
            assert!(Target::parse(text, None).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_and_read_again(text in "\\PC{0,40}") {
            if let Ok(target) = Target::parse(&text, Some(443)) {
                prop_assert_eq!(Target::parse(&target.to_string(), None), Ok(target));
            }
        }

        #[test]
        fn names_have_no_byte_but_those_of_a_name(text in any::<String>()) {
            if let Ok(Host::Name(name)) = Host::parse(&text) {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()
                    || byte.is_ascii_digit() || b"-_.".contains(&byte)));
                prop_assert!(name.parse::<IpAddr>().is_err());
            }
        }
    }
}
