//! Reads runs. Queries for a tenant take its scope. Queries for a run's owner take the run's id.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, IntoActiveModel,
    Iterable, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Statement,
    sea_query::Expr,
};

use super::entity::{call, child, run, step};
use super::entry::EntryKind;
use super::journal::stored;
use super::model::{Status, StepStatus};
use super::tree::{Branch, Tree};
use crate::topology::StepRef;
use roost_agents::claws;
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, RunId, TeamId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// Filters for a list of runs.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub team: Option<TeamId>,
    pub parent: Option<RunId>,
    pub status: Option<Status>,
}

/// A run of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RunId,
) -> Result<Option<run::Model>, DbErr> {
    run::Entity::find_by_id_in(scope, id).one(db).await
}

/// Runs, newest first: those that people started, or the children of one run.
///
/// # Errors
/// When the database fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    wanted: &Wanted,
    page: PageRequest,
) -> Result<Vec<run::Model>, DbErr> {
    let mut query = run::Entity::find_in(scope);
    query = match wanted.parent {
        Some(parent) => query.filter(run::Column::ParentRunId.eq(parent)),
        None => query.filter(run::Column::ParentRunId.is_null()),
    };
    if let Some(team) = wanted.team {
        query = query.filter(run::Column::TeamId.eq(team));
    }
    if let Some(status) = wanted.status {
        query = query.filter(run::Column::Status.eq(status.as_str()));
    }
    if let Some(after) = page.after {
        query = query.filter(run::Column::Id.lt(after));
    }
    query
        .order_by_desc(run::Column::Id)
        .limit(page.limit + 1)
        .all(db)
        .await
}

/// The steps of a run, in the order in which they began.
///
/// # Errors
/// When the database fails.
pub async fn steps(db: &impl ConnectionTrait, run: RunId) -> Result<Vec<step::Model>, DbErr> {
    step::Entity::find()
        .filter(step::Column::RunId.eq(run))
        .order_by_asc(step::Column::Position)
        .order_by_asc(step::Column::StepKey)
        .all(db)
        .await
}

/// A page of the journal of a step, oldest first: the entries after this index.
///
/// # Errors
/// When the database fails.
pub async fn calls_after(
    db: &impl ConnectionTrait,
    run: RunId,
    step: &StepRef,
    after: i32,
    most: u64,
) -> Result<Vec<call::Model>, DbErr> {
    calls_of(run, step)
        .filter(call::Column::Idx.gt(after))
        .order_by_asc(call::Column::Idx)
        .limit(most)
        .all(db)
        .await
}

/// The last turn of the model in the journal of a step, and the number of entries after it.
///
/// # Errors
/// When the database fails.
pub async fn last_turn(
    db: &impl ConnectionTrait,
    run: RunId,
    step: &StepRef,
) -> Result<Option<(call::Model, u64)>, DbErr> {
    let turn = calls_of(run, step)
        .filter(call::Column::Kind.eq(EntryKind::Model.as_str()))
        .order_by_desc(call::Column::Idx)
        .limit(1)
        .one(db)
        .await?;
    let Some(turn) = turn else {
        return Ok(None);
    };
    let later = calls_of(run, step).filter(call::Column::Idx.gt(turn.idx));
    let later = later.count(db).await?;
    Ok(Some((turn, later)))
}

fn calls_of(run: RunId, step: &StepRef) -> Select<call::Entity> {
    call::Entity::find()
        .filter(call::Column::RunId.eq(run))
        .filter(call::Column::StepKey.eq(&*step.key))
        .filter(call::Column::Lap.eq(stored(step.lap)))
        .filter(call::Column::Shard.eq(stored(step.shard)))
}

/// The runs that the steps of a run started, in the order of their calls.
///
/// # Errors
/// When the database fails.
pub async fn children(db: &impl ConnectionTrait, run: RunId) -> Result<Vec<child::Model>, DbErr> {
    child::Entity::find()
        .filter(child::Column::RunId.eq(run))
        .order_by_asc(child::Column::Idx)
        .all(db)
        .await
}

