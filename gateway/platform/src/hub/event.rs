//! Event ids, the stored event with its encoded frame, and a subscriber's filter.

use std::str::FromStr;

use bytes::Bytes;
use uuid::Uuid;

use super::About;
use crate::ids::{ClawId, WorkspaceId};

/// `<epoch>.<sequence>`. Ids are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId {
    pub epoch: i64,
    pub seq: i64,
}

impl EventId {
    /// Whether this id comes directly after `before`.
    pub fn follows(self, before: Self) -> bool {
        self.epoch == before.epoch && before.seq.checked_add(1) == Some(self.seq)
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.epoch, self.seq)
    }
}

/// The text is not an event id.
#[derive(Debug, thiserror::Error)]
#[error("an event id looks like `1.42`")]
pub struct NotAnEventId;

impl FromStr for EventId {
    type Err = NotAnEventId;

    fn from_str(text: &str) -> Result<Self, NotAnEventId> {
        let (epoch, seq) = text.split_once('.').ok_or(NotAnEventId)?;
        let number = |t: &str| {
            t.parse::<i64>()
                .ok()
                .filter(|n| *n >= 0)
                .ok_or(NotAnEventId)
        };
        Ok(Self {
            epoch: number(epoch)?,
            seq: number(seq)?,
        })
    }
}

/// An event of the log, with the bytes that all subscribers share.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    pub workspace: WorkspaceId,
    pub id: EventId,
    pub kind: String,
    pub agent_id: Option<ClawId>,
    pub about: About,
    /// The whole SSE frame. It is encoded once.
    pub frame: Bytes,
}

impl StoredEvent {
    /// Encodes the frame of an event.
    pub fn frame(id: EventId, kind: &str, about: &About, data: &str) -> Bytes {
        // JSON escapes line breaks inside strings, so `data` is always one line.
        let about = about.line();
        Bytes::from(format!("id: {id}\nevent: {kind}\n{about}data: {data}\n\n"))
    }

    /// The JSON of its `data:` line.
    pub fn data(&self) -> &[u8] {
        const MARK: &[u8] = b"\ndata: ";
        // Neither a kind nor what an event is about has a line break, so the first such line is the data.
        let at = self.frame.windows(MARK.len()).position(|part| part == MARK);
        at.map_or(&[], |at| self.frame[at + MARK.len()..].trim_ascii_end())
    }
}

/// The events that a subscriber selects. Empty selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub types: Vec<String>,
    pub agent_id: Option<ClawId>,
    pub run_id: Option<Uuid>,
    pub mission_id: Option<Uuid>,
    pub room_id: Option<Uuid>,
}

impl Filter {
    /// Whether the filter selects this event.
    pub fn wants(&self, event: &StoredEvent) -> bool {
        (self.types.is_empty() || self.types.contains(&event.kind))
            && self.agent_id.is_none_or(|id| event.agent_id == Some(id))
            && self.run_id.is_none_or(|id| event.about.run == Some(id))
            && self
                .mission_id
                .is_none_or(|id| event.about.mission == Some(id))
            && self.room_id.is_none_or(|id| event.about.room == Some(id))
    }
}
