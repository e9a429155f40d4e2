//! The state that the ledger's records describe. Pure: records in, entries out, and the fewest records with the same
//! meaning.
//!
//! An unacknowledged end is kept at any age; see [`roost_protocol::machine::ledger`].
use std::collections::BTreeMap;
use std::sync::Arc;

use roost_protocol::ids::{AgentId, InstanceId, OperationId};
use roost_protocol::limits::RESULT_RETENTION_S;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{ArchiveFacts, Ended};

use super::record::Record;

/// Most acknowledged results kept, at any age, so that memory stays small.
const MOST_RESULTS: usize = 5_000;

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Present until the end is known.
    pub request: Option<Arc<OperationRequest>>,
    /// For whom it is done, if it is known.
    pub agent: Option<AgentId>,
    pub accepted_at_s: i64,
    /// The guest instance to which the start was about to be sent.
    pub guest: Option<InstanceId>,
    /// The archive that a destroy stored before it removed anything.
    pub archive: Option<ArchiveFacts>,
    pub ended: Option<(Ended, i64)>,
    pub acked: bool,
}

/// All known operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerIndex {
    entries: BTreeMap<OperationId, Entry>,
}

impl LedgerIndex {
    /// Applies a record. A record that contradicts the state (a second end, an unknown id) changes nothing.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Accepted { request, at_s } => {
                let id = request.id;
                let agent = request.on_behalf.map(|on| on.agent);
                self.entries.entry(id).or_insert_with(|| Entry {
                    request: Some(Arc::new(request)),
                    agent,
                    ..Entry::at(at_s)
                });
            }
            Record::Starting { operation, guest } => {
                if let Some(entry) = self.entries.get_mut(&operation) {
                    entry.guest = Some(guest);
                }
            }
            Record::Archived { operation, archive } => {
                if let Some(entry) = self.entries.get_mut(&operation) {
                    entry.archive = Some(archive);
                }
            }
            Record::Ended {
                operation,
                ended,
                at_s,
                agent,
            } => {
                // A compacted ledger holds ends without their requests.
                let entry = self
                    .entries
                    .entry(operation)
                    .or_insert_with(|| Entry::at(at_s));
                if entry.ended.is_none() {
                    entry.agent = entry.agent.or(agent);
                    entry.ended = Some((ended, at_s));
                    entry.request = None;
                }
            }
            Record::Acked { operation, .. } => {
                if let Some(entry) = self.entries.get_mut(&operation)
                    && entry.ended.is_some()
                {
                    entry.acked = true;
                }
            }
            Record::Forgotten { operation, .. } => {
                self.entries.remove(&operation);
            }
        }
    }

    pub fn get(&self, operation: OperationId) -> Option<&Entry> {
        self.entries.get(&operation)
    }

    /// Every operation, oldest id first.
    pub fn entries(&self) -> impl Iterator<Item = (OperationId, &Entry)> {
        self.entries.iter().map(|(id, entry)| (*id, entry))
    }

    /// Ends that the gateway has not acknowledged, oldest id first.
    pub fn unacknowledged(&self) -> impl Iterator<Item = (OperationId, &Ended)> {
        self.entries()
            .filter(|(_, entry)| !entry.acked)
            .filter_map(|(id, entry)| Some((id, &entry.ended.as_ref()?.0)))
    }

    /// The operations of an agent that have ended.
    pub fn ended_of(&self, agent: AgentId) -> Vec<OperationId> {
        self.entries()
            .filter(|(_, entry)| entry.agent == Some(agent) && entry.ended.is_some())
            .map(|(id, _)| id)
            .collect()
    }

    /// Operations whose results may be dropped at `now_s`.
    pub fn expired(&self, now_s: i64) -> Vec<OperationId> {
        let acked: Vec<_> = self
            .entries()
            .filter(|(_, entry)| entry.acked)
            .filter_map(|(id, entry)| Some((id, entry.ended.as_ref()?.1)))
            .collect();
        let over = acked.len().saturating_sub(MOST_RESULTS);
        let old = |at_s: i64| now_s - at_s > RESULT_RETENTION_S as i64;
        let keep = |(n, (_, at_s)): &(usize, (OperationId, i64))| *n < over || old(*at_s);
        acked
            .into_iter()
            .enumerate()
            .filter(keep)
            .map(|(_, (id, _))| id)
            .collect()
    }

    /// The fewest records that describe this state.
    pub fn records(&self) -> Vec<Record> {
        let mut out = Vec::with_capacity(self.entries.len());
        for (operation, entry) in self.entries() {
            if let Some((ended, at_s)) = &entry.ended {
                out.push(Record::Ended {
                    operation,
                    ended: ended.clone(),
                    at_s: *at_s,
                    agent: entry.agent,
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
                if let Some(archive) = entry.archive.clone() {
                    out.push(Record::Archived { operation, archive });
                }
            }
        }
        out
    }
}

impl Entry {
    fn at(accepted_at_s: i64) -> Self {
        Self {
            request: None,
            agent: None,
            accepted_at_s,
            guest: None,
            archive: None,
            ended: None,
            acked: false,
        }
    }
}
