//! Finds the client's address of a request. The sender can write anything into `X-Forwarded-For`, so only the part that
//! trusted proxies added counts: it is read from the right, up to the first address that is not a trusted proxy.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

use http::HeaderMap;

/// Addresses with the same first bits: `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// The text is not an address and not a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an address like 127.0.0.1, or a network like 10.0.0.0/8")]
pub struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| NotANetwork))?;
        if bits > most {
            return Err(NotANetwork);
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        let same = |ours: &[u8], theirs: &[u8]| {
            (0..usize::from(self.bits)).all(|bit| {
                let mask = 0x80_u8 >> (bit % 8);
                ours[bit / 8] & mask == theirs[bit / 8] & mask
            })
        };
        match (self.address, address) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => same(&ours.octets(), &theirs.octets()),
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => same(&ours.octets(), &theirs.octets()),
            _ => false,
        }
    }
}

/// The proxies whose `X-Forwarded-For` entries are trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Arc<[Network]>);

impl TrustedProxies {
    /// The proxies of the configuration.
    pub fn new(networks: &[Network]) -> Self {
        Self(networks.into())
    }

    /// The client's own address. `peer` is the other end of the connection.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let hops: Vec<&str> = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        let mut client = peer.to_canonical();
        for hop in hops.into_iter().rev() {
            if !self.trusts(client) {
                break;
            }
            // A trusted proxy wrote no address here. The entries further left do not come from a trusted proxy.
            let Ok(next) = hop.parse::<IpAddr>() else {
                break;
            };
            client = next.to_canonical();
        }
        client
    }

    /// Whether this address is a trusted proxy.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// The key by which limits count: an IPv4 address, or the /64 of an IPv6 address, which one household has.
pub fn counted_as(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let networks: Vec<Network> = trusted
            .iter()
            .map(|text| text.parse().expect("a network"))
            .collect();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        let peer = peer.parse().expect("an address");
        TrustedProxies::new(&networks)
            .client(peer, &headers)
            .to_string()
    }

    #[test]
    fn only_what_trusted_proxies_added_is_believed() {
        for (trusted, peer, forwarded, expected) in [
            (&[][..], "9.9.9.9", &["1.1.1.1"][..], "9.9.9.9"),
            (&["10.0.0.0/8"], "9.9.9.9", &["1.1.1.1"], "9.9.9.9"),
            (&["10.0.0.0/8"], "10.1.2.3", &["1.1.1.1"], "1.1.1.1"),
            // The client wrote the first itself.
            (
                &["10.0.0.0/8"],
                "10.1.2.3",
                &["6.6.6.6, 1.1.1.1"],
                "1.1.1.1",
            ),
            (
                &["10.0.0.0/8"],
                "10.1.2.3",
                &["6.6.6.6", "1.1.1.1, 10.9.9.9"],
                "1.1.1.1",
            ),
            (&["10.0.0.0/8"], "10.1.2.3", &["nonsense"], "10.1.2.3"),
            (&["10.0.0.0/8"], "10.1.2.3", &[], "10.1.2.3"),
            (
                &["127.0.0.1"],
                "::ffff:127.0.0.1",
                &["2001:db8::1"],
                "2001:db8::1",
            ),
            (&["fd00::/8"], "fd12::1", &["1.1.1.1"], "1.1.1.1"),
        ] {
            assert_eq!(
                client(trusted, peer, forwarded),
                expected,
                "{trusted:?} {peer} {forwarded:?}"
            );
        }
    }

    #[test]
    fn a_network_is_an_address_with_bits_that_it_has() {
        for bad in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "::1/129",
            "10.0.0.0/x",
            "proxy",
        ] {
            assert_eq!(bad.parse::<Network>(), Err(NotANetwork), "{bad}");
        }
        assert_eq!(
            "10.0.0.0/8".parse::<Network>().map(|n| n.to_string()),
            Ok("10.0.0.0/8".to_owned())
        );
    }

    #[test]
    fn an_address_of_ipv6_counts_with_its_neighbours() {
        let count = |text: &str| counted_as(text.parse().expect("an address"));
        assert_eq!(count("2001:db8:1:2:3::4"), count("2001:db8:1:2:ffff::9"));
        assert_ne!(count("2001:db8:1:2::"), count("2001:db8:1:3::"));
        assert_ne!(count("10.0.0.1"), count("10.0.0.2"));
    }
}
