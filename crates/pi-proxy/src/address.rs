//! Which addresses are of the public network, and what the others are for.
//!
//! A name that a rule allows can resolve to anything its owner likes. So an address is refused unless
//! it is public: the special blocks are those of the IANA registries for IPv4 and IPv6, and an IPv4
//! address within an IPv6 one counts as itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for; `None`: it is public.
pub(crate) fn special_use(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_use_v4(address),
        IpAddr::V6(address) => special_use_v6(address),
    }
}

fn special_use_v4(address: Ipv4Addr) -> Option<&'static str> {
    match address.octets() {
        [0, ..] => Some("unspecified"),
        [127, ..] => Some("loopback"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some("private"),
        [169, 254, ..] => Some("link-local"),
        // RFC 6598: between a provider and its customers.
        [100, 64..=127, ..] => Some("shared"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some("documentation"),
        [198, 18..=19, ..] => Some("benchmarking"),
        [224..=239, ..] => Some("multicast"),
        // Protocol assignments, the relays of 6to4, and what is not given out.
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => Some("reserved"),
        _ => None,
    }
}

fn special_use_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("loopback"),
        [0xfe80..=0xfebf, ..] => Some("link-local"),
        [0xfc00..=0xfdff, ..] => Some("unique local"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("documentation"),
        // Protocol assignments (RFC 2928), Teredo among them.
        [0x2001, 0..=0x1ff, ..] => Some("reserved"),
        [0x2000..=0x3fff, ..] => inner(segments).and_then(special_use_v4),
        // Not given out, or for one network: local prefixes of NAT64, IPv4-compatible, site-local.
        _ => inner(segments).map_or(Some("reserved"), special_use_v4),
    }
}

/// The IPv4 address that an IPv6 one is made of, and that its packets end up at.
fn inner(segments: [u16; 8]) -> Option<Ipv4Addr> {
    match segments {
        // IPv4-mapped (RFC 4291), the well-known prefix of NAT64 (RFC 6052), and ISATAP (RFC 5214).
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2000..=0x3fff, _, _, _, 0 | 0x200, 0x5efe, high, low]
        // 6to4 (RFC 3056).
        | [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Option<&'static str> {
        special_use(text.parse().unwrap())
    }

    #[test]
    fn what_is_not_public_is_known_by_its_use() {
        for (text, expected) in [
            ("0.0.0.0", "unspecified"),
            ("0.1.2.3", "unspecified"),
            ("127.255.0.9", "loopback"),
            ("10.0.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("169.254.169.254", "link-local"),
            ("100.64.0.1", "shared"),
            ("192.0.0.192", "reserved"),
            ("198.19.0.1", "benchmarking"),
            ("203.0.113.7", "documentation"),
            ("239.1.1.1", "multicast"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:169.254.169.254", "link-local"),
            ("::127.0.0.1", "reserved"),
            ("64:ff9b::10.0.0.1", "private"),
            ("64:ff9b:1::10.0.0.1", "reserved"),
            ("2002:7f00:1::", "loopback"),
            ("2002:a9fe:a9fe::1", "link-local"),
            ("2001:0:1234::1", "reserved"),
            ("2606:4700::5efe:10.0.0.1", "private"),
            ("fe80::1", "link-local"),
            ("fec0::1", "reserved"),
            ("fd00:ec2::254", "unique local"),
            ("ff02::1", "multicast"),
            ("2001:db8::1", "documentation"),
            ("100::1", "reserved"),
            ("5f00::1", "reserved"),
        ] {
            assert_eq!(of(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn public_addresses_are_public_however_they_are_written() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_ipv4_address_within_an_ipv6_one_counts_as_itself(number in any::<u32>()) {
            let address = Ipv4Addr::from(number);
            let [a, b, c, d] = address.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            for within in [
                address.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ] {
                prop_assert_eq!(special_use(within.into()), special_use(address.into()));
            }
        }

        #[test]
        fn the_private_addresses_that_the_standard_library_knows_are_among_them(number in any::<u32>()) {
            let address = Ipv4Addr::from(number);
            let special = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_multicast() || address.is_broadcast() || address.is_unspecified()
                || address.is_documentation();
            prop_assert!(!special || special_use(address.into()).is_some());
        }
    }
}
