//! All SQL of sandboxes. A tenant's queries take a scope; the queries of the gateway's own actors name the machine.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use roost_protocol::control::Kept;
use roost_protocol::ids::AgentId;
use roost_protocol::limits::MAX_KEPT_NAMES;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use super::entity::container;
use super::model::State;
use super::{OwnerKind, SandboxOwner, snapshots};
use roost_agents::claws;
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::events::AgentState;
use roost_platform::ids::{NodeId, SandboxId, SandboxOwnerId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

const LIVE: [&str; 3] = ["provisioning", "running", "destroying"];
/// The states of a sandbox that its agent still shows.
pub const CURRENT: [&str; 5] = ["provisioning", "running", "destroying", "stopped", "lost"];

/// Whether one of these owners has a present sandbox.
pub async fn any_current(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owners: &[SandboxOwnerId],
) -> Result<bool, DbErr> {
    let found = container::Entity::find_in(scope)
        .filter(container::Column::OwnerId.is_in(owners.iter().copied()))
        .filter(container::Column::State.is_in(CURRENT))
        .one(db);
    Ok(found.await?.is_some())
}

/// The present sandbox of an owner: live, stopped or lost; the newest.
pub async fn current(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<Option<container::Model>, DbErr> {
    let newest = container::Entity::find_in(scope)
        .filter(container::Column::OwnerId.eq(owner))
        .order_by_desc(container::Column::Epoch)
        .one(db)
        .await?;
    Ok(newest.filter(|row| State::parse(&row.state).is_some_and(State::current)))
}

/// Where the running sandboxes of a workspace are, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn running_places(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    most: u64,
) -> Result<Vec<Place>, DbErr> {
    let rows = container::Entity::find_in(scope)
        .filter(container::Column::State.eq(State::Running.as_str()))
        .order_by_desc(container::Column::Id)
        .limit(most)
        .all(db)
        .await?;
    let places = rows.into_iter().map(|row| Place {
        owner: row.owner(),
        // The gateway's own host has no id.
        node: row.node_id.parse().ok(),
    });
    Ok(places.collect())
}

/// Where a sandbox is.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub owner: SandboxOwner,
    /// The machine; `None` is the gateway's own host.
    pub node: Option<NodeId>,
}

/// Locks this owner's sandboxes until the end of the transaction, so that rows read after it cannot change before the
/// write. Without the lock a concurrent change makes the write fail. SQLite has only one writer and needs no lock.
#[expect(
    clippy::disallowed_methods,
    reason = "on SQLite, where the lock would be dropped, nobody gets here"
)]
pub async fn lock(tx: &WriteTx, scope: WorkspaceScope, owner: SandboxOwnerId) -> Result<(), DbErr> {
    if tx.backend() == Backend::Sqlite {
        return Ok(());
    }
    container::Entity::find_in(scope)
        .select_only()
        .column(container::Column::Id)
        .filter(container::Column::OwnerId.eq(owner))
        .order_by_asc(container::Column::Id)
        .lock_exclusive()
        .into_tuple::<SandboxId>()
        .all(&**tx)
        .await
        .map(drop)
}

/// The newest sandbox of an owner, ended or not.
pub async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<Option<container::Model>, DbErr> {
    container::Entity::find_in(scope)
        .filter(container::Column::OwnerId.eq(owner))
        .order_by_desc(container::Column::Epoch)
        .one(db)
        .await
}

/// One row of a workspace.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
) -> Result<Option<container::Model>, DbErr> {
    container::Entity::find_in(scope)
        .filter(container::Column::Id.eq(id))
        .one(db)
        .await
}

/// Rows of a machine (`local` or a node's id) in these states, of all workspaces: for its own actor only.
pub async fn on_machine(
    db: &impl ConnectionTrait,
    machine: &str,
    states: &[State],
) -> Result<Vec<container::Model>, DbErr> {
    container::Entity::find()
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::State.is_in(states.iter().map(|state| state.as_str())))
        .order_by_asc(container::Column::Id)
        .all(db)
        .await
}

/// Machine and limits of a workspace's rows in these states.
pub async fn holding(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    states: &[State],
) -> Result<Vec<(String, serde_json::Value)>, DbErr> {
    container::Entity::find_in(scope)
        .select_only()
        .column(container::Column::NodeId)
        .column(container::Column::Limits)
        .filter(container::Column::State.is_in(states.iter().map(|state| state.as_str())))
        .into_tuple()
        .all(db)
        .await
}

/// Rows that wait for an operation, of all workspaces: for recovery only.
pub async fn in_transition(db: &impl ConnectionTrait) -> Result<Vec<container::Model>, DbErr> {
    container::Entity::find()
        .filter(
            container::Column::State
                .is_in([State::Provisioning.as_str(), State::Destroying.as_str()]),
        )
        .all(db)
        .await
}

