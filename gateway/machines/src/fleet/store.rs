//! SQL of the fleet for people's requests: rows of nodes by workspace. `store_connection` has the writes of connections.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use roost_protocol::machine::drain::Wish;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Order,
    QueryFilter, QueryOrder, QuerySelect, Statement, Value,
};
use uuid::Uuid;

use super::draining::Drain;
use super::entity::{health, node, tool};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{NodeId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// A node with its latest health, read in one query.
#[derive(Debug, Clone)]
pub struct NodeRow {
    pub node: node::Model,
    pub health: Option<health::Model>,
    /// The database's clock when it was read, for `held_ms`.
    pub now_ms: i64,
}

/// The database's clock, milliseconds.
pub async fn now_ms(
    db: &impl ConnectionTrait,
    backend: roost_platform::db::Backend,
) -> Result<i64, DbErr> {
    let sql = format!("SELECT {} AS now_ms", backend.now_ms());
    let row = db
        .query_one_raw(Statement::from_string(backend.into(), sql))
        .await?;
    row.map_or(Ok(0), |row| row.try_get("", "now_ms"))
}

fn of(scope: WorkspaceScope) -> sea_orm::Select<node::Entity> {
    node::Entity::find_in(scope).filter(node::Column::DeletedAt.is_null())
}

/// One node of a workspace.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: NodeId,
) -> Result<Option<node::Model>, DbErr> {
    of(scope).filter(node::Column::Id.eq(id)).one(db).await
}

