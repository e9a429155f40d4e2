//! The SQL of heartbeats: one statement for many machines, so that a thousand heartbeats a second cost a few statements.
//! The rows travel as one JSON text. So the statements never change, and the databases keep them prepared.

use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat, Utc};
use roost_protocol::vitals::Heartbeat;
use sea_orm::{ConnectionTrait, DbErr, Statement, Value};
use serde::Serialize;

use super::sample::{Columns, Sample};
use super::store_connection::Claims;
use crate::fleet::operations::Fence;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::NodeId;

/// The most heartbeats of one statement: its text stays below 200 KB.
pub const AT_ONCE: usize = 500;

/// A heartbeat to be written, under the fence of its connection.
pub struct Beat<'a> {
    pub fence: &'a Fence,
    /// For how long the row counts without a new frame, milliseconds.
    pub hold_ms: i64,
    pub at: DateTime<Utc>,
    pub heartbeat: &'a Heartbeat,
    /// What the heartbeat reports about the image and the bounds.
    pub claims: Claims,
    pub sample: Sample,
}

/// What a heartbeat changes in the node's row. An absent field changes nothing, but for the address in the mesh, the use of
/// the GPU and the temperature: a number that the machine does not report any more is unknown.
#[derive(Serialize)]
struct NodeRow<'a> {
    id: uuid::fmt::Simple,
    epoch: i64,
    held_by: &'a str,
    hold_ms: i64,
    at: String,
    paused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_ip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh_ip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandboxes: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<&'a serde_json::Value>,
    gpu_pct: Option<f32>,
    temp_max: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    images: Option<&'a serde_json::Value>,
}

impl<'a> NodeRow<'a> {
    fn of(beat: &'a Beat<'_>) -> Self {
        let (heartbeat, claims) = (beat.heartbeat, &beat.claims);
        Self {
            id: beat.fence.node.0.simple(),
            epoch: beat.fence.epoch,
            held_by: &beat.fence.held_by,
            hold_ms: beat.hold_ms,
            at: stored(beat.at),
            paused: heartbeat.paused,
            local_ip: heartbeat.local_ip.as_deref(),
            mesh_ip: heartbeat.mesh_ip.as_deref(),
            sandboxes: heartbeat
                .sandboxes
                .and_then(|count| i32::try_from(count).ok()),
            image: claims.image,
            image_reference: claims.reference.as_deref(),
            image_id: claims.id.as_deref(),
            image_detail: claims.detail.as_deref(),
            bounds: claims.bounds.as_ref(),
            gpu_pct: beat.sample.gpu_pct,
            temp_max: beat.sample.temp_max,
            images: claims.images.as_ref(),
        }
    }
}

/// A row of `node_health`.
#[derive(Serialize)]
struct HealthRow {
    id: uuid::fmt::Simple,
    at: String,
    #[serde(flatten)]
    columns: Columns,
}

/// A time as SQLite stores it. PostgreSQL reads it too.
fn stored(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, false)
}

/// Writes heartbeats into the rows of their nodes and into the rows of latest health. Returns the new version of each
/// node that was written. A heartbeat of a connection that is not the newest writes nothing.
///
/// # Errors
/// When the database fails.
pub async fn write(tx: &WriteTx, beats: &[Beat<'_>]) -> Result<HashMap<NodeId, i64>, DbErr> {
    let rows: Vec<NodeRow<'_>> = beats.iter().map(NodeRow::of).collect();
    let mut written = HashMap::with_capacity(beats.len());
    for row in tx.query_all_raw(statement(tx, nodes_sql, &rows)?).await? {
        written.insert(row.try_get("", "id")?, row.try_get("", "version")?);
    }
    let healths: Vec<HealthRow> = beats
        .iter()
        .filter(|beat| written.contains_key(&beat.fence.node))
        .map(|beat| HealthRow {
            id: beat.fence.node.0.simple(),
            at: stored(beat.at),
            columns: Columns::from(&beat.sample),
        })
        .collect();
    if !healths.is_empty() {
        tx.execute_raw(statement(tx, health_sql, &healths)?).await?;
    }
    Ok(written)
}

fn statement(
    tx: &WriteTx,
    sql: fn(Backend) -> String,
    rows: &impl Serialize,
) -> Result<Statement, DbErr> {
    let rows = serde_json::to_string(rows).map_err(|error| DbErr::Json(error.to_string()))?;
    let values: Vec<Value> = vec![rows.into()];
    let sql = sql(tx.backend());
    Ok(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        values,
    ))
}

