//! Reads runs. Queries for a tenant take its scope. Queries for a run's owner take the run's id.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, IntoActiveModel,
    Iterable, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Statement, sea_query::Expr,
};

use super::entity::{call, run, step};
use super::model::{Status, StepStatus};
use super::tree::{Branch, Tree};
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

/// The journal of a step, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn calls_of(
    db: &impl ConnectionTrait,
    run: RunId,
    key: &str,
    lap: u32,
) -> Result<Vec<call::Model>, DbErr> {
    call::Entity::find()
        .filter(call::Column::RunId.eq(run))
        .filter(call::Column::StepKey.eq(key))
        .filter(call::Column::Lap.eq(i32::try_from(lap).unwrap_or(i32::MAX)))
        .order_by_asc(call::Column::Idx)
        .all(db)
        .await
}

/// The maximum size of a journal that is read at once, in bytes.
const MOST_OF_JOURNAL: i64 = 32 << 20;
/// Replaces an entry that is too long.
const TOO_LONG: &str = r#"{"text":"[too long to be shown here]","calls":[]}"#;

/// The journals of all steps of a run. When they exceed 32 MiB together, entries longer than their equal share are
/// replaced.
/// share.
///
/// # Errors
/// When the database fails.
pub async fn calls(db: &impl ConnectionTrait, run: RunId) -> Result<Vec<call::Model>, DbErr> {
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
        _ => MOST_OF_JOURNAL / n.max(1),
    };
    let content = Expr::cust(format!(
        "CASE WHEN {bytes} > {share} THEN '{TOO_LONG}' ELSE content END"
    ));
    let mut query = call::Entity::find().select_only();
    for column in call::Column::iter() {
        query = match column {
            call::Column::Content => query.column_as(content.clone(), "content"),
            column => query.column(column),
        };
    }
    query
        .filter(call::Column::RunId.eq(run))
        .order_by_asc(call::Column::EndedMs)
        .order_by_asc(call::Column::StepKey)
        .order_by_asc(call::Column::Idx)
        .all(db)
        .await
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
