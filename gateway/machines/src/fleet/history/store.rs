//! SQL of `node_history`.

use std::collections::HashSet;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    Statement, Value,
};

use super::entity;
use super::model::{Grid, KEEP_MINUTES, Metric, Minute};
use crate::fleet::entity::node;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::WorkspaceScope;

/// Rows of one statement: far below the parameter limit of both back ends.
const ROWS: usize = 200;

/// Writes averages. If another gateway wrote a part of the same minute, the row gets the average of both parts.
pub async fn write(tx: &WriteTx, minutes: &[(NodeId, Minute)]) -> Result<(), DbErr> {
    let ids: HashSet<NodeId> = minutes.iter().map(|(node, _)| *node).collect();
    // A machine may have been deleted since its report. Its minute must not stop the other machines' minutes.
    let known: HashSet<NodeId> = node::Entity::find()
        .select_only()
        .column(node::Column::Id)
        .filter(node::Column::Id.is_in(ids))
        .into_tuple::<NodeId>()
        .all(&**tx)
        .await?
        .into_iter()
        .collect();
    let minutes: Vec<_> = minutes
        .iter()
        .filter(|(node, _)| known.contains(node))
        .collect();
    for chunk in minutes.chunks(ROWS) {
        let mut values: Vec<Value> = Vec::with_capacity(chunk.len() * (Metric::ALL.len() + 3));
        let mut rows = Vec::with_capacity(chunk.len());
        for (node, minute) in chunk {
            let first = values.len() + 1;
            values.extend([
                Value::from(*node),
                minute.minute.into(),
                minute.samples.into(),
            ]);
            values.extend(minute.values.iter().map(|value| Value::from(*value)));
            let places: Vec<String> = (first..=values.len()).map(|n| format!("${n}")).collect();
            rows.push(format!("({})", places.join(", ")));
        }
        let statement = Statement::from_sql_and_values(
            tx.backend().into(),
            insert_sql(&rows.join(", ")),
            values,
        );
        tx.execute_raw(statement).await?;
    }
    Ok(())
}

fn insert_sql(rows: &str) -> String {
    let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
    let merged: Vec<String> = names
        .iter()
        .map(|name| {
            format!(
                "{name} = CASE WHEN node_history.{name} IS NULL THEN excluded.{name} \
                 WHEN excluded.{name} IS NULL THEN node_history.{name} \
                 ELSE (node_history.{name} * node_history.samples + excluded.{name} * excluded.samples) \
                 / (node_history.samples + excluded.samples) END"
            )
        })
        .collect();
    format!(
        "INSERT INTO node_history (node_id, minute, samples, {}) VALUES {rows} \
         ON CONFLICT (node_id, minute) DO UPDATE SET samples = node_history.samples + excluded.samples, {}",
        names.join(", "),
        merged.join(", ")
    )
}

/// The stored minutes of one machine within a grid. The caller has checked whose machine it is.
pub async fn of_node(
    db: &impl ConnectionTrait,
    node: NodeId,
    grid: Grid,
) -> Result<Vec<Minute>, DbErr> {
    let rows = entity::Entity::find()
        .filter(entity::Column::NodeId.eq(node))
        .filter(entity::Column::Minute.gte(grid.from))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(Minute::from).collect())
}

/// One point of one machine.
#[derive(Debug, FromQueryResult)]
pub struct Point {
    pub node_id: NodeId,
    pub slot: i64,
    pub value: f64,
}

/// One metric of all machines of a workspace over a grid. The database averages, because a day of a thousand machines has
/// more rows than a page needs points. The expression is always one of our constants, never a caller's text.
pub async fn of_fleet(
    db: &impl ConnectionTrait,
    backend: Backend,
    scope: WorkspaceScope,
    expression: &'static str,
    grid: Grid,
) -> Result<Vec<Point>, DbErr> {
    let sql = format!(
        "SELECT v.node_id AS node_id, (v.minute - $2) / $3 AS slot, SUM(v.value * v.samples) / SUM(v.samples) AS value \
         FROM (SELECT h.node_id, h.minute, h.samples, {expression} AS value FROM node_history h \
               JOIN nodes n ON n.id = h.node_id \
               WHERE n.workspace_id = $1 AND n.deleted_at IS NULL AND h.minute >= $2) v \
         WHERE v.value IS NOT NULL GROUP BY v.node_id, slot ORDER BY v.node_id, slot"
    );
    let values: Vec<Value> = vec![scope.workspace().into(), grid.from.into(), grid.step.into()];
    Point::find_by_statement(Statement::from_sql_and_values(backend.into(), sql, values))
        .all(db)
        .await
}

/// Deletes the rows that are older than a day.
///
/// # Errors
/// When the database fails.
pub async fn forget_before(tx: &WriteTx, now_minute: i64) -> Result<u64, DbErr> {
    let gone = entity::Entity::delete_many()
        .filter(entity::Column::Minute.lt(now_minute - KEEP_MINUTES))
        .exec(&**tx)
        .await?;
    Ok(gone.rows_affected)
}
