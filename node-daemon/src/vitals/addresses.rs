//! The outbound address of this machine, and its address in a mesh network.
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use sysinfo::Networks;

/// The addresses that were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    pub outbound: Option<Ipv4Addr>,
    pub mesh: Option<IpAddr>,
}

/// Reads the addresses.
pub fn find() -> Addresses {
    Addresses {
        outbound: outbound(),
        mesh: mesh(),
    }
}

/// Connecting a datagram socket sends nothing: it only makes the kernel choose a source address.
fn outbound() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that is reserved for documentation: nothing is sent there.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    match socket.local_addr().ok()?.ip() {
        IpAddr::V4(ip) if !ip.is_loopback() && !ip.is_unspecified() => Some(ip),
        _ => None,
    }
}

fn mesh() -> Option<IpAddr> {
    // Reading every interface costs some milliseconds each. A container host has hundreds, and most machines have no
    // mesh.
    let names = std::fs::read_dir("/sys/class/net").ok()?;
    let named = |entry: std::fs::DirEntry| entry.file_name().to_str().is_some_and(is_mesh);
    if !names.flatten().any(named) {
        return None;
    }
    let networks = Networks::new_with_refreshed_list().ok()?;
    let mut found: Vec<IpAddr> = networks
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(is_mesh))
        .flat_map(|(_, data)| data.ip_networks().iter().map(|network| network.addr))
        .filter(|ip| !matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local()))
        .collect();
    found.sort();
    found.first().copied()
}

/// Names of interfaces that mesh networks make: Tailscale and Headscale, NetBird, ZeroTier, Nebula.
fn is_mesh(name: &str) -> bool {
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    numbered("tailscale")
        || numbered("wt")
        || numbered("nebula")
        || (name.starts_with("zt") && name.len() == 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mesh_interfaces_are_recognised_by_name() {
        for (name, mesh) in [
            ("tailscale0", true),
            ("wt0", true),
            ("ztabcdefgh", true),
            ("eth0", false),
            ("wtf", false),
            ("tailscale", false),
            ("docker0", false),
        ] {
            assert_eq!(is_mesh(name), mesh, "{name}");
        }
    }
}
