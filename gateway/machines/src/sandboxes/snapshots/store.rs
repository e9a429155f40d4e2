//! SQL of snapshots. A tenant's statements take a scope; the statements for a machine's own reports name the machine.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, Select, Statement,
};

use super::entity::{Column, Entity, Model};
use crate::sandboxes::OwnerKind;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{SandboxOwnerId, SnapshotId};
use roost_protocol::limits::MAX_KEPT_NAMES;
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// Digests in one statement, and rows in one deletion.
const PART: usize = 500;

fn of(scope: WorkspaceScope, owner: SandboxOwnerId) -> Select<Entity> {
    Entity::find_in(scope)
        .filter(Column::OwnerId.eq(owner))
        .order_by_desc(Column::TakenAt)
        .order_by_desc(Column::Id)
}

/// The newest snapshot of an owner.
pub async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<Option<Model>, DbErr> {
    of(scope, owner).one(db).await
}

/// The newest snapshot of an owner that this machine can have: its own, or one in the gateway's store.
pub async fn within_reach(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    machine: &str,
) -> Result<Option<Model>, DbErr> {
    let reach = Condition::any()
        .add(Column::NodeId.eq(machine))
        .add(Column::UploadedAt.is_not_null());
    of(scope, owner).filter(reach).one(db).await
}

/// The snapshot of an owner with this digest.
pub async fn with_digest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    digest: &str,
) -> Result<Option<Model>, DbErr> {
    of(scope, owner)
        .filter(Column::Digest.eq(digest))
        .one(db)
        .await
}

/// One snapshot of an owner.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    snapshot: SnapshotId,
) -> Result<Option<Model>, DbErr> {
    of(scope, owner)
        .filter(Column::Id.eq(snapshot))
        .one(db)
        .await
}

/// A page of an owner's snapshots, newest first.
pub async fn page(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    page: PageRequest,
) -> Result<Vec<Model>, DbErr> {
    let mut query = of(scope, owner);
    if let Some(after) = page.after.map(SnapshotId) {
        let last = of(scope, owner)
            .filter(Column::Id.eq(after))
            .one(db)
            .await?;
        // It was deleted meanwhile: all older ones were deleted with it.
        let Some(last) = last else {
            return Ok(Vec::new());
        };
        let older = Column::TakenAt.lt(last.taken_at);
        let same = Column::TakenAt.eq(last.taken_at).and(Column::Id.lt(after));
        query = query.filter(older.or(same));
    }
    query.limit(page.rows()).all(db).await
}

/// What is known of these digests on a machine, of all workspaces: for the machine's own reports only.
pub async fn known_on(
    db: &impl ConnectionTrait,
    machine: &str,
    digests: &[&str],
) -> Result<Vec<Model>, DbErr> {
    let mut known = Vec::new();
    for part in digests.chunks(PART) {
        let rows = Entity::find()
            .filter(Column::NodeId.eq(machine))
            .filter(Column::Digest.is_in(part.iter().copied()))
            .all(db);
        known.extend(rows.await?);
    }
    Ok(known)
}

/// The digest of the newest snapshot of each owner on a machine, in all workspaces. The machine keeps these.
pub async fn latest_on(db: &impl ConnectionTrait, machine: &str) -> Result<Vec<String>, DbErr> {
    let newer = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, "newer")
        .and_where(same("newer", Column::OwnerId))
        .and_where(same("newer", Column::NodeId))
        .and_where(Expr::col(("newer", Column::TakenAt)).gt(Expr::col((Entity, Column::TakenAt))))
        .to_owned();
    Entity::find()
        .select_only()
        .column(Column::Digest)
        .filter(Column::NodeId.eq(machine))
        .filter(Expr::exists(newer).not())
        .limit(MAX_KEPT_NAMES as u64 + 1)
        .into_tuple()
        .all(db)
        .await
}

