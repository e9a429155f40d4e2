//! SQL of connections. Every write is conditional on the connection's epoch: zero rows means that a newer connection
//! exists, and whoever wrote must stop and discard (promise P6).

use chrono::{DateTime, Utc};
use roost_protocol::hello::{Hello, ImageState};
use roost_protocol::vitals::{Heartbeat, NodeTools};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, Statement, Value,
};

use super::entity::tool;
use super::model::Connection;
use crate::db::{Backend, WriteTx};
use crate::ids::NodeId;
use crate::operations::store::Fence;

/// What a new connection was given.
#[derive(Debug, FromQueryResult)]
pub struct Connected {
    pub conn_epoch: i64,
    pub draining: bool,
    pub drain_turn: i64,
    pub version: i64,
}

/// The word of an image state.
pub fn image_word(image: ImageState) -> &'static str {
    match image {
        ImageState::Ready => "ready",
        ImageState::Missing => "missing",
        ImageState::WrongDigest => "wrong-digest",
        ImageState::Unknown => "unknown",
    }
}

/// Takes the node for a new connection: the epoch rises (over the clock too, so that a restored backup gives out no epoch
/// again), older connections are void. `None`: the node is gone or its
/// token is another one by now.
pub async fn connect(
    tx: &WriteTx,
    node: NodeId,
    token_sha256: &str,
    replica: &str,
    hello: &Hello,
    at: DateTime<Utc>,
    hold_ms: i64,
) -> Result<Option<Connected>, DbErr> {
    let engine = hello.capabilities.engine.as_ref().map(|engine| {
        serde_json::json!({ "name": engine.name, "version": engine.version, "api": engine.api })
    });
    let most = hello
        .capabilities
        .most_sandboxes
        .and_then(|most| i32::try_from(most).ok());
    let sandboxes = i32::try_from(hello.inventory.sandboxes.len()).unwrap_or(i32::MAX);
    let sql = format!(
        "UPDATE nodes SET conn_epoch = CASE WHEN conn_epoch >= {now} THEN conn_epoch + 1 ELSE {now} END, held_by = $1, held_ms = {now} + $2, connection = 'connected', \
         hostname = $3, os = $4, arch = $5, daemon_version = $6, boot_id = $7, engine = $8, image = $9, \
         most_sandboxes = $10, paused = $11, sandboxes = $12, first_seen_at = COALESCE(first_seen_at, $13), \
         last_seen_at = $13, drained = FALSE, version = version + 1, \
         install_id = COALESCE(install_id, $14) \
         WHERE id = $15 AND token_sha256 = $16 AND deleted_at IS NULL RETURNING conn_epoch, draining, drain_turn, version",
        now = tx.backend().now_ms()
    );
    let values: Vec<Value> = vec![
        replica.into(),
        hold_ms.into(),
        hello.hostname.clone().into(),
        hello.os.clone().into(),
        hello.arch.clone().into(),
        hello.daemon_version.clone().into(),
        hello.boot_id.clone().into(),
        engine.into(),
        image_word(hello.capabilities.image).into(),
        most.into(),
        hello.capabilities.paused.into(),
        sandboxes.into(),
        at.into(),
        hello.install_id.uuid().into(),
        node.into(),
        token_sha256.into(),
    ];
    Connected::find_by_statement(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        values,
    ))
    .one(&**tx)
    .await
}

/// Changes columns of a node as long as the connection is the newest; the new version, or `None`.
pub async fn change(
    tx: &WriteTx,
    fence: &Fence,
    columns: impl IntoIterator<Item = (&'static str, Value)>,
) -> Result<Option<i64>, DbErr> {
    let mut sql = "UPDATE nodes SET version = version + 1".to_owned();
    let mut values: Vec<Value> = vec![
        fence.node.into(),
        fence.epoch.into(),
        fence.held_by.clone().into(),
    ];
    for (column, value) in columns {
        values.push(value);
        sql.push_str(&format!(", {column} = ${}", values.len()));
    }
    sql.push_str(" WHERE id = $1 AND conn_epoch = $2 AND held_by = $3 AND deleted_at IS NULL RETURNING version");
    let row = tx
        .query_one_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            values,
        ))
        .await?;
    row.map(|row| row.try_get("", "version")).transpose()
}