/// Records that a call of a step started a run.
///
/// # Errors
/// When the database fails.
pub async fn insert_child(
    tx: &WriteTx,
    run: RunId,
    step: &StepRef,
    call: u32,
    child: RunId,
) -> Result<(), DbErr> {
    let row = child::Model {
        run_id: run,
        step_key: step.key.clone(),
        lap: stored(step.lap),
        shard: stored(step.shard),
        idx: stored(call),
        child_run_id: child,
    };
    insert_children(tx, vec![row]).await
}

/// Inserts these rows.
///
/// # Errors
/// When the database fails.
pub async fn insert_children(tx: &WriteTx, rows: Vec<child::Model>) -> Result<(), DbErr> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
    child::Entity::insert_many(rows)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// The maximum size of a journal that is read at once, in bytes.
const MOST_OF_JOURNAL: i64 = 32 << 20;
/// The maximum number of entries that are read at once.
const MOST_CALLS: i64 = 10_000;

/// The journals of all steps of a run, and the number of older entries that are left out beyond 10,000. When the rest
/// exceeds 32 MiB, entries longer than their equal share are empty.
///
/// # Errors
/// When the database fails.
pub async fn calls(
    db: &impl ConnectionTrait,
    run: RunId,
) -> Result<(Vec<call::Model>, u64), DbErr> {
    let backend = db.get_database_backend();
    let bytes = match backend {
        DbBackend::Postgres => "octet_length(content)",
        _ => "length(CAST(content AS BLOB))",
    };
    let size = format!(
        "SELECT count(*) AS n, CAST(COALESCE(sum({bytes}), 0) AS BIGINT) AS bytes FROM run_calls WHERE run_id = $1"
    );
    let size = Statement::from_sql_and_values(backend, size, [run.into()]);
    let size = db.query_one_raw(size).await?;
    let size = size.ok_or_else(|| DbErr::RecordNotFound("a sum".to_owned()))?;
    let (n, all): (i64, i64) = (size.try_get("", "n")?, size.try_get("", "bytes")?);
    let share = match all {
        ..=MOST_OF_JOURNAL => i64::MAX,
        _ => MOST_OF_JOURNAL / n.clamp(1, MOST_CALLS),
    };
    let content = Expr::cust(format!(
        "CASE WHEN {bytes} > {share} THEN '' ELSE content END"
    ));
    let mut query = call::Entity::find().select_only();
    for column in call::Column::iter() {
        query = match column {
            call::Column::Content => query.column_as(content.clone(), "content"),
            column => query.column(column),
        };
    }
    let mut newest = query
        .filter(call::Column::RunId.eq(run))
        .order_by_desc(call::Column::EndedMs)
        .order_by_desc(call::Column::StepKey)
        .order_by_desc(call::Column::Lap)
        .order_by_desc(call::Column::Shard)
        .order_by_desc(call::Column::Idx)
        .limit(MOST_CALLS.unsigned_abs())
        .all(db)
        .await?;
    newest.reverse();
    Ok((newest, u64::try_from(n - MOST_CALLS).unwrap_or(0)))
}

/// A run by its id alone, for its owner or for a caller that waits for it.
///
/// # Errors
/// When the database fails.
pub async fn by_id(db: &impl ConnectionTrait, id: RunId) -> Result<Option<run::Model>, DbErr> {
    run::Entity::find_by_id(id).one(db).await
}

/// Those of these runs that belong to the workspace.
///
/// # Errors
/// When the database fails.
pub async fn some(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
    ids: impl IntoIterator<Item = RunId>,
) -> Result<Vec<run::Model>, DbErr> {
    run::Entity::find()
        .filter(run::Column::WorkspaceId.eq(workspace))
        .filter(run::Column::Id.is_in(ids))
        .all(db)
        .await
}

