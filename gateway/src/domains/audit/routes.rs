//! `GET /api/audit`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::entity::entry;
use super::store;
use crate::db::Db;
use crate::domains::auth::{Scoped, can};
use crate::error::ApiResult;
use crate::http::json::Query;
use crate::http::pagination::{Page, PageQuery};
use crate::http::problem::Problem;
use crate::ids::{AuditId, UserId};

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    pub id: AuditId,
    /// The user on whose authority it happened.
    pub actor: UserId,
    pub action: String,
    pub entity_kind: String,
    pub entity_id: String,
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
    pub at: DateTime<Utc>,
}

/// The routes.
pub fn router() -> OpenApiRouter<Db> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The audit log of the workspace, newest first.
#[utoipa::path(get, path = "/api/audit", tag = "workspaces", params(PageQuery),
    responses((status = 200, body = Page<AuditEntry>), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn list(
    State(db): State<Db>,
    caller: Scoped<can::ReadAudit>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<AuditEntry>>> {
    let request = query.check()?;
    let rows = store::newest(db.read(), caller.scope(), request).await?;
    Ok(Json(
        request.page(rows, |row| row.id.0).map(AuditEntry::from),
    ))
}

impl From<entry::Model> for AuditEntry {
    fn from(row: entry::Model) -> Self {
        Self {
            id: row.id,
            actor: row.actor,
            action: row.action,
            entity_kind: row.entity_kind,
            entity_id: row.entity_id,
            details: row.details,
            at: row.at,
        }
    }
}
