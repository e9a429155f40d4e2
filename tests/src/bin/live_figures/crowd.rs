//! Many subscribers on one thread with epoll, so that reading costs little beside the measured server. Each connection
//! checks that its message numbers have no gap and no duplicate.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::event::{Timespec, epoll};
use tokio::sync::Notify;

use crate::sides::Side;

/// The behaviour of the subscribers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Everything,
    /// One more connects and never reads.
    OneStalls,
}

/// Subscribers that read until they leave.
pub struct Crowd {
    shared: Arc<Shared>,
    thread: JoinHandle<Result<Tally>>,
    _stalled: Option<TcpStream>,
}

struct Shared {
    /// When each message was due, in order.
    sent: Mutex<Vec<Instant>>,
    /// Number of messages that all subscribers have.
    complete: AtomicUsize,
    changed: Notify,
    leave: AtomicBool,
}

/// The received messages.
#[derive(Debug, Default)]
pub struct Tally {
    pub delivered: u64,
    /// Microseconds between the due time of a message and its read.
    pub latencies: Vec<u32>,
}

struct Member {
    socket: TcpStream,
    /// An incomplete line.
    rest: Vec<u8>,
    last: u64,
}

impl Crowd {
    /// Connects all of them and waits until each is ready.
    pub async fn gather(side: &Side, count: usize, want: Want) -> Result<Self> {
        let request = format!("{}\r\n", side.subscription());
        let mut members = Vec::with_capacity(count);
        for number in 0..count {
            members.push(Member::connect(side, &request)?);
            // Not more at once than a listen queue holds.
            if number % 100 == 99 {
                for member in &mut members[number - 99..=number] {
                    member.begin(side.published())?;
                }
            }
        }
        let begun = count - count % 100;
        for member in &mut members[begun..] {
            member.begin(side.published())?;
        }
        let stalled = match want {
            Want::Everything => None,
            Want::OneStalls => {
                let mut stalled = Member::connect(side, &request)?;
                stalled.begin(side.published())?;
                Some(stalled.socket)
            }
        };
        let shared = Arc::new(Shared {
            sent: Mutex::default(),
            complete: AtomicUsize::new(0),
            changed: Notify::new(),
            leave: AtomicBool::new(false),
        });
        let (mine, first) = (shared.clone(), side.published());
        let thread = std::thread::spawn(move || read_all(members, &mine, first));
        Ok(Self {
            shared,
            thread,
            _stalled: stalled,
        })
    }

    /// Records that the next message is due now.
    pub fn sending(&self, number: usize) {
        let mut sent = self.shared.sent();
        assert_eq!(sent.len(), number, "one after the other");
        sent.push(Instant::now());
    }

    /// Number of messages that all subscribers have.
    pub fn complete(&self) -> usize {
        self.shared.complete.load(Ordering::Acquire)
    }

    /// Waits until all subscribers have `count` messages.
    pub async fn completed(&self, count: usize) -> Result<()> {
        let all = async {
            while self.complete() < count {
                self.shared.changed.notified().await;
            }
        };
        let within = tokio::time::timeout(Duration::from_secs(60), all).await;
        if within.is_err() {
            bail!(
                "after a minute {} of {count} messages have come to all",
                self.complete()
            );
        }
        Ok(())
    }

    /// Closes all connections.
    pub fn leave(self) -> Result<Tally> {
        self.shared.leave.store(true, Ordering::Release);
        match self.thread.join() {
            Ok(tally) => tally,
            Err(_) => bail!("the readers panicked"),
        }
    }
}

impl Shared {
    fn sent(&self) -> std::sync::MutexGuard<'_, Vec<Instant>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    fn connect(side: &Side, request: &str) -> Result<Self> {
        let mut socket = TcpStream::connect(side.address())?;
        socket.write_all(request.as_bytes())?;
        Ok(Self {
            socket,
            rest: Vec::new(),
            last: 0,
        })
    }

    /// Reads the head of the answer; every later message counts.
    fn begin(&mut self, last: u64) -> Result<()> {
        self.last = last;
        self.socket
            .set_read_timeout(Some(Duration::from_secs(30)))?;
        let mut head = Vec::new();
        let mut piece = [0; 4_096];
        while !head.windows(4).any(|four| four == b"\r\n\r\n") {
            let count = self.socket.read(&mut piece).context("an answer in time")?;
            ensure!(
                count > 0,
                "it was closed: {}",
                String::from_utf8_lossy(&head)
            );
            head.extend_from_slice(&piece[..count]);
        }
        let ok = head.starts_with(b"HTTP/1.1 200 ");
        ensure!(ok, "refused: {}", String::from_utf8_lossy(&head));
        self.socket.set_nonblocking(true)?;
        Ok(())
    }

    /// Parses received data; calls `each` with the number of each message.
    fn take(&mut self, piece: &[u8], mut each: impl FnMut(u64)) -> Result<()> {
        let mut text = piece;
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let (line, after) = text.split_at(end);
            text = &after[1..];
            let number = if self.rest.is_empty() {
                number_of(line)
            } else {
                self.rest.extend_from_slice(line);
                let number = number_of(&self.rest);
                self.rest.clear();
                number
            };
            if let Some(number) = number {
                ensure!(
                    number == self.last + 1,
                    "message {number} came after {}",
                    self.last
                );
                self.last = number;
                each(number);
            }
        }
        self.rest.extend_from_slice(text);
        Ok(())
    }
}

/// The number of a message, at the end of its `data:` line.
pub fn number_of(line: &[u8]) -> Option<u64> {
    let data = line.strip_prefix(b"data: ")?;
    let data = data
        .strip_suffix(b"\r")
        .unwrap_or(data)
        .strip_suffix(b"}")?;
    let digits = data
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&data[data.len() - digits..])
        .ok()?
        .parse()
        .ok()
}

fn read_all(mut members: Vec<Member>, shared: &Shared, first: u64) -> Result<Tally> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (number, member) in members.iter().enumerate() {
        let data = epoll::EventData::new_u64(number as u64);
        epoll::add(&epoll, &member.socket, data, epoll::EventFlags::IN)?;
    }
    let mut tally = Tally::default();
    // Number of subscribers that have each message.
    let mut came: Vec<usize> = Vec::new();
    let mut sent: Vec<Instant> = Vec::new();
    let mut events = Vec::with_capacity(1_024);
    let mut piece = vec![0; 256 << 10];
    let wait = Timespec {
        tv_sec: 0,
        tv_nsec: 20_000_000,
    };
    while !shared.leave.load(Ordering::Acquire) {
        events.clear();
        epoll::wait(
            &epoll,
            rustix::buffer::spare_capacity(&mut events),
            Some(&wait),
        )?;
        for event in &events {
            let member = &mut members[event.data.u64() as usize];
            let count = match member.socket.read(&mut piece) {
                Ok(0) => bail!("a subscriber was closed"),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error.into()),
            };
            let now = Instant::now();
            member.take(&piece[..count], |number| {
                let index = (number - first - 1) as usize;
                if came.len() <= index {
                    came.resize(index + 1, 0);
                    sent.clone_from(&shared.sent());
                }
                came[index] += 1;
                tally.delivered += 1;
                let took = now.saturating_duration_since(sent[index]);
                tally
                    .latencies
                    .push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
            })?;
        }
        let mut complete = shared.complete.load(Ordering::Relaxed);
        let before = complete;
        while came.get(complete) == Some(&members.len()) {
            complete += 1;
        }
        if complete > before {
            shared.complete.store(complete, Ordering::Release);
            shared.changed.notify_one();
        }
    }
    Ok(tally)
}
