//! Who waits for the machine to take stdin. Pure but for the reply ports.

use std::collections::HashMap;

use super::error::OperationsError;
use crate::ids::OperationId;
use crate::supervision::Reply;

type Port = Reply<Result<u64, OperationsError>>;

#[derive(Debug)]
struct Waiting {
    from: u64,
    to: u64,
    port: Port,
}

/// Waiting senders, by operation.
#[derive(Debug, Default)]
pub(super) struct Stdin {
    of: HashMap<OperationId, One>,
}

#[derive(Debug, Default)]
struct One {
    taken: u64,
    waiting: Vec<Waiting>,
}

impl Stdin {
    /// `port` waits until everything before `to` was taken.
    pub(super) fn wait(&mut self, id: OperationId, from: u64, to: u64, port: Port) {
        let one = self.of.entry(id).or_default();
        one.waiting.retain(|waiting| !waiting.port.is_abandoned());
        if to < one.taken {
            port.send(Ok(one.taken));
        } else {
            one.waiting.push(Waiting { from, to, port });
        }
    }

    /// The machine took everything before `offset`, and nothing after it.
    pub(super) fn taken(&mut self, id: OperationId, offset: u64) {
        let Some(one) = self.of.get_mut(&id) else {
            return;
        };
        one.taken = one.taken.max(offset);
        for waiting in std::mem::take(&mut one.waiting) {
            if waiting.to <= offset {
                waiting.port.send(Ok(offset));
            } else if waiting.from > offset {
                // Bytes before these are missing: the sender must go back.
                waiting
                    .port
                    .send(Err(OperationsError::StdinOffset { expected: offset }));
            } else {
                one.waiting.push(waiting);
            }
        }
    }

    /// The operation ended: nobody takes anything any more.
    pub(super) fn over(&mut self, id: OperationId) {
        if let Some(one) = self.of.remove(&id) {
            for waiting in one.waiting {
                waiting.port.send(Err(OperationsError::Over(id)));
            }
        }
    }

    /// The connection is gone: those who wait ask again.
    pub(super) fn forget(&mut self) {
        self.of.clear();
    }
}
