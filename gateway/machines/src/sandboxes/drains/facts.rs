//! Reads what the rules of draining decide by.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbErr};

use super::model::{Facts, Left, Next, Notes, next};
use super::store;
use crate::fleet::Draining;
use crate::fleet::operations;
use crate::sandboxes::SandboxOwner;
use crate::sandboxes::entity::container;
use crate::sandboxes::model::State;
use crate::sandboxes::snapshots::store as snapshots;
use crate::sandboxes::store as registry;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{self, FilePolicy};

/// The states of sandboxes that count as left on a machine.
const LEFT: [State; 3] = [State::Provisioning, State::Running, State::Destroying];

/// A sandbox on a draining machine.
#[derive(Debug)]
pub(super) struct Seen {
    pub row: container::Model,
    pub facts: Facts,
    pub next: Next,
}

/// Files that only the machine has.
#[derive(Debug)]
pub(super) struct Unsaved {
    pub owner: SandboxOwner,
    pub taken_at: DateTime<Utc>,
}

/// A draining machine with its sandboxes and files.
#[derive(Debug)]
pub(super) struct Progress {
    pub sandboxes: Vec<Seen>,
    pub unsaved: Vec<Unsaved>,
    pub left: Left,
}

/// Reads a machine.
pub(super) async fn of(
    db: &impl ConnectionTrait,
    machine: &Draining,
    now: DateTime<Utc>,
) -> Result<Progress, DbErr> {
    let rows = registry::on_machine(db, &machine.node.to_string(), &LEFT).await?;
    let mut sandboxes = Vec::new();
    for row in rows {
        if row.workspace_id == machine.workspace {
            let facts = of_sandbox(db, &row, machine.turn).await?;
            let next = next(&facts, machine.moves, now);
            sandboxes.push(Seen { row, facts, next });
        }
    }
    let unsaved = unsaved(db, machine).await?;
    let scope = WorkspaceScope::of_row(machine.workspace);
    let left = Left {
        stays: stays(db, scope).await?,
        sandboxes: sandboxes.len(),
        unsaved: unsaved.len(),
        drained: machine.drained,
        connected: machine.connected,
    };
    Ok(Progress {
        sandboxes,
        unsaved,
        left,
    })
}

/// Whether the files of a workspace stay on their machines.
async fn stays(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<bool, DbErr> {
    Ok(workspaces::file_policy(db, scope).await? == FilePolicy::Stay)
}

/// Reads a sandbox.
pub(super) async fn of_sandbox(
    db: &impl ConnectionTrait,
    row: &container::Model,
    turn: i64,
) -> Result<Facts, DbErr> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let notes = Notes::of(row.drain.as_ref(), turn);
    let (mut used, mut uploaded) = (false, false);
    if let Some(saved) = &notes.saved {
        let of = (row.owner_id, row.id);
        used = operations::any_command_ended_after(db, of, saved.at).await?;
        let snapshot = snapshots::with_digest(db, scope, row.owner_id, &saved.digest).await?;
        uploaded = snapshot.is_some_and(|snapshot| snapshot.uploaded_at.is_some());
    }
    Ok(Facts {
        // An unknown word of a newer gateway is left alone.
        state: State::parse(&row.state).unwrap_or(State::Lost),
        busy: operations::any_command_open(db, row.id).await?,
        used,
        uploaded,
        stays: stays(db, scope).await?,
        notes,
    })
}

/// The agents whose newest files are only on the machine. What a sandbox stored at its end counts from the moment when the
/// machine says so, also before the report of the snapshot has its row.
async fn unsaved(db: &impl ConnectionTrait, machine: &Draining) -> Result<Vec<Unsaved>, DbErr> {
    let scope = WorkspaceScope::of_row(machine.workspace);
    let only_here = snapshots::newest_only_on(db, scope, &machine.node.to_string()).await?;
    let mut unsaved: Vec<Unsaved> = only_here
        .into_iter()
        .map(|snapshot| Unsaved {
            owner: snapshot.owner(),
            taken_at: snapshot.taken_at,
        })
        .collect();
    for row in store::ended_on(db, machine).await? {
        let Some(digest) = registry::digest_of(row.archive.as_ref()) else {
            continue;
        };
        let known = snapshots::with_digest(db, scope, row.owner_id, &digest).await?;
        if known.is_none() && unsaved.iter().all(|one| one.owner != row.owner()) {
            unsaved.push(Unsaved {
                owner: row.owner(),
                taken_at: row.ended_at.unwrap_or(row.last_used_at),
            });
        }
    }
    Ok(unsaved)
}
