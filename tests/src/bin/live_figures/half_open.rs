//! Many connections with half a request on each: the memory that they cost, and the memory after they are gone.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::net::TcpSocket;

use crate::sides::Side;

const HALF: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-more: ";
/// From one address. More than the gateway keeps, and fewer than its ports.
const PER_ADDRESS: usize = 250;
/// How long the gateway has to give the memory back. It checks every 15 s.
const BACK_WITHIN: Duration = Duration::from_secs(45);

/// Opens `count` of them and leaves.
pub async fn run(side: &Side, count: usize) -> Result<String> {
    let before = side.memory()?;
    let mut halves = Vec::with_capacity(count);
    for number in 0..count {
        let place = u32::try_from(number / PER_ADDRESS)?;
        halves.push(half(Ipv4Addr::from(0x7f00_0400 + place), side.address()).await?);
    }
    let most = side.memory()?;
    drop(halves);
    let after = settled(side, before).await?;
    Ok(format!(
        "{count} half-open connections: {} KiB before, {} KiB with them, {} KiB after them",
        before >> 10,
        most >> 10,
        after >> 10
    ))
}

async fn half(from: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    let mut connection = socket.connect(to).await?.into_std()?;
    // The gateway may have closed it already, for one that came later.
    drop(connection.write(HALF));
    Ok(connection)
}

/// The memory when it is nearly back at `before`, or when the time for that is over.
pub async fn settled(side: &Side, before: u64) -> Result<u64> {
    let begun = Instant::now();
    loop {
        let now = side.memory()?;
        if now <= before + before / 10 || begun.elapsed() > BACK_WITHIN {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
