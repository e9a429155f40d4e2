//! The progress of a drain in JSON.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::facts::{Progress, Seen};
use super::model::WaitsFor;
use crate::fleet::Draining;
use crate::sandboxes::model::State;
use crate::sandboxes::{OwnerKind, SandboxOwner};
use roost_platform::ids::{SandboxId, SandboxOwnerId};

/// How far a node is with draining.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct DrainProgress {
    pub draining: bool,
    /// The sandboxes move elsewhere.
    pub moves: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<DateTime<Utc>>,
    /// What is left, for people.
    pub summary: String,
    /// The sandboxes that are, or should be, on the node, oldest first.
    pub sandboxes: Vec<DrainingSandbox>,
    /// The owners whose newest files are only on the node. It sends them to the gateway.
    pub unsaved: Vec<UnsavedFiles>,
    /// Since when nothing that is needed is on the node, if its sandboxes move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emptied_at: Option<DateTime<Utc>>,
}

/// A sandbox on a draining node.
#[derive(Debug, Serialize, ToSchema)]
pub struct DrainingSandbox {
    pub id: SandboxId,
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    pub owner_name: String,
    pub state: State,
    /// Absent when it stays there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitsFor>,
    /// The same for people.
    pub detail: String,
}

/// Files that only the node has.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnsavedFiles {
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    pub owner_name: String,
    pub taken_at: DateTime<Utc>,
}

impl DrainProgress {
    /// Of a node that takes new sandboxes.
    pub(super) fn off() -> Self {
        Self {
            summary: "The node takes new sandboxes.".to_owned(),
            ..Self::default()
        }
    }

    /// Of a draining node.
    pub(super) fn of(
        machine: &Draining,
        progress: Progress,
        names: &HashMap<SandboxOwner, String>,
    ) -> Self {
        let named = |owner: SandboxOwner| names.get(&owner).cloned().unwrap_or_default();
        let sandbox = |Seen { row, facts, next }| DrainingSandbox {
            id: row.id,
            owner_name: named(row.owner()),
            owner_kind: row.owner_kind,
            owner_id: row.owner_id,
            state: facts.state,
            waits_for: next.waits_for(),
            detail: match (next.waits_for(), facts.uploaded) {
                (Some(wait), _) => wait.explain(&facts.notes),
                (None, true) => "It stays. The gateway has its files.".to_owned(),
                (None, false) => "It stays. Its files are saved.".to_owned(),
            },
        };
        Self {
            draining: true,
            moves: machine.moves,
            since: machine.since,
            summary: progress.left.explain(),
            sandboxes: progress.sandboxes.into_iter().map(sandbox).collect(),
            unsaved: progress
                .unsaved
                .into_iter()
                .map(|one| UnsavedFiles {
                    owner_kind: one.owner.kind(),
                    owner_id: one.owner.id(),
                    owner_name: named(one.owner),
                    taken_at: one.taken_at,
                })
                .collect(),
            emptied_at: machine.emptied_at,
        }
    }
}