/// The nodes of this list that belong to the workspace.
pub async fn some(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<Vec<node::Model>, DbErr> {
    of(scope)
        .filter(node::Column::Id.is_in(ids.iter().copied()))
        .all(db)
        .await
}

/// The given names and the hostnames of these nodes of a workspace.
pub async fn names(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<Vec<(NodeId, Option<String>, Option<String>)>, DbErr> {
    of(scope)
        .select_only()
        .columns([node::Column::Id, node::Column::Name, node::Column::Hostname])
        .filter(node::Column::Id.is_in(ids.iter().copied()))
        .into_tuple()
        .all(db)
        .await
}

/// The nodes of a workspace, oldest first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    after: Option<Uuid>,
    limit: u64,
) -> Result<Vec<node::Model>, DbErr> {
    let mut query = of(scope);
    if let Some(after) = after {
        query = query.filter(node::Column::Id.gt(after));
    }
    query
        .order_by(node::Column::Id, Order::Asc)
        .limit(limit)
        .all(db)
        .await
}

/// The versions of a workspace's nodes, oldest node first. A caller that has most nodes already uses them to find
/// changes.
pub async fn versions(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    limit: u64,
) -> Result<Vec<(NodeId, i64)>, DbErr> {
    of(scope)
        .select_only()
        .column(node::Column::Id)
        .column(node::Column::Version)
        .order_by(node::Column::Id, Order::Asc)
        .limit(limit)
        .into_tuple()
        .all(db)
        .await
}

/// These nodes of a workspace, oldest first. Nodes that were deleted meanwhile are left out.
pub async fn these(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[NodeId],
) -> Result<Vec<node::Model>, DbErr> {
    of(scope)
        .filter(node::Column::Id.is_in(ids.iter().copied()))
        .order_by(node::Column::Id, Order::Asc)
        .all(db)
        .await
}

/// Whether a machine of the workspace was deleted after this time.
pub async fn deleted_after(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    since: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let one = node::Entity::find_in(scope)
        .filter(node::Column::DeletedAt.gt(since))
        .one(db)
        .await?;
    Ok(one.is_some())
}

/// Some machines that were paired and did not join, with a code that ended before this time.
pub async fn unjoined(
    db: &impl ConnectionTrait,
    before: DateTime<Utc>,
    limit: u64,
) -> Result<Vec<node::Model>, DbErr> {
    node::Entity::find()
        .filter(node::Column::DeletedAt.is_null())
        .filter(node::Column::FirstSeenAt.is_null())
        .filter(node::Column::TokenSha256.is_null())
        .filter(node::Column::JoinExpiresAt.lt(before))
        .limit(limit)
        .all(db)
        .await
}

/// Deletes the rows of machines that were removed before this time and never connected. No history names them.
pub async fn forget_never_seen(tx: &WriteTx, before: DateTime<Utc>) -> Result<(), DbErr> {
    node::Entity::delete_many()
        .filter(node::Column::FirstSeenAt.is_null())
        .filter(node::Column::DeletedAt.lt(before))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes all machines of a workspace that is deleted, with their health and tools.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    node::Entity::delete_in(scope).exec(db).await?;
    Ok(())
}

/// Joins the latest health to nodes.
pub async fn with_health(
    db: &impl ConnectionTrait,
    backend: roost_platform::db::Backend,
    nodes: Vec<node::Model>,
) -> Result<Vec<NodeRow>, DbErr> {
    let now_ms = now_ms(db, backend).await?;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let healths = health::Entity::find()
        .filter(health::Column::NodeId.is_in(ids))
        .all(db)
        .await?;
    let mut by_node: HashMap<NodeId, health::Model> = healths
        .into_iter()
        .map(|health| (health.node_id, health))
        .collect();
    Ok(nodes
        .into_iter()
        .map(|node| NodeRow {
            health: by_node.remove(&node.id),
            node,
            now_ms,
        })
        .collect())
}

/// The ids of all paired nodes: each needs an actor.
pub async fn paired_ids(db: &impl ConnectionTrait) -> Result<Vec<NodeId>, DbErr> {
    node::Entity::find()
        .select_only()
        .column(node::Column::Id)
        .filter(node::Column::DeletedAt.is_null())
        .order_by(node::Column::Id, Order::Asc)
        .into_tuple()
        .all(db)
        .await
}

/// The wish about draining of each paired node.
pub async fn wishes(db: &impl ConnectionTrait) -> Result<HashMap<NodeId, Wish>, DbErr> {
    let rows: Vec<(NodeId, bool, i64)> = node::Entity::find()
        .select_only()
        .column(node::Column::Id)
        .column(node::Column::Draining)
        .column(node::Column::DrainTurn)
        .filter(node::Column::DeletedAt.is_null())
        .into_tuple()
        .all(db)
        .await?;
    let wish = |on, turn| Wish {
        on,
        turn: u64::try_from(turn).unwrap_or(0),
    };
    Ok(rows
        .into_iter()
        .map(|(id, on, turn)| (id, wish(on, turn)))
        .collect())
}

/// A node of any workspace: for its own actor only.
pub async fn by_id(db: &impl ConnectionTrait, id: NodeId) -> Result<Option<node::Model>, DbErr> {
    node::Entity::find_by_id(id).one(db).await
}

/// The node of a token.
pub async fn by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
) -> Result<Option<node::Model>, DbErr> {
    node::Entity::find()
        .filter(node::Column::TokenSha256.eq(token_sha256))
        .filter(node::Column::DeletedAt.is_null())
        .one(db)
        .await
}

/// The node of a join code.
pub async fn by_join_code(
    db: &impl ConnectionTrait,
    code_sha256: &str,
) -> Result<Option<node::Model>, DbErr> {
    node::Entity::find()
        .filter(node::Column::JoinCodeSha256.eq(code_sha256))
        .filter(node::Column::DeletedAt.is_null())
        .one(db)
        .await
}

