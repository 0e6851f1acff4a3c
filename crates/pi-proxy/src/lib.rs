//! The forward proxy of one sandboxed session: what its programs can reach of the network.
//!
//! # Theory of operation
//! A session's network namespace has a loopback device and one listener. What connects to that
//! listener is served here, in the host, by the first byte: SOCKS5, else HTTP (`CONNECT`, or a plain
//! request). Each way ends in a [`host::Target`], which the [`Rules`] allow or not; a name is
//! resolved here, its addresses are judged (`address`), and the connection goes to a judged address,
//! never to a name. What then passes depends on the port:
//!
//! | target | what passes |
//! |---|---|
//! | a name, port 443 | TLS whose server name is that name (`client_hello`) |
//! | a name, port 80 | HTTP whose `Host` is that name, request by request (`http`) |
//! | a name with another port that a rule names | anything |
//! | an address with a port that a rule names | anything |
//!
//! What is refused is answered where the protocol has words for it, and kept for the session's next
//! result ([`Refusals`]). A connection's state is its task's: when the [`Proxy`] is dropped, all tasks
//! are aborted and their sockets closed.
//!
//! How the listener comes out of the namespace is the supervisor's (`crates/pi-supervisor`); which
//! variables lead programs to it is `pi-shell`'s. Nothing here knows sessions.

mod address;
mod client_hello;
mod host;
mod http;
mod outside;
mod refusals;
mod rules;
mod server;
mod shared;
mod socks;
mod tunnel;
mod watched;

pub use outside::{Answer, Outside, System};
pub use refusals::{Refusal, Refusals};
pub use rules::{MAX_RULES, RuleError, Rules};
pub use server::Proxy;
