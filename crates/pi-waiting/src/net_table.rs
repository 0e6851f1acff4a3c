//! The listening TCP sockets of a process's network namespace, by its `net/tcp` and `net/tcp6` (`proc_pid_net(5)`): the way
//! into a namespace that this process is not in.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::sockets::{Table, plain};

/// `TCP_LISTEN`, as the tables have it.
const LISTEN: &str = "0A";

/// Reads both tables.
pub(crate) fn listening(shown: i32) -> Table {
    let mut table = Table::new();
    for name in ["tcp", "tcp6"] {
        let text = fs::read_to_string(format!("/proc/{shown}/net/{name}")).unwrap_or_default();
        // The first line has the columns' names.
        table.extend(text.lines().skip(1).filter_map(socket_of));
    }
    table
}

/// Inode and address of a line, where it listens.
fn socket_of(line: &str) -> Option<(u32, SocketAddr)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (local, state, inode) = (*words.get(1)?, *words.get(3)?, *words.get(9)?);
    if state != LISTEN {
        return None;
    }
    let (address, port) = local.split_once(':')?;
    let address = address_of(address)?;
    let port = u16::from_str_radix(port, 16).ok()?;
    Some((inode.parse().ok()?, plain(SocketAddr::new(address, port))))
}

/// Words of 32 bits, each printed as this machine has it in memory.
fn address_of(digits: &str) -> Option<IpAddr> {
    if !digits.is_ascii() {
        return None;
    }
    let words = digits.as_bytes().chunks(8).map(|word| {
        let word = u32::from_str_radix(str::from_utf8(word).ok()?, 16).ok()?;
        Some(word.to_ne_bytes())
    });
    let words: Option<Vec<[u8; 4]>> = words.collect();
    let bytes = words?.concat();
    match bytes.len() {
        4 => Some(Ipv4Addr::from(*bytes.first_chunk::<4>()?).into()),
        16 => Some(Ipv6Addr::from(*bytes.first_chunk::<16>()?).into()),
        _ => None,
    }
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_its_socket_listens() {
        let line = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100";
        assert_eq!(socket_of(line), Some((4711, "127.0.0.1:8080".parse().unwrap())));
        assert_eq!(socket_of(&line.replace(" 0A ", " 01 ")), None, "a connection");
        let six = line.replace("0100007F", "00000000000000000000000001000000");
        assert_eq!(socket_of(&six), Some((4711, "[::1]:8080".parse().unwrap())));
        let mapped = line.replace("0100007F", "0000000000000000FFFF00000100007F");
        assert_eq!(socket_of(&mapped), Some((4711, "127.0.0.1:8080".parse().unwrap())));
    }

    #[test]
    fn the_table_of_our_own_namespace_has_our_listener() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let bound = listener.local_addr().unwrap();
        assert!(listening(own).values().any(|address| *address == bound));
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in "\\PC{0,60}( [0-9A-F:]{0,40}){0,12}") {
            socket_of(&line);
        }
    }
}
