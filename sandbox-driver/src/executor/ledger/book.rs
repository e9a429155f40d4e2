//! What the ledger's records mean together. Pure: records in, entries out, and the fewest records that say the same.
use std::collections::BTreeMap;
use std::sync::Arc;

use roost_protocol::ids::{InstanceId, OperationId};
use roost_protocol::limits::RESULT_RETENTION_S;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::Ended;

use super::record::Record;

/// How long a forgotten id still may not start again, seconds.
const TOMBSTONE_S: i64 = 30 * 24 * 60 * 60;
/// How long an end waits for its acknowledgement before it is given up, seconds.
const UNACKED_S: i64 = 30 * 24 * 60 * 60;
/// Most acknowledged results kept, whatever their age, so that memory stays small.
const MOST_RESULTS: usize = 2_000;

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Present until the end is known.
    pub request: Option<Arc<OperationRequest>>,
    pub accepted_at_s: i64,
    /// The guest instance that was about to be told to start it.
    pub guest: Option<InstanceId>,
    pub ended: Option<(Ended, i64)>,
    pub acked: bool,
}

/// All operations that are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    entries: BTreeMap<OperationId, Entry>,
    tombstones: BTreeMap<OperationId, i64>,
}

impl Book {
    /// Takes a record. One that contradicts what is known (a second end, an unknown id) changes nothing.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Accepted { request, at_s } => {
                let id = request.id;
                if self.tombstones.contains_key(&id) {
                    return;
                }
                self.entries.entry(id).or_insert_with(|| Entry {
                    request: Some(Arc::new(request)),
                    accepted_at_s: at_s,
                    guest: None,
                    ended: None,
                    acked: false,
                });
            }
            Record::Starting { operation, guest } => {
                if let Some(entry) = self.entries.get_mut(&operation) {
                    entry.guest = Some(guest);
                }
            }
            Record::Ended {
                operation,
                ended,
                at_s,
            } => {
                // A compacted ledger holds ends without their requests.
                let entry = self.entries.entry(operation).or_insert(Entry {
                    request: None,
                    accepted_at_s: at_s,
                    guest: None,
                    ended: None,
                    acked: false,
                });
                if entry.ended.is_none() {
                    entry.ended = Some((ended, at_s));
                    entry.request = None;
                }
            }
            Record::Acked { operation, .. } => {
                if let Some(entry) = self
                    .entries
                    .get_mut(&operation)
                    .filter(|entry| entry.ended.is_some())
                {
                    entry.acked = true;
                }
            }
            Record::Forgotten { operation, at_s } => {
                self.entries.remove(&operation);
                self.tombstones.insert(operation, at_s);
            }
        }
    }

    pub fn get(&self, operation: OperationId) -> Option<&Entry> {
        self.entries.get(&operation)
    }

    /// Whether the id was known once and its result is gone.
    pub fn forgotten(&self, operation: OperationId) -> bool {
        self.tombstones.contains_key(&operation)
    }

    /// Every operation, oldest id first.
    pub fn entries(&self) -> impl Iterator<Item = (OperationId, &Entry)> {
        self.entries.iter().map(|(id, entry)| (*id, entry))
    }

    /// Operations whose results need not be kept any more at `now_s`.
    pub fn expired(&self, now_s: i64) -> Vec<OperationId> {
        let kept = |entry: &Entry| {
            if entry.acked {
                RESULT_RETENTION_S as i64
            } else {
                UNACKED_S
            }
        };
        let mut out: Vec<_> = self
            .entries()
            .filter(|(_, entry)| {
                entry
                    .ended
                    .as_ref()
                    .is_some_and(|(_, at_s)| now_s - at_s > kept(entry))
            })
            .map(|(id, _)| id)
            .collect();
        let acked: Vec<_> = self
            .entries()
            .filter(|(_, entry)| entry.acked)
            .map(|(id, _)| id)
            .collect();
        let over = acked.len().saturating_sub(MOST_RESULTS);
        out.extend(&acked[..over]);
        out.sort();
        out.dedup();
        out
    }

    /// The fewest records that make this book; tombstones that are old at `now_s` are left out.
    pub fn records(&self, now_s: i64) -> Vec<Record> {
        let mut out = Vec::with_capacity(self.entries.len() + self.tombstones.len());
        for (operation, at_s) in &self.tombstones {
            if now_s - at_s <= TOMBSTONE_S {
                out.push(Record::Forgotten {
                    operation: *operation,
                    at_s: *at_s,
                });
            }
        }
        for (operation, entry) in self.entries() {
            if let Some((ended, at_s)) = &entry.ended {
                out.push(Record::Ended {
                    operation,
                    ended: ended.clone(),
                    at_s: *at_s,
                });
                if entry.acked {
                    out.push(Record::Acked {
                        operation,
                        at_s: *at_s,
                    });
                }
            } else if let Some(request) = &entry.request {
                out.push(Record::Accepted {
                    request: (**request).clone(),
                    at_s: entry.accepted_at_s,
                });
                if let Some(guest) = entry.guest {
                    out.push(Record::Starting { operation, guest });
                }
            }
        }
        out
    }
}
