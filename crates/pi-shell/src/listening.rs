//! Which ports a session's processes, or any processes, listen on, as this crate's users have it. How it is found out is
//! `pi_waiting`'s; where that cannot look there are no ports.

use std::net::IpAddr;

/// A TCP port that a program listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListeningPort {
    /// Number of the port.
    pub port: u16,
    /// Where it is bound.
    pub address: IpAddr,
    /// The program that has the socket; absent where that is another user's.
    pub program: Option<(i32, String)>,
    /// When that process started, in milliseconds since the Unix epoch; 0 where that is not known.
    pub started_at_ms: u64,
    /// It is in another network namespace than this process and cannot be reached from here.
    pub is_inside: bool,
}

/// The ports of these processes and of everything below them, by number and address. May block for some milliseconds.
#[cfg(target_os = "linux")]
pub fn listening_ports(roots: &[i32]) -> Vec<ListeningPort> {
    let found = pi_waiting::listening(roots).into_iter();
    found
        .map(|one| ListeningPort {
            port: one.address.port(),
            address: one.address.ip(),
            program: Some((one.program.pid, one.program.name)),
            started_at_ms: one.started_at_ms,
            is_inside: one.is_inside,
        })
        .collect()
}

/// Not looked at on this system.
#[cfg(not(target_os = "linux"))]
pub fn listening_ports(_roots: &[i32]) -> Vec<ListeningPort> {
    Vec::new()
}

/// Who listens on a port of this machine, whoever started it. May block for some tens of milliseconds.
#[cfg(target_os = "linux")]
pub fn port_holder(port: u16) -> Option<ListeningPort> {
    let holder = pi_waiting::holder(port)?;
    let address = holder.address.ip();
    let program = holder.program.map(|program| (program.pid, program.name));
    Some(ListeningPort { port, address, program, started_at_ms: 0, is_inside: false })
}

/// Not looked at on this system.
#[cfg(not(target_os = "linux"))]
pub fn port_holder(_port: u16) -> Option<ListeningPort> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_found_by_its_process_and_its_process_by_the_port() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();

        let ports = listening_ports(&[own]);
        let found = ports.iter().find(|found| found.port == address.port()).unwrap();
        assert_eq!((found.address, found.is_inside), (address.ip(), false));
        assert_eq!(found.program.as_ref().map(|(pid, _)| *pid), Some(own));
        let holder = port_holder(address.port()).unwrap();
        assert_eq!((holder.port, holder.address), (address.port(), address.ip()));
    }
}