/// Inserts a node that waits for its machine.
pub async fn insert(
    tx: &WriteTx,
    id: NodeId,
    workspace: WorkspaceId,
    name: Option<String>,
    code_sha256: String,
    at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let row = node::ActiveModel {
        id: Set(id),
        workspace_id: Set(workspace),
        name: Set(name),
        join_code_sha256: Set(Some(code_sha256)),
        join_expires_at: Set(Some(expires_at)),
        draining: Set(false),
        drained: Set(false),
        drain_move: Set(false),
        paused: Set(false),
        image: Set("unknown".to_owned()),
        sandboxes: Set(0),
        connection: Set("disconnected".to_owned()),
        conn_epoch: Set(0),
        held_ms: Set(0),
        created_at: Set(at),
        version: Set(1),
        ..Default::default()
    };
    node::Entity::insert(row)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Gives a node its token, once. `false`: the node already has one, or is deleted.
pub async fn redeem(
    tx: &WriteTx,
    id: NodeId,
    token_sha256: &str,
    install: Uuid,
    hostname: Option<String>,
    daemon_version: Option<String>,
) -> Result<bool, DbErr> {
    let done = node::Entity::update_many()
        .col_expr(node::Column::TokenSha256, Expr::value(token_sha256))
        .col_expr(node::Column::InstallId, Expr::value(install))
        .col_expr(node::Column::Hostname, Expr::value(hostname))
        .col_expr(node::Column::DaemonVersion, Expr::value(daemon_version))
        .col_expr(
            node::Column::Version,
            Expr::col(node::Column::Version).add(1),
        )
        .filter(node::Column::Id.eq(id))
        .filter(node::Column::TokenSha256.is_null())
        .filter(node::Column::DeletedAt.is_null())
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Changes one node of a workspace and returns its new version; `None` when the node does not exist.
pub async fn change(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: NodeId,
    columns: impl IntoIterator<Item = (&'static str, Value)>,
) -> Result<Option<i64>, DbErr> {
    #[derive(FromQueryResult)]
    struct Changed {
        version: i64,
    }
    let mut sql = "UPDATE nodes SET version = version + 1".to_owned();
    let mut values: Vec<Value> = vec![id.into(), scope.workspace().into()];
    for (column, value) in columns {
        values.push(value);
        sql.push_str(&format!(", {column} = ${}", values.len()));
    }
    sql.push_str(" WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL RETURNING version");
    let changed = Changed::find_by_statement(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        values,
    ))
    .one(&**tx)
    .await?;
    Ok(changed.map(|changed| changed.version))
}

/// Stores the wish about draining and returns the row; `None` when the node does not exist. The same wish again changes
/// nothing.
pub async fn set_draining(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: NodeId,
    (drain, at): (Drain, DateTime<Utc>),
) -> Result<Option<(node::Model, bool)>, DbErr> {
    let (on, moves) = (drain != Drain::Off, drain == Drain::Move);
    let other = node::Column::Draining
        .eq(!on)
        .or(node::Column::DrainMove.eq(!moves));
    let done = node::Entity::update_in(scope)
        .col_expr(node::Column::Draining, Expr::value(on))
        .col_expr(node::Column::DrainMove, Expr::value(moves))
        .col_expr(node::Column::DrainSince, Expr::value(on.then_some(at)))
        .col_expr(node::Column::EmptiedAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(node::Column::Drained, Expr::value(false))
        .col_expr(
            node::Column::DrainTurn,
            Expr::col(node::Column::DrainTurn).add(1),
        )
        .col_expr(
            node::Column::Version,
            Expr::col(node::Column::Version).add(1),
        )
        .filter(node::Column::Id.eq(id))
        .filter(node::Column::DeletedAt.is_null())
        .filter(other)
        .exec(&**tx)
        .await?;
    let row = get(&**tx, scope, id).await?;
    Ok(row.map(|row| (row, done.rows_affected == 1)))
}

/// The tools of a node, by name.
pub async fn tools(db: &impl ConnectionTrait, node: NodeId) -> Result<Vec<tool::Model>, DbErr> {
    tool::Entity::find()
        .filter(tool::Column::NodeId.eq(node))
        .order_by(tool::Column::Tool, Order::Asc)
        .all(db)
        .await
}
