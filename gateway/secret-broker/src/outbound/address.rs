//! The addresses that are never dialled: this machine, private networks, cloud metadata services, and addresses that
//! are not hosts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A private host or network that the deployment allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostRule {
    /// Any private address of this name, except metadata addresses.
    Name(String),
    Network {
        address: IpAddr,
        prefix: u8,
    },
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Network { address, prefix } => write!(f, "{address}/{prefix}"),
        }
    }
}

/// Error: not a valid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a host's name nor an address or network like 10.1.2.0/24")]
pub struct BadRule(String);

impl FromStr for HostRule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = || BadRule(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u8>().map_err(|_| bad())?)),
            None => (text, None),
        };
        if let Ok(address) = address.trim_matches(['[', ']']).parse::<IpAddr>() {
            let most = if address.is_ipv4() { 32 } else { 128 };
            let prefix = prefix.unwrap_or(most);
            return if prefix <= most {
                Ok(Self::Network { address, prefix })
            } else {
                Err(bad())
            };
        }
        let name = text.to_ascii_lowercase();
        let fine = !name.is_empty()
            && prefix.is_none()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
        if fine {
            Ok(Self::Name(name))
        } else {
            Err(bad())
        }
    }
}

/// What the deployment allows beside the public internet.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicy {
    rules: Vec<HostRule>,
}

impl AddressPolicy {
    /// A policy with these exceptions.
    pub fn new(rules: Vec<HostRule>) -> Self {
        Self { rules }
    }

    /// Whether a host of this name may be dialled at this address.
    pub fn permits(&self, host: &str, address: IpAddr) -> bool {
        let address = plain(address);
        let listed = self.rules.iter().any(|rule| match rule {
            HostRule::Network {
                address: network,
                prefix,
            } => covers(plain(*network), *prefix, address),
            HostRule::Name(_) => false,
        });
        if listed {
            return true;
        }
        if is_metadata(address) {
            return false;
        }
        !is_private(address) || self.names(host)
    }

    /// Whether a host may be reached without TLS: only a host that the deployment names.
    pub fn may_be_plain(&self, host: &str) -> bool {
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        self.names(host)
            || literal.is_some_and(|address| {
                self.rules.iter().any(|rule| match rule {
                    HostRule::Network {
                        address: network,
                        prefix,
                    } => covers(plain(*network), *prefix, plain(address)),
                    HostRule::Name(_) => false,
                })
            })
    }

    fn names(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.rules
            .iter()
            .any(|rule| matches!(rule, HostRule::Name(name) if *name == host))
    }
}

/// The IPv4 address inside any of IPv6's forms for it.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    let parts = v6.segments();
    let last = Ipv4Addr::from((u32::from(parts[6]) << 16) | u32::from(parts[7]));
    match parts {
        // Mapped, compatible, translated, and the well-known prefix of NAT64.
        [0, 0, 0, 0, 0, 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => IpAddr::V4(last),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => IpAddr::V4(last),
        // 6to4 holds it at the front.
        [0x2002, high, low, ..] => {
            IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => address,
    }
}

fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local() || v4 == Ipv4Addr::new(100, 100, 100, 200),
        IpAddr::V6(v6) => {
            v6.segments()[0] & 0xffc0 == 0xfe80
                || v6 == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)
        }
    }
}

const PRIVATE_4: [([u8; 4], u8); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
    ([255, 255, 255, 255], 32),
];

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => PRIVATE_4
            .iter()
            .any(|(network, prefix)| covers(IpAddr::from(*network), *prefix, IpAddr::V4(v4))),
        IpAddr::V6(v6) => {
            // Only the ranges assigned to the internet, without those for tunnels and documentation.
            let [first, second, ..] = v6.segments();
            let global = first & 0xe000 == 0x2000;
            !global || (first == 0x2001 && (second < 0x200 || second == 0xdb8)) || first == 0x3fff
        }
    }
}

fn covers(network: IpAddr, prefix: u8, address: IpAddr) -> bool {
    let bits = |address| match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, true),
        IpAddr::V6(v6) => (u128::from(v6), false),
    };
    let ((network, kind), (address, other)) = (bits(network), bits(address));
    let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
    kind == other && network & mask == address & mask
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn policy(rules: &[&str]) -> AddressPolicy {
        AddressPolicy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect())
    }

    #[rstest]
    #[case("93.184.215.14", true)]
    #[case("2606:2800:21f:cb07:6820:80da:af6b:8b2c", true)]
    #[case("127.0.0.1", false)]
    #[case("0.0.0.0", false)]
    #[case("10.0.0.1", false)]
    #[case("100.64.0.1", false)]
    #[case("169.254.169.254", false)]
    #[case("172.31.255.255", false)]
    #[case("172.32.0.1", true)]
    #[case("192.168.1.1", false)]
    #[case("224.0.0.1", false)]
    #[case("255.255.255.255", false)]
    #[case("::", false)]
    #[case("::1", false)]
    #[case("fe80::1", false)]
    #[case("fd00:ec2::254", false)]
    #[case("fc00::1", false)]
    #[case("ff02::1", false)]
    #[case("::ffff:127.0.0.1", false)]
    #[case("::ffff:93.184.215.14", true)]
    #[case("::127.0.0.1", false)]
    #[case("64:ff9b::a9fe:a9fe", false)]
    #[case("64:ff9b:1::1", false)]
    #[case("2002:7f00:1::", false)]
    #[case("2001:0:1::", false)]
    #[case("2001:db8::1", false)]
    fn only_the_public_internet_may_be_dialled(#[case] address: &str, #[case] permitted: bool) {
        let address = address.parse().unwrap();
        assert_eq!(
            policy(&[]).permits("host.example", address),
            permitted,
            "{address}"
        );
    }

    #[test]
    fn named_host_may_be_private_but_never_a_metadata_address() {
        let policy = policy(&["git.intern.example", "10.1.0.0/16"]);
        let at = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(policy.permits("GIT.intern.example.", at("192.168.3.4")));
        assert!(
            !policy.permits("git.intern.example", at("169.254.169.254")),
            "rebound"
        );
        assert!(!policy.permits("evil.example", at("192.168.3.4")));
        assert!(policy.permits("any.example", at("10.1.200.1")));
        assert!(policy.permits("any.example", at("::ffff:10.1.200.1")));
        assert!(!policy.permits("any.example", at("10.2.0.1")));
        assert!(policy.may_be_plain("git.intern.example") && policy.may_be_plain("10.1.2.3"));
        assert!(!policy.may_be_plain("any.example") && !policy.may_be_plain("10.2.0.1"));
    }

    #[rstest]
    #[case("")]
    #[case("10.0.0.0/33")]
    #[case("*.example.com")]
    #[case("host/24")]
    #[case("http://host")]
    fn invalid_rule_error_describes_a_valid_rule(#[case] text: &str) {
        assert!(text.parse::<HostRule>().is_err());
    }
}
