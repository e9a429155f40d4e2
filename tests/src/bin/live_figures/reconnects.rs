//! Subscribers that disconnect again and again and resume, while messages are published: each must get every message
//! once, in order. They use several loopback addresses, because closed connections block their port for a minute.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::crowd::number_of;
use crate::sides::Side;

/// Concurrent subscribers.
const WALKERS: usize = 64;
/// Number of their addresses.
const ADDRESSES: u8 = 8;

#[derive(Default)]
struct Counts {
    connections: Cell<usize>,
    messages: Cell<usize>,
    gaps: Cell<usize>,
    doubles: Cell<usize>,
}

struct Walker {
    from: IpAddr,
    to: SocketAddr,
    request: String,
    cursor: Option<String>,
    last: u64,
    counts: Rc<Counts>,
}

/// Makes this many reconnects.
pub async fn run(side: &mut Side, reconnects: usize) -> Result<String> {
    let counts = Rc::new(Counts::default());
    let mut walkers: Vec<Walker> = (0..WALKERS)
        .map(|number| Walker {
            from: Ipv4Addr::new(127, 0, 0, 2 + (number % usize::from(ADDRESSES)) as u8).into(),
            to: side.address(),
            request: side.subscription(),
            cursor: None,
            last: side.published(),
            counts: counts.clone(),
        })
        .collect();
    let begun = Instant::now();
    let over = Cell::new(false);
    let walking = async {
        let all = walkers.iter_mut().map(async |walker| {
            while walker.counts.connections.get() < reconnects {
                walker.step().await?;
            }
            anyhow::Ok(())
        });
        let outcome = join_all(all).await;
        over.set(true);
        outcome.into_iter().collect::<Result<Vec<()>>>()
    };
    let publishing = async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while !over.get() {
            tick.tick().await;
            side.publish().await?;
        }
        anyhow::Ok(())
    };
    let (walked, published) = tokio::join!(walking, publishing);
    walked?;
    published?;
    let took = begun.elapsed();
    let head = side.published();
    for walker in &mut walkers {
        walker.finish(head).await?;
    }
    Ok(format!(
        "{} reconnects of {WALKERS} subscribers in {:.0} s, {} messages delivered: {} gaps, {} doubles",
        counts.connections.get(),
        took.as_secs_f64(),
        counts.messages.get(),
        counts.gaps.get(),
        counts.doubles.get(),
    ))
}

impl Walker {
    async fn connect(&self) -> Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::new(self.from, 0))?;
        let mut stream = socket.connect(self.to).await?;
        let cursor = match &self.cursor {
            Some(cursor) => format!("last-event-id: {cursor}\r\n"),
            None => String::new(),
        };
        stream
            .write_all(format!("{}{cursor}\r\n", self.request).as_bytes())
            .await?;
        Ok(stream)
    }

    /// One connection, closed after a moment.
    async fn step(&mut self) -> Result<()> {
        // The first one stays until it has a cursor. Without a cursor, messages between two connections would not be
        // requested.
        let patience = match self.cursor {
            Some(_) => Duration::from_micros(rand::random_range(0..10_000)),
            None => Duration::from_secs(10),
        };
        let mut stream = self.connect().await?;
        self.read(&mut stream, patience, None).await?;
        let counts = &self.counts;
        counts.connections.set(counts.connections.get() + 1);
        Ok(())
    }

    async fn finish(&mut self, head: u64) -> Result<()> {
        let mut stream = self.connect().await?;
        self.read(&mut stream, Duration::from_secs(10), Some(head))
            .await?;
        ensure!(self.last == head, "{} instead of {head}", self.last);
        Ok(())
    }

    /// Reads the head of the answer and then messages: for a time, or up to a message.
    async fn read(
        &mut self,
        stream: &mut TcpStream,
        patience: Duration,
        up_to: Option<u64>,
    ) -> Result<()> {
        let mut text = Vec::new();
        let mut piece = [0; 16 << 10];
        let mut until = None;
        let mut done = 0;
        loop {
            let wait = until.map_or(Duration::from_secs(30), |until: Instant| {
                until.saturating_duration_since(Instant::now())
            });
            let count = match timeout(wait, stream.read(&mut piece)).await {
                Ok(read) => read?,
                Err(_) if until.is_some() => return Ok(()),
                Err(elapsed) => return Err(elapsed).context("an answer in time"),
            };
            ensure!(count > 0, "closed: {}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&piece[..count]);
            if until.is_none() && text.windows(4).any(|four| four == b"\r\n\r\n") {
                let ok = text.starts_with(b"HTTP/1.1 200 ");
                ensure!(ok, "refused: {}", String::from_utf8_lossy(&text));
                until = Some(Instant::now() + patience);
            }
            // Only whole messages: a message that is cut off was not received.
            while let Some(end) = text[done..].windows(2).position(|two| two == b"\n\n") {
                let message = text[done..done + end].to_vec();
                done += end + 2;
                self.take(&message);
            }
            let enough = match up_to {
                Some(head) => self.last >= head,
                None => patience > Duration::from_secs(1) && self.cursor.is_some(),
            };
            if enough {
                return Ok(());
            }
        }
    }

    fn take(&mut self, message: &[u8]) {
        let mut id = None;
        let mut number = None;
        for line in message.split(|byte| *byte == b'\n') {
            if let Some(found) = line.strip_prefix(b"id: ") {
                id = Some(String::from_utf8_lossy(found).trim().to_owned());
            }
            number = number.or_else(|| number_of(line));
        }
        let (Some(id), Some(number)) = (id, number) else {
            return;
        };
        let counts = &self.counts;
        // The very first may have any number: earlier ones were published before the stream was open.
        if self.cursor.is_some() && number <= self.last {
            counts.doubles.set(counts.doubles.get() + 1);
        } else if self.cursor.is_some() && number != self.last + 1 {
            counts.gaps.set(counts.gaps.get() + 1);
        }
        counts.messages.set(counts.messages.get() + 1);
        self.last = number;
        self.cursor = Some(id);
    }
}