/// Every machine that holds live or lost sandboxes, or stored workspaces.
pub async fn machines_with_anything(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    container::Entity::find()
        .select_only()
        .column(container::Column::NodeId)
        .distinct()
        .filter(
            container::Column::State
                .is_in(CURRENT)
                .or(container::Column::Archive.is_not_null()),
        )
        .into_tuple()
        .all(db)
        .await
}

/// Every machine that holds live or lost sandboxes.
pub async fn machines(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    container::Entity::find()
        .select_only()
        .column(container::Column::NodeId)
        .distinct()
        .filter(container::Column::State.is_in(CURRENT))
        .into_tuple()
        .all(db)
        .await
}

/// The live sandboxes of a machine, for reconciling.
pub async fn live_on(db: &impl ConnectionTrait, machine: &str) -> Result<Vec<SandboxId>, DbErr> {
    let rows = container::Entity::find()
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::State.is_in(LIVE))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// The owners whose stored workspaces a machine keeps; `None` when one message cannot hold all of them.
pub async fn kept_on(db: &impl ConnectionTrait, machine: &str) -> Result<Option<Kept>, DbErr> {
    let agents: Vec<SandboxOwnerId> = container::Entity::find()
        .select_only()
        .column(container::Column::OwnerId)
        .distinct()
        .filter(container::Column::NodeId.eq(machine))
        .limit(MAX_KEPT_NAMES as u64 + 1)
        .into_tuple()
        .all(db)
        .await?;
    let mut archives = next_origins(db, machine, None).await?;
    archives.extend(snapshots::store::latest_on(db, machine).await?);
    archives.sort_unstable();
    archives.dedup();
    if agents.len().max(archives.len()) > MAX_KEPT_NAMES {
        return Ok(None);
    }
    Ok(Some(Kept {
        agents: agents.into_iter().map(|agent| AgentId(agent.0)).collect(),
        archives,
    }))
}

/// Archives that the next sandbox of an owner restores: those of each owner's newest row, in all workspaces. The
/// agent `except` is left out.
pub async fn next_origins(
    db: &impl ConnectionTrait,
    machine: &str,
    except: Option<SandboxOwnerId>,
) -> Result<Vec<String>, DbErr> {
    let newer = Query::select()
        .expr(Expr::value(1))
        .from_as(container::Entity, "newer")
        .and_where(
            Expr::col(("newer", container::Column::OwnerId))
                .equals((container::Entity, container::Column::OwnerId)),
        )
        .and_where(
            Expr::col(("newer", container::Column::Epoch))
                .gt(Expr::col((container::Entity, container::Column::Epoch))),
        )
        .to_owned();
    let mut query = container::Entity::find()
        .select_only()
        .column(container::Column::Archive)
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::Archive.is_not_null())
        .filter(Expr::exists(newer).not());
    if let Some(owner) = except {
        query = query.filter(container::Column::OwnerId.ne(owner));
    }
    let rows: Vec<Option<serde_json::Value>> = query
        .limit(MAX_KEPT_NAMES as u64 + 1)
        .into_tuple()
        .all(db)
        .await?;
    let digests = rows
        .iter()
        .filter_map(|archive| digest_of(archive.as_ref()));
    let unique: BTreeSet<String> = digests.collect();
    Ok(unique.into_iter().collect())
}

/// The digest of a stored workspace on a row.
pub fn digest_of(archive: Option<&serde_json::Value>) -> Option<String> {
    archive?.get("digest")?.as_str().map(str::to_owned)
}

/// Inserts a row.
pub async fn insert(db: &impl ConnectionTrait, row: container::Model) -> Result<(), DbErr> {
    container::Entity::insert(row.into_active_model())
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Stores a changed row if the stored version is still `from_version`; `false` otherwise.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &container::Model,
    from_version: i64,
) -> Result<bool, DbErr> {
    use container::Column as C;
    let done = container::Entity::update_many()
        .col_expr(C::NodeId, Expr::value(row.node_id.clone()))
        .col_expr(C::Fallback, Expr::value(row.fallback.clone()))
        .col_expr(C::Container, Expr::value(row.container.clone()))
        .col_expr(C::State, Expr::value(row.state.clone()))
        .col_expr(C::OperationId, Expr::value(row.operation_id))
        .col_expr(C::Detail, Expr::value(row.detail.clone()))
        .col_expr(C::Archive, Expr::value(row.archive.clone()))
        .col_expr(C::Restored, Expr::value(row.restored.clone()))
        .col_expr(C::Hardening, Expr::value(row.hardening.clone()))
        .col_expr(C::LastUsedAt, Expr::value(row.last_used_at))
        .col_expr(C::EndedAt, Expr::value(row.ended_at))
        .col_expr(C::Version, Expr::value(row.version))
        .filter(C::Id.eq(row.id))
        .filter(C::WorkspaceId.eq(row.workspace_id))
        .filter(C::Version.eq(from_version))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The sandbox with this id that is or was on a machine: for the machine's own reports only.
pub async fn of_machine(
    db: &impl ConnectionTrait,
    machine: &str,
    id: SandboxId,
) -> Result<Option<container::Model>, DbErr> {
    container::Entity::find_by_id(id)
        .filter(container::Column::NodeId.eq(machine))
        .one(db)
        .await
}

/// The workspace, if a machine has or had a sandbox of it: for the machine's own requests only.
pub async fn any_of_workspace(
    db: &impl ConnectionTrait,
    machine: &str,
    workspace: WorkspaceId,
) -> Result<Option<WorkspaceId>, DbErr> {
    container::Entity::find()
        .select_only()
        .column(container::Column::WorkspaceId)
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::WorkspaceId.eq(workspace))
        .into_tuple()
        .one(db)
        .await
}

