//! All SQL of the view of agents: an agent with its manager, its state and the hash of its picture, in one statement. The
//! texts of the statements are fixed, because pages read agents more often than anything else.

use std::sync::LazyLock;

use sea_orm::{
    ConnectionTrait, DbErr, FromQueryResult, IdenStatic, Iterable, QueryResult, Statement, Value,
};

use super::entity::claw;
use roost_platform::db::Db;
use roost_platform::events::AgentState;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{self, BRIEF_COLUMNS, UserBrief, WorkspaceScope};
use roost_web::pagination::PageRequest;

/// An agent and what its page shows from this wing and below.
#[derive(Debug)]
pub struct View {
    pub claw: claw::Model,
    pub manager: UserBrief,
    pub status: AgentState,
    /// Absent without an uploaded picture.
    pub avatar_sha256: Option<String>,
}

static AGENTS: LazyLock<String> = LazyLock::new(|| {
    let columns = claw::Column::iter().map(|column| {
        let column = column.as_str();
        format!("c.{column} AS c_{column}")
    });
    let columns = columns.collect::<Vec<_>>().join(", ");
    let manager = auth::joined_brief("c.managed_by");
    format!(
        "SELECT {columns}, {BRIEF_COLUMNS}, s.status AS s_status, a.sha256 AS a_sha256 FROM claws c {manager} \
         LEFT JOIN agent_state s ON s.agent_id = c.id LEFT JOIN claw_avatars a ON a.claw_id = c.id \
         WHERE c.workspace_id = $1"
    )
});

static ONE: LazyLock<String> = LazyLock::new(|| format!("{} AND c.id = $2", *AGENTS));

/// One agent, deleted or not.
pub async fn one(db: &Db, scope: WorkspaceScope, id: ClawId) -> Result<Option<View>, DbErr> {
    let values: [Value; 2] = [scope.workspace().into(), id.into()];
    let statement = Statement::from_sql_and_values(db.backend().into(), ONE.as_str(), values);
    let row = db.read().query_one_raw(statement).await?;
    row.as_ref().map(view).transpose()
}

/// Agents, oldest first.
pub async fn page(
    db: &Db,
    scope: WorkspaceScope,
    request: PageRequest,
    include_deleted: bool,
) -> Result<Vec<View>, DbErr> {
    let mut sql = AGENTS.clone();
    let mut values: Vec<Value> = vec![scope.workspace().into()];
    if !include_deleted {
        sql.push_str(" AND c.deleted_at IS NULL");
    }
    if let Some(after) = request.after {
        values.push(after.into());
        sql.push_str(" AND c.id > $2");
    }
    let rows = request.rows();
    sql.push_str(&format!(" ORDER BY c.id LIMIT {rows}"));
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    let rows = db.read().query_all_raw(statement).await?;
    rows.iter().map(view).collect()
}

fn view(row: &QueryResult) -> Result<View, DbErr> {
    let status: Option<String> = row.try_get("s_", "status")?;
    Ok(View {
        claw: claw::Model::from_query_result(row, "c_")?,
        manager: auth::brief_in(row)?,
        status: status.map_or(AgentState::Offline, |status| {
            AgentState::from_stored(&status)
        }),
        avatar_sha256: row.try_get("a_", "sha256")?,
    })
}
