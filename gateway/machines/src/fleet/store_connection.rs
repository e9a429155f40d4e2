//! SQL of connections. Every write is conditional on the connection's epoch. Zero rows mean that a newer connection
//! exists; then the writer must stop and discard its work (promise P6).

use chrono::{DateTime, Utc};
use roost_protocol::hello::{Hello, WantedImage};
use roost_protocol::vitals::{Heartbeat, NodeTools};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult,
    QueryFilter, Statement, Value,
};

use super::entity::tool;
use super::model::Connection;
use super::sanitize::{image_word, own_images};
use crate::fleet::operations::Fence;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::NodeId;

/// The columns that a new connection gets from the row.
#[derive(Debug, FromQueryResult)]
pub struct Connected {
    pub conn_epoch: i64,
    pub draining: bool,
    pub drain_turn: i64,
    pub version: i64,
}

/// The images that this gateway wants on machines.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The default image.
    pub image: String,
    /// All images of the deployment.
    pub catalogue: Vec<WantedImage>,
}

/// A machine's report about the agent image and about what it lends.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    pub image: Option<&'static str>,
    pub reference: Option<String>,
    pub id: Option<String>,
    pub detail: Option<String>,
    pub bounds: Option<serde_json::Value>,
    /// What it has of the catalogue's images; `None` when nothing changed.
    pub images: Option<serde_json::Value>,
}

impl Claims {
    /// From a `hello`; `wanted` is the image that this gateway wants on the machine.
    pub fn in_hello(hello: &Hello, wanted: &str) -> Self {
        let claims = &hello.capabilities;
        let about = claims.image_reference.as_deref();
        Self {
            image: Some(image_word(
                claims.image,
                about,
                claims.image_unfit.is_some(),
                wanted,
            )),
            reference: claims.image_reference.clone(),
            id: claims.image_id.clone(),
            detail: claims.image_unfit.clone(),
            bounds: claims
                .bounds
                .as_ref()
                .and_then(|bounds| serde_json::to_value(bounds).ok()),
            images: None,
        }
    }

    /// From a heartbeat.
    pub fn in_heartbeat(heartbeat: &Heartbeat, wanted: &Wanted) -> Self {
        let about = heartbeat.image_reference.as_deref();
        let is_unfit = heartbeat.image_unfit.is_some();
        let word = |image| image_word(image, about, is_unfit, &wanted.image);
        Self {
            image: heartbeat.image.map(word),
            reference: heartbeat.image_reference.clone(),
            id: heartbeat.image_id.clone(),
            detail: heartbeat.image_unfit.clone(),
            bounds: heartbeat
                .bounds
                .as_ref()
                .and_then(|bounds| serde_json::to_value(bounds).ok()),
            images: heartbeat.images.as_ref().and_then(|images| {
                serde_json::to_value(own_images(images, &wanted.catalogue)).ok()
            }),
        }
    }
}

/// Takes the node for a new connection. The epoch rises, at least to the clock's value, so that a restored backup does
/// not give out an epoch a second time; older connections become void. `None`: the node is gone, or its token has
/// changed.
pub async fn connect(
    tx: &WriteTx,
    node: NodeId,
    token_sha256: &str,
    replica: &str,
    (hello, wanted_image): (&Hello, &str),
    at: DateTime<Utc>,
    hold_ms: i64,
) -> Result<Option<Connected>, DbErr> {
    let claims = Claims::in_hello(hello, wanted_image);
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
         install_id = COALESCE(install_id, $14), image_reference = $15, image_id = $16, image_detail = $17, bounds = $18 \
         WHERE id = $19 AND token_sha256 = $20 AND deleted_at IS NULL RETURNING conn_epoch, draining, drain_turn, version",
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
        claims.image.into(),
        most.into(),
        hello.capabilities.paused.into(),
        sandboxes.into(),
        at.into(),
        hello.install_id.uuid().into(),
        claims.reference.into(),
        claims.id.into(),
        claims.detail.into(),
        claims.bounds.into(),
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

/// Changes columns of a node if the connection is still the newest. Returns the new version, or `None`.
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

/// Stores the connection's health. A lost connection gives the node back.
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

/// Stores trouble that the owner should see. It needs no fence.
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

/// Runs after a start on a database that only this gateway can have open: each recorded holder is dead.
pub async fn release_all(tx: &WriteTx) -> Result<(), DbErr> {
    if tx.backend() == Backend::Sqlite {
        let sql = "UPDATE nodes SET held_by = NULL, held_ms = 0, connection = 'disconnected', version = version + 1 \
                   WHERE held_by IS NOT NULL";
        tx.execute_unprepared(sql).await?;
    }
    Ok(())
}
