//! The listening TCP sockets of our own network namespace, by `sock_diag(7)`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::sockets::{Table, plain};

/// `SOCK_DIAG_BY_FAMILY` (`linux/sock_diag.h`).
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST | NLM_F_DUMP` (`netlink(7)`).
const DUMP: u16 = 0x1 | 0x300;
/// `NLMSG_ERROR` and `NLMSG_DONE` (`netlink(7)`).
const ERROR: u16 = 2;
const DONE: u16 = 3;
/// Bytes of `struct nlmsghdr`.
const HEADER_BYTES: usize = 16;
/// Bytes of `struct inet_diag_req_v2` (`sock_diag(7)`).
const REQUEST_BYTES: usize = 56;
/// `1 << TCP_LISTEN` (`net/tcp_states.h`).
const LISTEN: u32 = 1 << 10;
/// Room for one answer of the kernel, which is at most 32 KiB.
const ANSWER_BYTES: usize = 64 * 1024;

/// Asks the kernel.
pub(crate) fn listening() -> io::Result<Table> {
    let mut table = Table::new();
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        // A kernel without IPv6 refuses that one.
        match of_family(family, &mut table) {
            Err(error) if family == AddressFamily::INET => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(table)
}

fn of_family(family: AddressFamily, table: &mut Table) -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &request(family), SendFlags::empty(), &kernel)?;
    let mut buffer = vec![0; ANSWER_BYTES];
    loop {
        // The kernel has made its answer when `sendto` returns, and makes the next part in `recv`.
        let (length, _) = rustix::net::recv(&socket, &mut buffer[..], RecvFlags::DONTWAIT)?;
        let answer = buffer.get(..length).unwrap_or_default();
        if take(answer, table)? {
            return Ok(());
        }
    }
}

/// The question: all that listen, of TCP.
fn request(family: AddressFamily) -> Vec<u8> {
    /// `IPPROTO_TCP`.
    const TCP: u8 = 6;

    let length = u32::try_from(HEADER_BYTES + REQUEST_BYTES).unwrap_or_default();
    let mut bytes = Vec::with_capacity(HEADER_BYTES + REQUEST_BYTES);
    bytes.extend(length.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(DUMP.to_ne_bytes());
    // Sequence number and sender: there is one question.
    bytes.extend([0; 8]);
    let family = u8::try_from(family.as_raw()).unwrap_or_default();
    bytes.extend([family, TCP, 0, 0]);
    bytes.extend(LISTEN.to_ne_bytes());
    bytes.resize(HEADER_BYTES + REQUEST_BYTES, 0);
    bytes
}

/// Takes an answer. Whether it was the last one.
fn take(mut answer: &[u8], table: &mut Table) -> io::Result<bool> {
    while let Some((header, _)) = answer.split_first_chunk::<HEADER_BYTES>() {
        let length = header.first_chunk().map_or(0, |length| u32::from_ne_bytes(*length));
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let kind = header.last_chunk::<12>().and_then(|rest| rest.first_chunk());
        let message = answer.get(HEADER_BYTES..length).ok_or(io::ErrorKind::InvalidData)?;
        match kind.map_or(0, |kind| u16::from_ne_bytes(*kind)) {
            DONE => return Ok(true),
            ERROR => {
                let code = message.first_chunk().map_or(0, |code| i32::from_ne_bytes(*code));
                return Err(Errno::from_raw_os_error(-code).into());
            }
            BY_FAMILY => table.extend(socket_of(message)),
            _ => {}
        }
        // Messages begin at multiples of four.
        answer = answer.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

/// Inode and address in a `struct inet_diag_msg` (`sock_diag(7)`).
fn socket_of(message: &[u8]) -> Option<(u32, SocketAddr)> {
    let family = *message.first()?;
    let port = u16::from_be_bytes(*message.get(4..)?.first_chunk()?);
    let source = message.get(8..24)?;
    let inode = u32::from_ne_bytes(*message.get(68..)?.first_chunk()?);
    let address = if u16::from(family) == AddressFamily::INET.as_raw() {
        IpAddr::from(Ipv4Addr::from(*source.first_chunk::<4>()?))
    } else {
        IpAddr::from(Ipv6Addr::from(*source.first_chunk::<16>()?))
    };
    Some((inode, plain(SocketAddr::new(address, port))))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_listening_socket_is_found_by_its_port() {
        let (four, six) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("[::1]:0"));
        let table = listening().unwrap();
        let bound: Vec<SocketAddr> = table.values().copied().collect();
        assert!(bound.contains(&four.local_addr().unwrap()), "{bound:?}");
        if let Ok(six) = six {
            assert!(bound.contains(&six.local_addr().unwrap()), "{bound:?}");
        }
    }

    #[test]
    fn what_the_kernel_refuses_is_an_error() {
        let mut answer = 20_u32.to_ne_bytes().to_vec();
        answer.extend(ERROR.to_ne_bytes());
        answer.extend([0; 10]);
        answer.extend((-1_i32).to_ne_bytes());
        let error = take(&answer, &mut Table::new()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::PERM.raw_os_error()));
    }

    proptest::proptest! {
        #[test]
        fn any_answer_is_taken_or_refused(answer: Vec<u8>) {
            take(&answer, &mut Table::new()).ok();
        }
    }
}
