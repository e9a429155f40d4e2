//! A part of a statement of another room: the machine that a row names, joined for its name.

use sea_orm::{DbErr, QueryResult};

use super::entity::node;
use roost_platform::db::Backend;
use roost_platform::ids::NodeId;

/// The columns of the joined machine. [`name_in`] reads them.
pub const NAME_COLUMNS: &str = "n.id AS n_id, n.name AS n_name, n.hostname AS n_hostname";

/// Joins the machine whose id the text column `machine` contains, if the workspace in the column `workspace` has it. A
/// text that is not an id joins nothing, and neither does a removed machine.
pub fn joined_name(backend: Backend, machine: &str, workspace: &str) -> String {
    let id = match backend {
        Backend::Sqlite => format!("unhex({machine}, '-')"),
        // A cast of another text would fail, and the database may evaluate it first.
        Backend::Postgres => format!("CASE WHEN length({machine}) = 36 THEN {machine}::uuid END"),
    };
    format!(
        "LEFT JOIN nodes n ON n.id = {id} AND n.workspace_id = {workspace} AND n.deleted_at IS NULL"
    )
}

/// The name of the joined machine. `None`: there is none.
///
/// # Errors
/// When the statement did not select [`NAME_COLUMNS`].
pub fn name_in(row: &QueryResult) -> Result<Option<String>, DbErr> {
    if row.try_get::<Option<NodeId>>("n_", "id")?.is_none() {
        return Ok(None);
    }
    let name: Option<String> = row.try_get("n_", "name")?;
    let hostname: Option<String> = row.try_get("n_", "hostname")?;
    Ok(Some(node::called(name.as_deref(), hostname.as_deref())))
}
