//! Reads runs. Queries for a tenant take its scope. Queries for a run's owner take the run's id.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel,
    Iterable, JoinType, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    Statement, sea_query::Expr,
};

use super::entity::{call, child, record, run, state, step};
use super::entry::EntryKind;
use super::fence::this_step;
use super::journal::stored;
use super::model::Status;
use crate::topology::StepRef;
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::ids::{ClawId, RunId, TeamId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// A run of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RunId,
) -> Result<Option<run::Model>, DbErr> {
    let row = with_state(record::Entity::find_by_id_in(scope, id));
    row.into_model().one(db).await
}

/// Adds the columns of the run's state, so that the rows are [`run::Model`]s.
pub(super) fn with_state(select: Select<record::Entity>) -> Select<record::Entity> {
    use state::Column::{RunId, WorkspaceId};
    let state = record::Entity::belongs_to(state::Entity)
        .from(record::Column::Id)
        .to(RunId)
        .into();
    state::Column::iter()
        .filter(|column| !matches!(column, RunId | WorkspaceId))
        .fold(select.join(JoinType::InnerJoin, state), QuerySelect::column)
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

/// A step of a run.
///
/// # Errors
/// When the database fails.
pub async fn step(
    db: &impl ConnectionTrait,
    run: RunId,
    at: &StepRef,
) -> Result<Option<step::Model>, DbErr> {
    step::Entity::find()
        .filter(this_step(run, at))
        .one(db)
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

/// The number of entries in the journal of a step.
///
/// # Errors
/// When the database fails.
pub async fn entries(db: &impl ConnectionTrait, run: RunId, step: &StepRef) -> Result<u64, DbErr> {
    calls_of(run, step).count(db).await
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
    let row = with_state(record::Entity::find_by_id(id));
    row.into_model().one(db).await
}

/// These runs, for their owner.
///
/// # Errors
/// When the database fails.
pub(super) async fn by_ids(
    db: &impl ConnectionTrait,
    ids: &[RunId],
) -> Result<Vec<run::Model>, DbErr> {
    with_state(record::Entity::find())
        .filter(record::Column::Id.is_in(ids.iter().copied()))
        .into_model()
        .all(db)
        .await
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
    with_state(record::Entity::find())
        .filter(record::Column::WorkspaceId.eq(workspace))
        .filter(record::Column::Id.is_in(ids))
        .into_model()
        .all(db)
        .await
}

/// Whether one of these runs has not ended.
///
/// # Errors
/// When the database fails.
pub async fn any_open(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: Vec<RunId>,
) -> Result<bool, DbErr> {
    let found = some(db, scope.workspace(), ids).await?;
    let is_over = |run: &run::Model| Status::parse(&run.status).is_some_and(Status::is_final);
    Ok(!found.iter().all(is_over))
}

/// Whether a team has queued or running runs besides one.
///
/// # Errors
/// When the database fails.
pub async fn open_of_team(
    db: &impl ConnectionTrait,
    team: TeamId,
    beside: Option<RunId>,
) -> Result<bool, DbErr> {
    let open = [Status::Queued.as_str(), Status::Running.as_str()];
    let others = Condition::all().add_option(beside.map(|run| record::Column::Id.ne(run)));
    let one = with_state(record::Entity::find())
        .filter(record::Column::TeamId.eq(team))
        .filter(others)
        .filter(state::Column::Status.is_in(open))
        .limit(1)
        .into_model::<run::Listed>()
        .one(db)
        .await?;
    Ok(one.is_some())
}

/// The queued and running runs that give work to this agent alone.
///
/// # Errors
/// When the database fails.
pub async fn open_of_agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<RunId>, DbErr> {
    let open = [Status::Queued.as_str(), Status::Running.as_str()];
    let runs = with_state(record::Entity::find_in(scope))
        .filter(record::Column::AgentId.eq(agent))
        .filter(state::Column::Status.is_in(open))
        .into_model::<run::Listed>()
        .all(db)
        .await?;
    Ok(runs.into_iter().map(|run| run.id).collect())
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
        "SELECT CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) AS spent FROM run_state \
         WHERE workspace_id = $1 AND NOT rolled_up AND updated_ms > {now} - 2592000000"
    );
    let values = [scope.workspace().into()];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let row = db.query_one_raw(statement).await?;
    row.map_or(Ok(0), |row| row.try_get("", "spent"))
}

/// Inserts a run.
///
/// # Errors
/// When the database fails.
pub async fn insert(tx: &WriteTx, row: run::Model) -> Result<(), DbErr> {
    let (record, state) = row.split();
    record::Entity::insert(record.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    state::Entity::insert(state.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Deletes all rows of a workspace that is deleted.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    let runs = || {
        record::Entity::find_in(scope)
            .select_only()
            .column(record::Column::Id)
            .into_query()
    };
    call::Entity::delete_many()
        .filter(call::Column::RunId.in_subquery(runs()))
        .exec(&**tx)
        .await?;
    step::Entity::delete_many()
        .filter(step::Column::RunId.in_subquery(runs()))
        .exec(&**tx)
        .await?;
    // Their states follow by foreign key.
    record::Entity::delete_in(scope).exec(&**tx).await?;
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
