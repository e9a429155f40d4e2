//! No network: only the loopback interface, no route, and only harmless kinds of sockets.
#![allow(unsafe_code)] // libc: socket and socketpair, with numbers only.
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::fact::{Facts, answer, tried};

/// Families and types that a sandbox does not need; their kernel code is an unnecessary risk.
const REFUSED: [(&str, i32, i32); 16] = [
    ("netlink", 16, libc::SOCK_RAW),
    ("packet", 17, libc::SOCK_RAW),
    ("vsock", 40, libc::SOCK_STREAM),
    ("alg", 38, libc::SOCK_SEQPACKET),
    ("key", 15, libc::SOCK_RAW),
    ("bluetooth", 31, libc::SOCK_RAW),
    ("can", 29, libc::SOCK_RAW),
    ("tipc", 30, libc::SOCK_STREAM),
    ("rds", 21, libc::SOCK_SEQPACKET),
    ("xdp", 44, libc::SOCK_RAW),
    ("nfc", 39, libc::SOCK_SEQPACKET),
    ("qipcrtr", 42, libc::SOCK_DGRAM),
    ("inet_raw", 2, libc::SOCK_RAW),
    ("inet6_raw", 10, libc::SOCK_RAW),
    ("inet_seqpacket", 2, libc::SOCK_SEQPACKET),
    ("unix_seqpacket", 1, libc::SOCK_SEQPACKET),
];

pub fn probe(facts: &mut Facts) {
    let mut names: Vec<String> = fs::read_to_string("/proc/net/dev")
        .unwrap_or_default()
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()))
        .collect();
    names.sort();
    facts.add(
        "net.interfaces",
        "Loopback is the only interface",
        "lo",
        names.join(" "),
    );
    let routes = fs::read_to_string("/proc/net/route")
        .unwrap_or_default()
        .lines()
        .skip(1)
        .count();
    let routes6 = fs::read_to_string("/proc/net/ipv6_route")
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_end().ends_with(" lo"))
        .count();
    facts.add("net.routes", "There is no route", "0", routes + routes6);
    facts.add(
        "net.out",
        "An address of the world cannot be reached",
        "unreachable",
        out(),
    );
    facts.add(
        "net.loopback",
        "Programs can talk over loopback",
        "works",
        works(loopback()),
    );
    facts.add(
        "net.udp",
        "Datagrams work over loopback",
        "works",
        works(UdpSocket::bind("127.0.0.1:0").map(drop)),
    );
    facts.add(
        "net.unix",
        "Unix sockets work",
        "works",
        works(UnixStream::pair().map(drop)),
    );
    for (name, family, kind) in REFUSED {
        facts.add(
            &format!("socket.{name}"),
            &format!("Sockets of kind {name} are refused"),
            "refused",
            tried(|| socket(family, kind)),
        );
    }
}

fn out() -> String {
    let address = "192.0.2.1:80".parse().map_err(io::Error::other);
    match address
        .and_then(|address| TcpStream::connect_timeout(&address, Duration::from_millis(500)))
    {
        Ok(_) => "reached".to_owned(),
        Err(error) if error.raw_os_error() == Some(libc::ENETUNREACH) => "unreachable".to_owned(),
        Err(error) => answer(Err(error)),
    }
}

fn loopback() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut client = TcpStream::connect(listener.local_addr()?)?;
    let (mut server, _) = listener.accept()?;
    client.write_all(b"x")?;
    server.read_exact(&mut [0])
}

fn works(result: io::Result<()>) -> String {
    match result {
        Ok(()) => "works".to_owned(),
        result => answer(result),
    }
}

fn socket(family: i32, kind: i32) -> io::Result<()> {
    // SAFETY: numbers only; the descriptor closes when this child ends.
    let fd = unsafe { libc::socket(family, kind, 0) };
    if fd < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
