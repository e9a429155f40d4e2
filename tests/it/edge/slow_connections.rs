//! Thousands of connections that send almost nothing: the gateway closes the oldest of them, serves everybody else, and
//! frees their memory.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};

use roost_tests::{Gateway, Process, Store, eventually};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};

const HALF: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-more: ";

/// A connection from one of this host's own addresses, with half a request on it.
async fn half_a_request(from: Ipv4Addr, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((from, 0))).expect("loopback");
    let mut connection = socket.connect(to).await.expect("it listens");
    // It may be ended already, for one that came later.
    let _ = connection.write_all(HALF).await;
    connection
}

fn is_open(connection: &TcpStream) -> bool {
    let mut byte = [0];
    match connection.try_read(&mut byte) {
        Ok(read) => read > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_requests_of_one_address_end_each_other_and_block_no_other_address() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let to = gateway.app().public_address();
    let mut halves = Vec::new();
    for _ in 0..600 {
        halves.push(half_a_request(Ipv4Addr::LOCALHOST, to).await);
    }
    eventually("the oldest are ended", async || {
        let open = halves.iter().filter(|one| is_open(one)).count();
        (open <= 256).then_some(())
    })
    .await;
    let newest = halves.last().expect("one");
    assert!(is_open(newest), "the newest has its time");
    // From the same address: somebody with a credential, and somebody without one who says what they want.
    owner.get("/api/auth/me").expect(200).await;
    gateway.anonymous().get("/healthz").expect(200).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limits_leave_files_for_known_machines_and_people() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let to = gateway.app().public_address();
    let mut halves = Vec::new();
    for n in 0..5_000_u32 {
        // Twenty addresses of 250 each: no address is over its own bound.
        let from = Ipv4Addr::from(0x7f00_0200 + n / 250);
        halves.push(half_a_request(from, to).await);
    }
    eventually("unproven ones are bounded in all", async || {
        let open = halves.iter().filter(|one| is_open(one)).count();
        (open <= 4_096).then_some(())
    })
    .await;
    owner.get("/api/auth/me").expect(200).await;
    let fresh = gateway.anonymous().with_token(&owner.token);
    fresh.get("/api/auth/me").expect(200).await;
    gateway.stop().await;
}

fn resident_bytes(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()));
    let status = status.expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<u64>().ok()).expect("a size") * 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_connections_that_went_is_given_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path(), &Store::Sqlite).await;
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, process.port()));
    let before = resident_bytes(&process);
    let mut halves = Vec::new();
    for n in 0..4_000_u32 {
        let from = Ipv4Addr::from(0x7f00_0300 + n / 250);
        halves.push(half_a_request(from, to).await);
    }
    let most = resident_bytes(&process);
    assert!(
        most > before + (16 << 20),
        "they cost nothing: {before} {most}"
    );
    drop(halves);
    eventually("most of it is given back", async || {
        let now = resident_bytes(&process);
        (now < before + (most - before) / 3).then_some(())
    })
    .await;
    process.terminate().await;
}
