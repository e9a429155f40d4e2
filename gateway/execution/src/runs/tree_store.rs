//! Reads trees of runs: their costs, their turns, the places of their runs.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    Statement,
};

use super::entity::{record, run};
use super::entry::EntryKind;
use super::tree::{Branch, Tree};
use roost_platform::ids::{RunId, UserId, WorkspaceId};

/// All runs of the tree below this root.
///
/// # Errors
/// When the database fails.
pub async fn tree(db: &impl ConnectionTrait, root: RunId) -> Result<Tree, DbErr> {
    let sql = "SELECT r.id, r.parent_run_id, s.cost_microusd, r.cost_ceiling_microusd, r.turn_limit, s.rolled_up \
               FROM topology_runs r JOIN run_state s ON s.run_id = r.id WHERE r.root_run_id = $1";
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, [root.into()]);
    Branch::find_by_statement(statement).all(db).await.map(Tree)
}

#[derive(FromQueryResult)]
struct Turns {
    run_id: RunId,
    turns: i64,
}

/// The turns of models that each run of the tree below this root has made. A run without a turn has no entry.
///
/// # Errors
/// When the database fails.
pub async fn turns(db: &impl ConnectionTrait, root: RunId) -> Result<HashMap<RunId, i64>, DbErr> {
    let sql = "SELECT c.run_id AS run_id, count(*) AS turns FROM run_calls c \
               JOIN topology_runs r ON r.id = c.run_id \
               WHERE r.root_run_id = $1 AND c.kind = $2 GROUP BY c.run_id";
    let values = [root.into(), EntryKind::Model.as_str().into()];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let rows = Turns::find_by_statement(statement).all(db).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.run_id, row.turns))
        .collect())
}

/// The turns of models that a run has made together with its descendants.
///
/// # Errors
/// When the database fails.
pub(super) async fn turns_below(db: &impl ConnectionTrait, run: &run::Model) -> Result<i64, DbErr> {
    let made = turns(db, run.root_run_id).await?;
    let tree = tree(db, run.root_run_id).await?;
    let below = tree.with_descendants(run.id);
    Ok(below.iter().filter_map(|id| made.get(id)).sum())
}

/// Children that are open although their parents have ended: they work for nobody.
#[derive(Debug, Clone, Copy, FromQueryResult)]
pub(super) struct Orphan {
    pub id: RunId,
    pub workspace_id: WorkspaceId,
    pub created_by: UserId,
}

/// The open children of ended runs: of all, or of one.
///
/// # Errors
/// When the database fails.
pub(super) async fn orphans(
    db: &impl ConnectionTrait,
    of: Option<RunId>,
) -> Result<Vec<Orphan>, DbErr> {
    let only = if of.is_some() {
        "AND r.parent_run_id = $1"
    } else {
        ""
    };
    let sql = format!(
        "SELECT r.id AS id, r.workspace_id AS workspace_id, r.created_by AS created_by FROM run_state s \
         JOIN topology_runs r ON r.id = s.run_id JOIN run_state p ON p.run_id = r.parent_run_id \
         WHERE s.status IN ('queued', 'running') AND s.depth > 0 AND s.cancel_requested_ms IS NULL \
           AND p.status NOT IN ('queued', 'running') {only}"
    );
    let values = of.map(Into::into);
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Orphan::find_by_statement(statement).all(db).await
}

/// Which step started a run of a tree.
#[derive(Debug, Clone, FromQueryResult)]
pub(super) struct Place {
    pub id: RunId,
    pub parent_run_id: Option<RunId>,
    pub parent_step: Option<String>,
}

/// The places of all runs of the tree below this root.
pub(super) async fn places(db: &impl ConnectionTrait, root: RunId) -> Result<Vec<Place>, DbErr> {
    let sql = "SELECT id, parent_run_id, parent_step FROM topology_runs WHERE root_run_id = $1";
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, [root.into()]);
    Place::find_by_statement(statement).all(db).await
}

/// The number of runs in the tree below this root.
///
/// # Errors
/// When the database fails.
pub async fn size_of_tree(db: &impl ConnectionTrait, root: RunId) -> Result<u64, DbErr> {
    let of_tree = record::Column::RootRunId.eq(root);
    record::Entity::find().filter(of_tree).count(db).await
}
