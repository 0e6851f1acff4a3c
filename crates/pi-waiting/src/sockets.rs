//! The listening sockets of a network namespace, by whatever they were asked of.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

/// Where the listening sockets of a network namespace are bound, by inode.
pub(crate) type Table = HashMap<u32, SocketAddr>;

/// An address as programs bind it: one of IPv4 that was mapped into IPv6 is one of IPv4.
pub(crate) fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(IpAddr::to_canonical(&address.ip()), address.port())
}
