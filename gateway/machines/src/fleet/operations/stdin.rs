//! Stdin on its way to the machines: the bytes that are not confirmed, and the requests that wait. Pure but for the reply
//! ports.
//!
//! [`Feed`] decides how much may be on the way, so a command that does not read stops its senders. After a restart the
//! gateway does not know how much a command has taken. Then it asks the machine with an empty chunk, and senders wait.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use roost_protocol::machine::stdin::{Chunk, Feed, Offered};

use super::error::OperationsError;
use roost_platform::ids::OperationId;
use roost_platform::supervision::Reply;

/// Requests that may wait for one command. Each holds at most one message's bytes.
const MOST_WAITING: usize = 32;

type Port = Reply<Result<u64, OperationsError>>;

/// Bytes from a client.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) offset: u64,
    pub(super) data: Bytes,
    pub(super) eof: bool,
    pub(super) port: Port,
}

/// A post that waits for room, or for the machine to take it.
#[derive(Debug)]
struct Waiting {
    post: Post,
    /// Offset after its last byte.
    to: u64,
    /// All of it is in the feed.
    fed: bool,
}

/// A message to the machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StdinMessage {
    Chunk(Chunk, Vec<u8>),
    /// An empty chunk. The machine answers with its offset.
    Probe {
        offset: u64,
    },
}

/// The stdin of all operations.
#[derive(Debug, Default)]
pub(super) struct Stdin {
    of: HashMap<OperationId, One>,
}

#[derive(Debug, Default)]
struct One {
    /// Absent until the machine has reported its offset.
    feed: Option<Feed>,
    waiting: VecDeque<Waiting>,
    /// The machine must be asked for its offset.
    probe: bool,
}

impl Stdin {
    /// A new operation: no stdin was sent before the first post.
    pub(super) fn begin(&mut self, id: OperationId) {
        let one = One {
            feed: Some(Feed::default()),
            ..One::default()
        };
        self.of.insert(id, one);
    }

    /// Accepts a post.
    pub(super) fn post(&mut self, id: OperationId, post: Post) {
        let one = self.of.entry(id).or_insert_with(|| One {
            probe: true,
            ..One::default()
        });
        one.waiting.retain(|other| !other.post.port.is_abandoned());
        let Some(to) = post.offset.checked_add(post.data.len() as u64) else {
            let refused = one.refused();
            post.port.send(Err(refused));
            return;
        };
        if one.waiting.len() >= MOST_WAITING {
            let refused = one.refused();
            post.port.send(Err(refused));
            return;
        }
        one.waiting.push_back(Waiting {
            post,
            to,
            fed: false,
        });
        one.fill();
        one.answer();
    }

    /// The next message for this operation; it counts as sent.
    pub(super) fn send(&mut self, id: OperationId) -> Option<StdinMessage> {
        let one = self.of.get_mut(&id)?;
        let feed = match &mut one.feed {
            Some(feed) => feed,
            None if std::mem::take(&mut one.probe) => {
                return Some(StdinMessage::Probe { offset: 0 });
            }
            None => return None,
        };
        if let Some((chunk, bytes)) = feed.take_next() {
            // A command with nothing left to take does not report that its stdin was closed.
            one.probe |= chunk.eof;
            return Some(StdinMessage::Chunk(chunk, bytes));
        }
        let offset = feed.source().end();
        std::mem::take(&mut one.probe).then_some(StdinMessage::Probe { offset })
    }

    /// The machine has taken all bytes before `offset`.
    pub(super) fn taken(&mut self, id: OperationId, offset: u64) {
        let Some(one) = self.of.get_mut(&id) else {
            return;
        };
        match &mut one.feed {
            Some(feed) => feed.confirm(offset),
            none => *none = Some(Feed::restore(offset)),
        }
        one.fill();
        one.answer();
    }

    /// The operation ended: the waiting posts fail.
    pub(super) fn over(&mut self, id: OperationId) {
        if let Some(one) = self.of.remove(&id) {
            for waiting in one.waiting {
                waiting.post.port.send(Err(OperationsError::Over(id)));
            }
        }
    }

    /// A new connection: unconfirmed bytes must be sent again. Returns the operations that have stdin to send.
    pub(super) fn resume(&mut self) -> Vec<OperationId> {
        for one in self.of.values_mut() {
            match &mut one.feed {
                Some(feed) => feed.resume(),
                None => one.probe = true,
            }
        }
        self.of.keys().copied().collect()
    }
}

impl One {
    fn refused(&self) -> OperationsError {
        let expected = self.feed.as_ref().map_or(0, |feed| feed.source().end());
        OperationsError::StdinOffset { expected }
    }

    /// Moves waiting bytes into the feed while there is room, in the order in which they came.
    fn fill(&mut self) {
        let Some(feed) = &mut self.feed else { return };
        let mut refused = Vec::new();
        for (index, waiting) in self.waiting.iter_mut().enumerate() {
            if waiting.fed {
                continue;
            }
            let post = &mut waiting.post;
            match feed.offer(post.offset, &post.data, post.eof) {
                Offered::Take { skip, take } => {
                    let used = skip.saturating_add(take);
                    post.data = post.data.slice(used..);
                    post.offset = post.offset.saturating_add(used as u64);
                    waiting.fed = post.data.is_empty();
                    if !waiting.fed {
                        // Later posts must not overtake the rest of this one.
                        break;
                    }
                }
                Offered::Refused { expected } => refused.push((index, expected)),
            }
        }
        for (index, expected) in refused.into_iter().rev() {
            if let Some(waiting) = self.waiting.remove(index) {
                let refused = OperationsError::StdinOffset { expected };
                waiting.post.port.send(Err(refused));
            }
        }
    }

    /// Answers the posts whose bytes the machine has taken.
    fn answer(&mut self) {
        let Some(feed) = &self.feed else { return };
        let source = feed.source();
        let mut left = VecDeque::with_capacity(self.waiting.len());
        for waiting in self.waiting.drain(..) {
            let taken = source.confirmed() >= waiting.to;
            let closed = !waiting.post.eof || source.is_over();
            if waiting.fed && taken && closed {
                waiting.post.port.send(Ok(source.confirmed()));
            } else {
                left.push_back(waiting);
            }
        }
        self.waiting = left;
    }
}
