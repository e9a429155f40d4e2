//! All SQL of `agent_state`.

use std::collections::{BTreeMap, HashMap};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    QueryTrait, Set, Statement, Value,
    sea_query::{ArrayType, SelectStatement},
};
use uuid::Uuid;

use super::entity::{claw, state};
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// An agent whose status has changed.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Changed {
    pub agent_id: ClawId,
    pub workspace_id: WorkspaceId,
    pub status: String,
    pub role: Option<String>,
    changed: bool,
}

/// The state of a new agent.
pub async fn insert(db: &impl ConnectionTrait, agent: &claw::Model) -> Result<(), DbErr> {
    let row = state::ActiveModel {
        agent_id: Set(agent.id),
        workspace_id: Set(agent.workspace_id),
        at_work: Set(0),
        sandbox_running: Set(false),
        status: Set(AgentState::Offline.as_str().to_owned()),
        changed: Set(false),
        updated_ms: Set(0),
    };
    state::Entity::insert(row)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The states of these agents.
pub async fn of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agents: impl IntoIterator<Item = ClawId>,
) -> Result<HashMap<ClawId, AgentState>, DbErr> {
    let rows = state::Entity::find_in(scope)
        .filter(state::Column::AgentId.is_in(agents))
        .all(db)
        .await?;
    let pairs = rows
        .into_iter()
        .map(|row| (row.agent_id, AgentState::from_stored(&row.status)));
    Ok(pairs.collect())
}

/// The number of steps that an agent works on.
pub async fn at_work(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<u64, DbErr> {
    let row = state::Entity::find_by_id_in(scope, agent).one(db).await?;
    Ok(row.map_or(0, |row| u64::try_from(row.at_work).unwrap_or(0)))
}

/// A query of the ids of all agents in a state, in every workspace: for the gateway's own actors.
pub fn ids_in_state(status: &str) -> SelectStatement {
    state::Entity::find()
        .select_only()
        .column(state::Column::AgentId)
        .filter(state::Column::Status.eq(status))
        .into_query()
}

/// The role of the agent, which the event of its status shows.
const ROLE: &str = "(SELECT c.role FROM claws c WHERE c.id = agent_state.agent_id) AS role";

/// Adds to the numbers of steps at work. An agent works while its number is above 0, and then rests. Returns the
/// agents whose status has changed. It covers all workspaces, because the ids come from the rows of runs.
///
/// On PostgreSQL the rows are locked in the order of their ids, so that two transactions cannot deadlock.
pub async fn add(tx: &WriteTx, steps: &BTreeMap<ClawId, i32>) -> Result<Vec<Changed>, DbErr> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.backend().now_ms();
    // `n` steps more. When the number comes to 0, the agent rests.
    let status = "CASE WHEN d.n > 0 THEN 'working' WHEN agent_state.at_work + d.n > 0 THEN agent_state.status \
                  WHEN agent_state.sandbox_running THEN 'idle' ELSE 'offline' END";
    let set = format!(
        "UPDATE agent_state SET at_work = CASE WHEN agent_state.at_work + d.n > 0 THEN agent_state.at_work + d.n ELSE 0 END, \
           status = {status}, changed = agent_state.status <> {status}, updated_ms = {now}"
    );
    let back = format!("RETURNING agent_id, workspace_id, status, {ROLE}, changed");
    let (sql, values) = match tx.backend() {
        Backend::Postgres => {
            let sql = format!(
                "WITH d AS (SELECT * FROM unnest($1::uuid[], $2::int[]) AS t(id, n)), \
                 held AS (SELECT a.agent_id AS held_id FROM agent_state a JOIN d ON d.id = a.agent_id ORDER BY a.agent_id FOR UPDATE OF a) \
                 {set} FROM d JOIN held ON held.held_id = d.id WHERE agent_state.agent_id = ANY ($1) AND agent_state.agent_id = d.id {back}"
            );
            let ids = steps.keys().map(|id| Value::from(id.0)).collect();
            let numbers = steps.values().map(|n| Value::from(*n)).collect();
            let ids = Value::Array(ArrayType::Uuid, Some(Box::new(ids)));
            let numbers = Value::Array(ArrayType::Int, Some(Box::new(numbers)));
            (sql, [ids, numbers].to_vec())
        }
        Backend::Sqlite => {
            let sql = format!(
                "{set} FROM (SELECT unhex(value ->> 0) AS id, value ->> 1 AS n FROM json_each($1)) AS d \
                 WHERE agent_state.agent_id = d.id {back}"
            );
            let rows: Vec<(String, i32)> = steps.iter().map(|(id, n)| (hex(id.0), *n)).collect();
            let rows = serde_json::to_string(&rows).expect("texts and numbers encode");
            (sql, [rows.into()].to_vec())
        }
    };
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let rows = Changed::find_by_statement(statement).all(&**tx).await?;
    let mut changed: Vec<Changed> = rows.into_iter().filter(|row| row.changed).collect();
    changed.sort_by_key(|row| row.agent_id);
    Ok(changed)
}

fn hex(id: Uuid) -> String {
    id.simple().to_string()
}

/// Records whether the agent's sandbox runs.
pub async fn set_sandbox(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agent: ClawId,
    runs: bool,
) -> Result<(), DbErr> {
    use sea_orm::sea_query::Expr;
    state::Entity::update_in(scope)
        .col_expr(state::Column::SandboxRunning, Expr::value(runs))
        .filter(state::Column::AgentId.eq(agent))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Sets the status. While a step of the agent is at work, an agent that would rest keeps the status `working`.
/// Returns the new status if it has changed.
pub async fn set(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agent: ClawId,
    to: AgentState,
) -> Result<Option<Changed>, DbErr> {
    let now = tx.backend().now_ms();
    let rests = matches!(to, AgentState::Idle | AgentState::Online);
    let status = match rests {
        true => "CASE WHEN at_work > 0 THEN 'working' ELSE $1 END",
        false => "$1",
    };
    let sql = format!(
        "UPDATE agent_state SET status = {status}, changed = TRUE, updated_ms = {now} \
         WHERE agent_id = $2 AND workspace_id = $3 AND status <> {status} \
         RETURNING agent_id, workspace_id, status, {ROLE}, changed"
    );
    let values = [to.as_str().into(), agent.into(), scope.workspace().into()];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    Changed::find_by_statement(statement).one(&**tx).await
}