/// The connection's health changed; a lost one is given back.
pub async fn set_connection(
    tx: &WriteTx,
    fence: &Fence,
    connection: Connection,
) -> Result<Option<i64>, DbErr> {
    let mut columns: Vec<(&'static str, Value)> = vec![("connection", connection.as_str().into())];
    if connection == Connection::Disconnected {
        columns.extend([("held_by", Value::String(None)), ("held_ms", 0i64.into())]);
    }
    change(tx, fence, columns).await
}

/// Notes trouble that its owner should see, whoever holds the connection.
pub async fn note_trouble(
    tx: &WriteTx,
    node: NodeId,
    code: &str,
    text: &str,
    at: DateTime<Utc>,
) -> Result<Option<i64>, DbErr> {
    let sql = "UPDATE nodes SET version = version + 1, trouble_code = $2, trouble = $3, trouble_at = $4 \
               WHERE id = $1 AND deleted_at IS NULL RETURNING version";
    let values: Vec<Value> = vec![node.into(), code.into(), text.into(), at.into()];
    let row = tx
        .query_one_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            values,
        ))
        .await?;
    row.map(|row| row.try_get("", "version")).transpose()
}

/// The latest heartbeat of one connection.
#[derive(Debug, Clone)]
pub struct Beat {
    pub fence: Fence,
    pub workspace: crate::ids::WorkspaceId,
    pub beat: Heartbeat,
    pub at: DateTime<Utc>,
    pub hold_ms: i64,
}

/// Writes a heartbeat: latest row a node. The version rises only when `visible`; `None` when the connection is not
/// the newest.
pub async fn write_beat(
    tx: &WriteTx,
    beat: &Beat,
    sample: serde_json::Value,
) -> Result<Option<i64>, DbErr> {
    let heart = &beat.beat;
    let sandboxes = heart.sandboxes.and_then(|count| i32::try_from(count).ok());
    let sql = format!(
        "UPDATE nodes SET held_ms = {now} + $4, last_seen_at = $5, local_ip = COALESCE($6, local_ip), \
         mesh_ip = $7, paused = $8, sandboxes = COALESCE($9, sandboxes), image = COALESCE($10, image), \
         version = version + 1 \
         WHERE id = $1 AND conn_epoch = $2 AND held_by = $3 AND deleted_at IS NULL RETURNING version",
        now = tx.backend().now_ms()
    );
    let values: Vec<Value> = vec![
        beat.fence.node.into(),
        beat.fence.epoch.into(),
        beat.fence.held_by.clone().into(),
        beat.hold_ms.into(),
        beat.at.into(),
        heart.local_ip.clone().into(),
        heart.mesh_ip.clone().into(),
        heart.paused.into(),
        sandboxes.into(),
        heart.image.map(image_word).map(str::to_owned).into(),
    ];
    let row = tx
        .query_one_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            values,
        ))
        .await?;
    let Some(version) = row.map(|row| row.try_get("", "version")).transpose()? else {
        return Ok(None);
    };
    let sql = "INSERT INTO node_health (node_id, at, sample) VALUES ($1, $2, $3) \
               ON CONFLICT (node_id) DO UPDATE SET at = excluded.at, sample = excluded.sample";
    let values: Vec<Value> = vec![beat.fence.node.into(), beat.at.into(), sample.into()];
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        values,
    ))
    .await?;
    Ok(Some(version))
}

/// Replaces the tools of a node.
pub async fn write_tools(
    tx: &WriteTx,
    fence: &Fence,
    report: &NodeTools,
    at: DateTime<Utc>,
) -> Result<Option<i64>, DbErr> {
    let Some(version) = change(tx, fence, []).await? else {
        return Ok(None);
    };
    tool::Entity::delete_many()
        .filter(tool::Column::NodeId.eq(fence.node))
        .exec(&**tx)
        .await?;
    let rows: Vec<tool::ActiveModel> = report
        .tools
        .iter()
        .map(|tool| tool::ActiveModel {
            node_id: Set(fence.node),
            tool: Set(tool.tool.clone()),
            version: Set(tool.version.clone()),
            reported_at: Set(at),
        })
        .collect();
    if !rows.is_empty() {
        tool::Entity::insert_many(rows)
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(Some(version))
}

/// After a start on a database that nobody else can have open: whoever held connections is dead.
pub async fn release_all(tx: &WriteTx) -> Result<(), DbErr> {
    if tx.backend() == Backend::Sqlite {
        let sql = "UPDATE nodes SET held_by = NULL, held_ms = 0, connection = 'disconnected', version = version + 1 \
                   WHERE held_by IS NOT NULL";
        tx.execute_unprepared(sql).await?;
    }
    Ok(())
}
