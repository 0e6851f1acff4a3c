//! What the proxy refused: kept for the session's next result, and said to the program where its
//! protocol has words.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::host::{Host, Target};
use crate::rules::rule_for;

/// Refusals that are kept until they are taken.
const MAX_KEPT: usize = 20;

/// Characters shown of what a program sent.
const MAX_SHOWN_CHARS: usize = 100;

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// No rule names the host with this port.
    NoRule,
    /// All addresses that the name stands for are of this machine or a network around it.
    Address { address: IpAddr, use_: &'static str },
    /// What came is not the beginning of TLS that is current.
    NotTls,
    /// TLS for another name, or for none.
    ServerName(Option<String>),
    /// A request for another host than the one that is connected to.
    HostHeader(String),
    /// The target cannot be read, or a way of asking is not served.
    Unreadable(&'static str),
}

/// Something that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Host and port as they were asked for, shortened and without control characters.
    pub target: String,
    /// Why, as the rest of a sentence that begins with the target.
    pub reason: String,
    /// The rule that would allow it. `None`: no rule would.
    pub rule: Option<String>,
}

impl Refusal {
    pub(crate) fn of(target: &Target, reason: &Reason) -> Self {
        let rule = match reason {
            Reason::NoRule => rule_for(target),
            Reason::Address { address, .. } => {
                rule_for(&Target { host: Host::Address(*address), port: target.port })
            }
            _ => None,
        };
        Self { target: target.to_string(), reason: reason.to_string(), rule }
    }

    /// Of a target that is none.
    pub(crate) fn of_text(target: &str, reason: &'static str) -> Self {
        let reason = Reason::Unreadable(reason).to_string();
        Self { target: shown(target), reason, rule: None }
    }
}

/// One line for a person: what, why and the remedy.
impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the sandbox refused `{}`, which {}", self.target, self.reason)?;
        match &self.rule {
            Some(rule) => {
                write!(formatter, "; the user can add `{rule}` to `sandbox.network.allow`")
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRule => formatter.write_str("no rule allows"),
            Self::Address { address, use_ } => {
                write!(formatter, "stands for {address}, a {use_} address")
            }
            Self::NotTls => {
                formatter.write_str("expects TLS 1.2 or later and was sent something else")
            }
            Self::ServerName(Some(name)) => {
                write!(formatter, "was sent TLS for another name, `{}`", shown(name))
            }
            Self::ServerName(None) => formatter.write_str("was sent TLS without a server name"),
            Self::HostHeader(host) => {
                write!(formatter, "was sent a request for another host, `{}`", shown(host))
            }
            Self::Unreadable(reason) => formatter.write_str(reason),
        }
    }
}

/// A text of a program, on one line and not longer than a name.
pub(crate) fn shown(text: &str) -> String {
    let escaped = text.escape_debug().to_string().replace('`', "'");
    if escaped.chars().count() <= MAX_SHOWN_CHARS {
        return escaped;
    }
    escaped.chars().take(MAX_SHOWN_CHARS).chain(['…']).collect()
}

/// What was refused since it was last asked for: each once, the first twenty.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Vec<Refusal>>);

impl Refusals {
    pub(crate) fn note(&self, refusal: &Refusal) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT && !kept.contains(refusal) {
            kept.push(refusal.clone());
        }
    }

    /// Takes what is there.
    pub fn take(&self) -> Vec<Refusal> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_and_only_so_many() {
        let refusals = Refusals::default();
        for number in 0..100 {
            let target = Target::parse(&format!("h{}.example:443", number / 2), None).unwrap();
            refusals.note(&Refusal::of(&target, &Reason::NoRule));
        }

        let taken = refusals.take();

        assert_eq!(taken.len(), MAX_KEPT);
        assert_eq!(taken.iter().filter(|one| one.target == "h3.example:443").count(), 1);
        assert!(refusals.take().is_empty());
    }

    #[test]
    fn the_line_names_the_target_the_reason_and_the_rule_to_add() {
        let target = Target::parse("intranet.example:443", None).unwrap();
        let address = "10.0.0.5".parse().unwrap();

        let line = Refusal::of(&target, &Reason::Address { address, use_: "private" }).to_string();

        assert_eq!(
            line,
            "the sandbox refused `intranet.example:443`, which stands for 10.0.0.5, a private address; the user can add `10.0.0.5:443` to `sandbox.network.allow`"
        );
    }

    #[test]
    fn what_a_program_sent_stays_on_its_line_and_within_its_quotes() {
        let text = format!("a`b\r\n\0\u{1b}[31m{}", "x".repeat(1_000));

        let refusal = Refusal::of_text(&text, "is not the name of a host");

        assert!(!refusal.to_string().contains(['\r', '\n', '\0', '\u{1b}']));
        assert_eq!(refusal.to_string().matches('`').count(), 2);
        assert!(refusal.target.chars().count() <= MAX_SHOWN_CHARS + 1);
    }
}
