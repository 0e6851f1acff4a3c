//! The rules of a session's network: how they are read, and what they allow.
//!
//! | rule | allows |
//! |---|---|
//! | `host` | this name, ports 80 and 443 |
//! | `host:port` | this name, this port |
//! | `*.host`, `*.host:port` | every name below it, at any depth, and not the name itself |
//! | `address:port` | this address, written as an address; also as what a name resolves to |
//! | `localhost:port` | this name, which is 127.0.0.1 and ::1 and never looked up |

use std::net::{IpAddr, Ipv4Addr};

use crate::address;
use crate::host::{Host, LOCALHOST, Target, parse_port, split_port};

/// Most rules of one session.
pub const MAX_RULES: usize = 256;

/// Ports of a name whose rule has none.
const DEFAULT_PORTS: [u16; 2] = [80, 443];

/// Where TLS is expected.
const TLS_PORT: u16 = 443;

/// Where HTTP is expected.
const HTTP_PORT: u16 = 80;

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// There are more than [`MAX_RULES`].
    #[error("has more than {MAX_RULES} rules; allow the names above with `*.host`")]
    TooMany,
    /// One that says nothing, or too much.
    #[error("has the rule `{}`, which {reason}", rule.escape_debug())]
    Invalid {
        /// As it was given.
        rule: String,
        /// What is wrong, and what to do.
        reason: &'static str,
    },
}

/// What may pass to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// TLS with the target's name as its server name.
    Tls,
    /// HTTP with the target as its `Host`.
    Http,
    /// Anything.
    Anything,
}

/// What a session can reach of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    texts: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    hosts: Hosts,
    /// `None`: the default ports.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    /// The name alone.
    Name(String),
    /// With its dot: what a name below ends with.
    Below(String),
    /// The address alone.
    Address(IpAddr),
}

impl Rules {
    /// Reads rules; none at all is a network in which everything is refused and named.
    ///
    /// # Errors
    /// [`RuleError`] with the first rule that cannot be used.
    pub fn parse(texts: &[String]) -> Result<Self, RuleError> {
        if texts.len() > MAX_RULES {
            return Err(RuleError::TooMany);
        }
        let read = |text: &String| {
            Rule::parse(text).map_err(|reason| RuleError::Invalid { rule: text.clone(), reason })
        };
        let rules = texts.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { texts: texts.to_vec(), rules })
    }

    /// The rules as they were given.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The names of this machine that programs reach without the proxy: of those that `NO_PROXY`
    /// usually lists, the ones that no rule names. Servers within the sandbox answer to them.
    pub fn own_loopback_names(&self) -> Vec<&'static str> {
        let named = |hosts: &Hosts| self.rules.iter().any(|rule| rule.hosts == *hosts);
        let localhost = Hosts::Name(LOCALHOST.to_owned());
        [
            (LOCALHOST, localhost),
            ("127.0.0.1", Hosts::Address(Ipv4Addr::LOCALHOST.into())),
            ("::1", Hosts::Address(std::net::Ipv6Addr::LOCALHOST.into())),
        ]
        .into_iter()
        .filter_map(|(name, hosts)| (!named(&hosts)).then_some(name))
        .collect()
    }

    /// What may pass to a target; `None`: no rule names it.
    pub(crate) fn content_for(&self, target: &Target) -> Option<Content> {
        let content = match (&target.host, target.port) {
            (Host::Name(_), TLS_PORT) => Content::Tls,
            (Host::Name(_), HTTP_PORT) => Content::Http,
            _ => Content::Anything,
        };
        self.rules.iter().any(|rule| rule.allows(target)).then_some(content)
    }

    /// Whether a connection may go to an address that the name of an allowed target stands for.
    ///
    /// # Errors
    /// What the address is for, where it is not public and no rule names it with this port.
    pub(crate) fn check_address(&self, address: IpAddr, port: u16) -> Result<(), &'static str> {
        let Some(use_) = address::special_use(address) else { return Ok(()) };
        let literal = Target { host: Host::Address(address), port };
        let is_named = self.rules.iter().any(|rule| rule.allows(&literal));
        if is_named { Ok(()) } else { Err(use_) }
    }
}

/// The shortest rule that allows a target; `None`: no rule could.
pub(crate) fn rule_for(target: &Target) -> Option<String> {
    let is_default = DEFAULT_PORTS.contains(&target.port);
    let text = match &target.host {
        Host::Name(name) if is_default && name != LOCALHOST => name.clone(),
        _ => target.to_string(),
    };
    Rule::parse(&text).is_ok().then_some(text)
}

impl Rule {
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "*" {
            return Err("allows every host; set `sandbox.network` to `true` for that");
        }
        if text.contains("://") {
            return Err("has a scheme; write the host alone, with a port where one is needed");
        }
        if text.contains('/') {
            return Err("has a path or a mask; a rule is about a host as a whole");
        }
        let (host, port) = split_port(text)?;
        let port = port.map(parse_port).transpose()?;
        if let Some(above) = host.strip_prefix("*.") {
            return match Host::parse(above)? {
                Host::Name(above) if above.contains('.') => {
                    Ok(Self { hosts: Hosts::Below(format!(".{above}")), port })
                }
                Host::Name(_) => Err("allows too much; name at least two parts after the `*.`"),
                Host::Address(_) => Err("has a `*` before an address"),
            };
        }
        if host.contains('*') {
            return Err("has a `*` that is not the whole first part");
        }
        match Host::parse(host)? {
            Host::Address(address) => Self::of_address(address, port),
            Host::Name(name) if name == LOCALHOST && port.is_none() => {
                Err("needs a port, as every rule about this machine")
            }
            Host::Name(name) => Ok(Self { hosts: Hosts::Name(name), port }),
        }
    }

    fn of_address(address: IpAddr, port: Option<u16>) -> Result<Self, &'static str> {
        match address {
            IpAddr::V6(inner) if inner.to_ipv4_mapped().is_some() => {
                return Err("has an IPv4 address within an IPv6 one; write the IPv4 address");
            }
            _ => {}
        }
        if matches!(address::special_use(address), Some("unspecified" | "multicast")) {
            return Err("has an address that is not of one machine");
        }
        match port {
            Some(_) => Ok(Self { hosts: Hosts::Address(address), port }),
            None => Err("is an address without a port; name the port"),
        }
    }

    fn allows(&self, target: &Target) -> bool {
        let host = match (&self.hosts, &target.host) {
            (Hosts::Name(wanted), Host::Name(name)) => wanted == name,
            // Longer than the end, so that something stands before the dot.
            (Hosts::Below(end), Host::Name(name)) => name.len() > end.len() && name.ends_with(end),
            (Hosts::Address(wanted), Host::Address(address)) => wanted == address,
            _ => false,
        };
        host && self
            .port
            .map_or_else(|| DEFAULT_PORTS.contains(&target.port), |port| port == target.port)
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