fn nodes_sql(backend: Backend) -> String {
    let rows = match backend {
        Backend::Sqlite => {
            "(SELECT unhex(value ->> 'id') AS id, value ->> 'epoch' AS epoch, value ->> 'held_by' AS held_by, \
             value ->> 'hold_ms' AS hold_ms, value ->> 'at' AS at, value ->> 'paused' AS paused, \
             value ->> 'local_ip' AS local_ip, value ->> 'mesh_ip' AS mesh_ip, value ->> 'sandboxes' AS sandboxes, \
             value ->> 'image' AS image, value ->> 'image_reference' AS image_reference, \
             value ->> 'image_id' AS image_id, value ->> 'image_detail' AS image_detail, \
             value ->> 'bounds' AS bounds, value ->> 'gpu_pct' AS gpu_pct, value ->> 'temp_max' AS temp_max, \
             value ->> 'images' AS images FROM json_each($1)) AS b"
        }
        Backend::Postgres => {
            "jsonb_to_recordset($1::jsonb) AS b(id uuid, epoch bigint, held_by text, hold_ms bigint, at timestamptz, \
             paused boolean, local_ip text, mesh_ip text, sandboxes integer, image text, image_reference text, \
             image_id text, image_detail text, bounds jsonb, gpu_pct real, temp_max real, images jsonb)"
        }
    };
    format!(
        "UPDATE nodes SET held_ms = {now} + b.hold_ms, last_seen_at = b.at, \
         local_ip = COALESCE(b.local_ip, nodes.local_ip), mesh_ip = b.mesh_ip, paused = b.paused, \
         sandboxes = COALESCE(b.sandboxes, nodes.sandboxes), image = COALESCE(b.image, nodes.image), \
         image_reference = COALESCE(b.image_reference, nodes.image_reference), \
         image_id = CASE WHEN b.image_reference IS NULL THEN nodes.image_id ELSE b.image_id END, \
         image_detail = CASE WHEN b.image_reference IS NULL THEN nodes.image_detail ELSE b.image_detail END, \
         bounds = COALESCE(b.bounds, nodes.bounds), gpu_pct = b.gpu_pct, temp_max = b.temp_max, \
         images = COALESCE(b.images, nodes.images), version = nodes.version + 1 FROM {rows} \
         WHERE nodes.id = b.id AND nodes.conn_epoch = b.epoch AND nodes.held_by = b.held_by \
         AND nodes.deleted_at IS NULL RETURNING nodes.id AS id, nodes.version AS version",
        now = backend.now_ms()
    )
}

fn health_sql(backend: Backend) -> String {
    let names = Columns::NAMES.map(|(name, _)| name).join(", ");
    let rows = match backend {
        Backend::Sqlite => {
            let values = Columns::NAMES.map(|(name, _)| format!("value ->> '{name}'"));
            let values = values.join(", ");
            format!(
                "SELECT unhex(value ->> 'id'), value ->> 'at', {values} FROM json_each($1) WHERE TRUE"
            )
        }
        Backend::Postgres => {
            let typed = Columns::NAMES.map(|(name, kind)| format!("{name} {kind}"));
            let typed = typed.join(", ");
            format!(
                "SELECT id, at, {names} FROM jsonb_to_recordset($1::jsonb) AS b(id uuid, at timestamptz, {typed})"
            )
        }
    };
    let set = Columns::NAMES.map(|(name, _)| format!("{name} = excluded.{name}"));
    let set = set.join(", ");
    format!(
        "INSERT INTO node_health (node_id, at, {names}) {rows} \
         ON CONFLICT (node_id) DO UPDATE SET at = excluded.at, {set}"
    )
}
