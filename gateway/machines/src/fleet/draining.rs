//! What people want of a machine's draining, and a draining machine as the work on it sees it.

use chrono::{DateTime, Utc};

use super::entity::node;
use roost_platform::ids::{NodeId, WorkspaceId};

/// What people want of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drain {
    /// It takes new sandboxes.
    Off,
    /// It takes no new sandboxes. Those that it has stay.
    Stay,
    /// It takes no new sandboxes. Those that it has are saved and end there.
    Move,
}

/// A draining machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draining {
    pub node: NodeId,
    pub workspace: WorkspaceId,
    /// Rises with each change of the wish.
    pub turn: i64,
    /// Its sandboxes move elsewhere.
    pub moves: bool,
    pub since: Option<DateTime<Utc>>,
    /// The machine itself reports that it has no sandbox.
    pub drained: bool,
    /// A gateway has its connection.
    pub connected: bool,
    pub emptied_at: Option<DateTime<Utc>>,
}

impl Draining {
    /// From the machine's row; `None` when it does not drain.
    pub fn of(node: &node::Model) -> Option<Self> {
        node.draining.then(|| Self {
            node: node.id,
            workspace: node.workspace_id,
            turn: node.drain_turn,
            moves: node.drain_move,
            since: node.drain_since,
            drained: node.drained,
            connected: node.held_by.is_some(),
            emptied_at: node.emptied_at,
        })
    }
}