/// Whether a team has queued or running runs besides one.
///
/// # Errors
/// When the database fails.
pub async fn open_of_team(
    db: &impl ConnectionTrait,
    team: TeamId,
    beside: RunId,
) -> Result<bool, DbErr> {
    let open = [Status::Queued.as_str(), Status::Running.as_str()];
    let one = run::Entity::find()
        .filter(run::Column::TeamId.eq(team))
        .filter(run::Column::Id.ne(beside))
        .filter(run::Column::Status.is_in(open))
        .limit(1)
        .one(db)
        .await?;
    Ok(one.is_some())
}

/// The database's clock, milliseconds since 1970.
///
/// # Errors
/// When the database fails.
pub async fn now_ms(db: &impl ConnectionTrait, backend: Backend) -> Result<i64, DbErr> {
    let sql = format!("SELECT {} AS now", backend.now_ms());
    let row = db
        .query_one_raw(Statement::from_string(backend.into(), sql))
        .await?
        .ok_or_else(|| DbErr::RecordNotFound("the clock".to_owned()))?;
    row.try_get("", "now")
}

/// The number of steps that an agent works on.
///
/// # Errors
/// When the database fails.
pub async fn at_work(db: &impl ConnectionTrait, agent: ClawId) -> Result<u64, DbErr> {
    step::Entity::find()
        .filter(step::Column::AgentId.eq(agent))
        .filter(step::Column::Status.eq(StepStatus::Running.as_str()))
        .count(db)
        .await
}

/// The agents of these runs' steps whose status is `working`.
///
/// # Errors
/// When the database fails.
pub async fn working_agents(
    db: &impl ConnectionTrait,
    runs: &[RunId],
) -> Result<Vec<ClawId>, DbErr> {
    let working = claws::ids_in_state(AgentState::Working.as_str());
    step::Entity::find()
        .select_only()
        .column(step::Column::AgentId)
        .distinct()
        .filter(step::Column::RunId.is_in(runs.iter().copied()))
        .filter(step::Column::AgentId.in_subquery(working))
        .order_by_asc(step::Column::AgentId)
        .into_tuple()
        .all(db)
        .await
}

/// The cost of the workspace's runs in the last thirty days, in millionths of a US dollar. A cost that is rolled up
/// counts only in the parent.
///
/// # Errors
/// When the database fails.
pub async fn spent_lately(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<i64, DbErr> {
    let now = match db.get_database_backend() {
        DbBackend::Postgres => Backend::Postgres.now_ms(),
        _ => Backend::Sqlite.now_ms(),
    };
    let sql = format!(
        "SELECT CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS spent FROM topology_runs \
         WHERE workspace_id = $1 AND NOT rolled_up AND updated_ms > {now} - 2592000000"
    );
    let values = [scope.workspace().into()];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let row = db.query_one_raw(statement).await?;
    row.map_or(Ok(0), |row| row.try_get("", "spent"))
}

/// All runs of the tree below this root.
///
/// # Errors
/// When the database fails.
pub async fn tree(db: &impl ConnectionTrait, root: RunId) -> Result<Tree, DbErr> {
    let sql = "SELECT id, parent_run_id, cost_microusd, cost_ceiling_microusd, rolled_up FROM topology_runs \
               WHERE root_run_id = $1";
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, [root.into()]);
    Branch::find_by_statement(statement).all(db).await.map(Tree)
}

/// The number of runs in the tree below this root.
///
/// # Errors
/// When the database fails.
pub async fn size_of_tree(db: &impl ConnectionTrait, root: RunId) -> Result<u64, DbErr> {
    let of_tree = run::Column::RootRunId.eq(root);
    run::Entity::find().filter(of_tree).count(db).await
}

/// Inserts a run.
///
/// # Errors
/// When the database fails.
pub async fn insert(tx: &WriteTx, row: run::Model) -> Result<(), DbErr> {
    run::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Inserts steps as they are.
///
/// # Errors
/// When the database fails.
pub async fn insert_steps(tx: &WriteTx, steps: Vec<step::Model>) -> Result<(), DbErr> {
    if steps.is_empty() {
        return Ok(());
    }
    let rows = steps.into_iter().map(IntoActiveModel::into_active_model);
    step::Entity::insert_many(rows)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}