/// The snapshots of a workspace that are the newest of their owners and that only this machine has.
pub async fn newest_only_on(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    machine: &str,
) -> Result<Vec<Model>, DbErr> {
    let newer = Query::select()
        .expr(Expr::value(1))
        .from_as(Entity, "newer")
        .and_where(same("newer", Column::OwnerId))
        .and_where(Expr::col(("newer", Column::TakenAt)).gt(Expr::col((Entity, Column::TakenAt))))
        .to_owned();
    Entity::find_in(scope)
        .filter(Column::NodeId.eq(machine))
        .filter(Column::UploadedAt.is_null())
        .filter(Expr::exists(newer).not())
        .order_by_asc(Column::OwnerId)
        .all(db)
        .await
}

fn same(alias: &'static str, column: Column) -> Expr {
    Expr::col((alias, column)).eq(Expr::col((Entity, column)))
}

/// The snapshots of a workspace with this digest: agents with equal files have equal digests.
pub async fn of_digest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    digest: &str,
) -> Result<Vec<Model>, DbErr> {
    Entity::find_in(scope)
        .filter(Column::Digest.eq(digest))
        .all(db)
        .await
}

/// All digests of a workspace, with the time since when the gateway's store has all chunks.
pub async fn digests(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Vec<(String, Option<DateTime<Utc>>)>, DbErr> {
    Entity::find_in(scope)
        .select_only()
        .column(Column::Digest)
        .column(Column::UploadedAt)
        .into_tuple()
        .all(db)
        .await
}

/// Writes since when the gateway's store has a snapshot; `None`: it does not have all of it.
pub async fn set_uploaded(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    digest: &str,
    at: Option<DateTime<Utc>>,
) -> Result<(), DbErr> {
    Entity::update_in(scope)
        .col_expr(Column::UploadedAt, Expr::value(at))
        .filter(Column::Digest.eq(digest))
        .exec(db)
        .await?;
    Ok(())
}

/// Writes a snapshot. A snapshot with the digest of an earlier one replaces where and when it was taken.
pub async fn write(db: &impl ConnectionTrait, row: Model) -> Result<(), DbErr> {
    Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::columns([Column::OwnerId, Column::Digest])
                .update_columns([
                    Column::SandboxId,
                    Column::NodeId,
                    Column::TakenAt,
                    Column::ReceivedAt,
                ])
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes some snapshots that were reported before this time. `true`: there may be more. Those from which a new sandbox
/// of the owner could begin stay: the latest one, and the latest one in the gateway's store. So do those that a step of a
/// run or the begin of a run names: these rows go with the run's outputs.
///
/// # Errors
/// When the database fails.
pub async fn forget_before(tx: &WriteTx, before: DateTime<Utc>) -> Result<bool, DbErr> {
    let sql = format!(
        "DELETE FROM workspace_snapshots WHERE id IN (\
         SELECT s.id FROM workspace_snapshots s WHERE s.received_at < $1 AND EXISTS (\
           SELECT 1 FROM workspace_snapshots n WHERE n.owner_id = s.owner_id AND n.taken_at > s.taken_at \
           AND (s.uploaded_at IS NULL OR n.uploaded_at IS NOT NULL)) \
         AND NOT EXISTS (SELECT 1 FROM run_step_files f WHERE f.owner_id = s.owner_id \
           AND (f.began_digest = s.digest OR f.ended_digest = s.digest)) \
         AND NOT EXISTS (SELECT 1 FROM run_start_files b WHERE b.snapshot_owner_id = s.owner_id \
           AND b.digest = s.digest) LIMIT {PART})"
    );
    let values = [before.into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let done = tx.execute_raw(statement).await?;
    Ok(done.rows_affected() >= PART as u64)
}

/// Deletes the rows of an owner that is removed. The next sweep deletes their chunks.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<(), DbErr> {
    Entity::delete_in(scope)
        .filter(Column::OwnerId.eq(owner))
        .exec(db)
        .await?;
    Ok(())
}

/// The owners of a kind that own snapshots.
pub async fn owners(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    kind: OwnerKind,
) -> Result<Vec<SandboxOwnerId>, DbErr> {
    Entity::find_in(scope)
        .select_only()
        .column(Column::OwnerId)
        .distinct()
        .filter(Column::OwnerKind.eq(kind))
        .into_tuple()
        .all(db)
        .await
}

/// Deletes all rows of a workspace that is deleted.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    Entity::delete_in(scope).exec(db).await?;
    Ok(())
}
