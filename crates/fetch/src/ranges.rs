//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Every IPv4 range that is not routed on the public internet, after the IANA special-purpose address registry.
const NON_PUBLIC_V4: [Ipv4Net; 17] = [
    v4([0, 0, 0, 0], 8),          // this network; 0.0.0.0 reaches the machine itself
    v4([10, 0, 0, 0], 8),         // private
    v4([100, 64, 0, 0], 10),      // carrier-grade NAT; metadata service of a cloud at 100.100.100.200
    v4([127, 0, 0, 0], 8),        // loopback
    v4([168, 63, 129, 16], 32),   // a public address that inside a cloud reaches the host of the virtual machine
    v4([169, 254, 0, 0], 16),     // link-local; metadata services of clouds at 169.254.169.254
    v4([172, 16, 0, 0], 12),      // private
    v4([192, 0, 0, 0], 24),       // protocol assignments; metadata service of a cloud at 192.0.0.192
    v4([192, 0, 2, 0], 24),       // documentation
    v4([192, 88, 99, 0], 24),     // 6to4 relays, deprecated
    v4([192, 168, 0, 0], 16),     // private
    v4([198, 18, 0, 0], 15),      // benchmarking
    v4([198, 51, 100, 0], 24),    // documentation
    v4([203, 0, 113, 0], 24),     // documentation
    v4([224, 0, 0, 0], 4),        // multicast
    v4([240, 0, 0, 0], 4),        // reserved
    v4([255, 255, 255, 255], 32), // broadcast
];

/// The block from which public IPv6 addresses are assigned. Everything outside it is not public without being listed:
/// `::`, `::1`, IPv4-compatible `::a.b.c.d`, `64:ff9b:1::/48`, `100::/64`, `fc00::/7`, `fe80::/10`, `fec0::/10`,
/// `ff00::/8`, and whatever will be set apart there one day.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0], 3);

/// The ranges inside [`GLOBAL_V6`] that are not public.
const NON_PUBLIC_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0], 23), // protocol assignments, with Teredo (2001::/32), which carries an IPv4 address
    v6([0x2001, 0x0db8], 32), // documentation
    v6([0x2002, 0], 16), // 6to4, which carries an IPv4 address and is deprecated
    v6([0x3fff, 0], 20), // documentation
];

/// The well-known prefix of NAT64, whose last 32 bits are the IPv4 address that is reached. That address is checked.
/// The prefix is not refused as a whole, because on an IPv6-only network every IPv4 host is reached through it.
const NAT64: Ipv6Net = v6([0x0064, 0xff9b], 96);

/// Whether everybody can reach an address, so that fetching from it reveals nothing.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if NAT64.contains(&address) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => GLOBAL_V6.contains(&address) && !NON_PUBLIC_V6.iter().any(|net| net.contains(&address)),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NON_PUBLIC_V4.iter().any(|net| net.contains(&address))
}

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([first, second]: [u16; 2], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, 0), prefix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first and the last address of every range that is not public.
    const NON_PUBLIC: &str = "
        0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.0 127.0.0.1
        127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0
        192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0
        198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0
        255.255.255.254 255.255.255.255
        :: ::1 ::7f00:1 ::5db8:d822 ::ffff:0:0 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
        64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::a00:1 64:ff9b:0:0:0:1:808:808 64:ff9b:1:: 64:ff9b:1:ffff::808:808
        100:: 100::ffff:ffff:ffff:ffff 100:0:0:1:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
        2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:20::1 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
        2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:: 2002:7f00:1::1 2002:808:808::1
        2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: 5f00::1
        fc00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80:: fe80::1
        febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ff00:: ff02::1
        ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";

    /// The addresses next to those ranges, and a few well-known ones.
    const PUBLIC: &str = "
        1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255
        128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255
        192.0.1.0 192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
        198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
        2000:: 2001:200:: 2001:4860:4860::8888 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::
        2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003:: 2606:4700:4700::1111 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff
        3fff:1000:: ::ffff:8.8.8.8 64:ff9b::808:808";

    fn listed(text: &str) -> impl Iterator<Item = IpAddr> {
        text.split_whitespace().map(|word| word.parse().expect(word))
    }

    #[test]
    fn every_non_public_range_is_refused_from_end_to_end() {
        let open: Vec<_> = listed(NON_PUBLIC).filter(|address| is_public(*address)).collect();
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn addresses_next_to_a_non_public_range_are_public() {
        let shut: Vec<_> = listed(PUBLIC).filter(|address| !is_public(*address)).collect();
        assert!(shut.is_empty(), "{shut:?}");
    }

    /// The IPv6 addresses in which an IPv4 address can be embedded.
    fn embedded(address: Ipv4Addr) -> [IpAddr; 6] {
        let [a, b, c, d] = address.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        [
            IpAddr::V6(address.to_ipv6_mapped()),
            IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low)),
            IpAddr::V6(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low)),
            IpAddr::V6(Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low)),
            IpAddr::V6(Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1)),
            IpAddr::V6(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low)),
        ]
    }

    /// Any address of the ranges that the standard library knows.
    fn internal() -> impl Strategy<Value = Ipv4Addr> {
        let nets = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4"];
        (proptest::sample::select(nets.to_vec()), any::<u32>()).prop_map(|(net, low)| {
            let net: Ipv4Net = net.parse().unwrap();
            Ipv4Addr::from_bits(net.network().to_bits() | (low & net.hostmask().to_bits()))
        })
    }

    proptest! {
        #[test]
        fn no_form_of_an_internal_address_is_public(address in internal()) {
            let is_local = address.is_private() || address.is_loopback() || address.is_link_local();
            prop_assert!(is_local || address.is_multicast());
            prop_assert!(!is_public(IpAddr::V4(address)));
            for form in embedded(address) {
                prop_assert!(!is_public(form), "{form}");
            }
        }

        #[test]
        fn what_the_standard_library_calls_internal_is_never_public(bits in any::<u128>()) {
            let address = Ipv6Addr::from_bits(bits);
            let internal = address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
                || address.is_multicast() || address.is_unspecified();
            prop_assert!(!(internal && is_public(IpAddr::V6(address))));
        }
    }
}
