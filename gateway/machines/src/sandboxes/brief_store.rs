//! The SQL of what agents show of their sandboxes, with the names of the machines, in one statement.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, QueryResult, Statement, Value};

use super::store::CURRENT;
use crate::fleet::{self, NAME_COLUMNS};
use roost_platform::db::Db;
use roost_platform::ids::{ClawId, SandboxId};
use roost_tenancy::auth::WorkspaceScope;

/// A sandbox in short, and its machine's name.
#[derive(Debug)]
pub struct Brief {
    pub row: Row,
    /// Absent for the gateway's own host and for a removed machine.
    pub machine: Option<String>,
}

/// Columns of `agent_containers`.
#[derive(Debug, FromQueryResult)]
pub struct Row {
    pub id: SandboxId,
    pub agent_id: ClawId,
    pub node_id: String,
    pub container: Option<String>,
    pub state: String,
    pub created_at: DateTime<Utc>,
}

/// The current sandboxes of these agents, the newest last.
pub async fn current_of(
    db: &Db,
    scope: WorkspaceScope,
    agents: &[ClawId],
) -> Result<Vec<Brief>, DbErr> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let mut values: Vec<Value> = vec![scope.workspace().into()];
    let mut marks = Vec::with_capacity(agents.len());
    for agent in agents {
        values.push((*agent).into());
        marks.push(format!("${}", values.len()));
    }
    let machine = fleet::joined_name(db.backend(), "c.node_id", "c.workspace_id");
    let sql = format!(
        "SELECT c.id AS c_id, c.owner_id AS c_agent_id, c.node_id AS c_node_id, c.container AS c_container, \
         c.state AS c_state, c.created_at AS c_created_at, {NAME_COLUMNS} FROM agent_containers c {machine} \
         WHERE c.workspace_id = $1 AND c.owner_id IN ({}) AND c.state IN ('{}') ORDER BY c.epoch",
        marks.join(", "),
        CURRENT.join("', '"),
    );
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    let rows = db.read().query_all_raw(statement).await?;
    rows.iter().map(brief).collect()
}

fn brief(row: &QueryResult) -> Result<Brief, DbErr> {
    Ok(Brief {
        row: Row::from_query_result(row, "c_")?,
        machine: fleet::name_in(row)?,
    })
}
