//! One record of the ledger and its format on disk: magic, length, checksum, MessagePack with field names.
use roost_protocol::guest::checksum;
use roost_protocol::ids::{AgentId, InstanceId, OperationId};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{ArchiveFacts, Ended};
use serde::{Deserialize, Serialize};

const MAGIC: [u8; 4] = *b"RoL1";
const HEADER: usize = 12;
/// Largest accepted payload, bytes. A request is bounded by the channel's frame of 1 MiB.
const MAX_PAYLOAD: usize = 4 * 1024 * 1024;

/// A record. Times are seconds since the epoch, for retention only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "r", rename_all = "snake_case")]
pub enum Record {
    /// After this the operation ends in exactly one terminal state.
    Accepted {
        request: OperationRequest,
        at_s: i64,
    },
    /// The start is about to be sent to a guest of this instance.
    Starting {
        operation: OperationId,
        guest: InstanceId,
    },
    /// A destroy stored the workspace and removed nothing yet.
    Archived {
        operation: OperationId,
        archive: ArchiveFacts,
    },
    Ended {
        operation: OperationId,
        ended: Ended,
        at_s: i64,
        /// For whom it was done: a compacted ledger holds ends without their requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
    },
    /// The gateway stored the end.
    Acked { operation: OperationId, at_s: i64 },
    /// The result is no longer kept.
    Forgotten { operation: OperationId, at_s: i64 },
}

/// Encodes a record with its header.
///
/// # Errors
/// When a value has no MessagePack form or is larger than any request.
pub fn encode(record: &Record) -> std::io::Result<Vec<u8>> {
    let payload = rmp_serde::to_vec_named(record).map_err(std::io::Error::other)?;
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|_| payload.len() <= MAX_PAYLOAD)
        .ok_or_else(|| std::io::Error::other("a ledger record is larger than any valid request"))?;
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    Ok(bytes)
}

/// The result of a scan of the whole file.
#[derive(Debug, Default, PartialEq)]
pub struct Scan {
    pub records: Vec<Record>,
    /// Offset after the last whole record.
    pub end: usize,
    /// Invalid bytes between whole records: damage, not a torn tail.
    pub damaged: usize,
}

/// Reads every whole record. A torn tail is the rest after [`Scan::end`]. Damage in the middle loses only the damaged
/// records.
pub fn scan(bytes: &[u8]) -> Scan {
    let mut found = Scan::default();
    let mut at = 0;
    while at < bytes.len() {
        if let Some((record, length)) = decode(&bytes[at..]) {
            found.damaged += at - found.end;
            at += length;
            found.end = at;
            found.records.push(record);
        } else {
            let next = bytes[at + 1..]
                .windows(MAGIC.len())
                .position(|window| window == MAGIC);
            at = next.map_or(bytes.len(), |next| at + 1 + next);
        }
    }
    found
}

fn decode(bytes: &[u8]) -> Option<(Record, usize)> {
    let header = bytes.get(..HEADER)?;
    if header[..4] != MAGIC {
        return None;
    }
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let length = word(4) as usize;
    if length > MAX_PAYLOAD {
        return None;
    }
    let payload = bytes.get(HEADER..HEADER + length)?;
    if checksum(payload) != word(8) {
        return None;
    }
    Some((rmp_serde::from_slice(payload).ok()?, HEADER + length))
}