/// What the live sandboxes of a workspace on a machine restore: for the machine's own requests only.
pub async fn wanted_on(
    db: &impl ConnectionTrait,
    machine: &str,
    workspace: WorkspaceId,
) -> Result<Vec<(WorkspaceId, serde_json::Value)>, DbErr> {
    container::Entity::find()
        .select_only()
        .column(container::Column::WorkspaceId)
        .column(container::Column::Archive)
        .filter(container::Column::NodeId.eq(machine))
        .filter(container::Column::State.is_in(LIVE))
        .filter(container::Column::WorkspaceId.eq(workspace))
        .filter(container::Column::Archive.is_not_null())
        .into_tuple()
        .all(db)
        .await
}

/// Keeps why the last snapshot of a sandbox could not be taken; `None`: it was taken. The version stays, because people
/// decide nothing by this text.
pub async fn set_snapshot_problem(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
    problem: Option<String>,
) -> Result<(), DbErr> {
    container::Entity::update_in(scope)
        .col_expr(container::Column::SnapshotProblem, Expr::value(problem))
        .filter(container::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Records that a sandbox was used. The version stays, because people decide nothing by this time.
pub async fn touch(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SandboxId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    container::Entity::update_in(scope)
        .col_expr(container::Column::LastUsedAt, Expr::value(now))
        .filter(container::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Running sandboxes whose agents have the status working.
pub async fn running_of_working_agents(
    db: &impl ConnectionTrait,
) -> Result<Vec<container::Model>, DbErr> {
    let working = claws::ids_in_state(AgentState::Working.as_str());
    container::Entity::find()
        .filter(container::Column::State.eq(State::Running.as_str()))
        .filter(container::Column::OwnerId.in_subquery(working))
        .all(db)
        .await
}

/// Rows that one transaction deletes.
const PART: u64 = 500;

/// Deletes some rows of sandboxes that ended before this time. `true`: there may be more. The newest row of an owner on
/// each machine stays: it says where files of the owner are, and what the machine keeps.
///
/// # Errors
/// When the database fails.
pub async fn forget_ended(tx: &WriteTx, before: DateTime<Utc>) -> Result<bool, DbErr> {
    use container::Column as C;
    let same = |column: C| Expr::col(("newer", column)).equals((container::Entity, column));
    let newer = Query::select()
        .expr(Expr::value(1))
        .from_as(container::Entity, "newer")
        .and_where(same(C::OwnerId))
        .and_where(same(C::NodeId))
        .and_where(Expr::col(("newer", C::Epoch)).gt(Expr::col((container::Entity, C::Epoch))))
        .to_owned();
    let old: Vec<SandboxId> = container::Entity::find()
        .select_only()
        .column(C::Id)
        .filter(C::State.is_not_in(CURRENT))
        .filter(C::EndedAt.lt(before))
        .filter(Expr::exists(newer))
        .limit(PART)
        .into_tuple()
        .all(&**tx)
        .await?;
    let many = old.len() as u64 >= PART;
    container::Entity::delete_many()
        .filter(C::Id.is_in(old))
        .exec(&**tx)
        .await?;
    Ok(many)
}

/// The owners of a kind that own sandboxes or snapshots, also ended ones.
///
/// # Errors
/// When the database fails.
pub async fn owners_with_anything(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    kind: OwnerKind,
) -> Result<BTreeSet<SandboxOwnerId>, DbErr> {
    let sandboxes: Vec<SandboxOwnerId> = container::Entity::find_in(scope)
        .select_only()
        .column(container::Column::OwnerId)
        .distinct()
        .filter(container::Column::OwnerKind.eq(kind))
        .into_tuple()
        .all(db)
        .await?;
    let files = snapshots::store::owners(db, scope, kind).await?;
    Ok(sandboxes.into_iter().chain(files).collect())
}
