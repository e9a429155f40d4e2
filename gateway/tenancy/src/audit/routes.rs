//! `/api/audit`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{AuditChain, AuditEntry, AuditQuery};
use super::store;
use crate::auth::{self, Scoped, UserBrief, can};
use roost_platform::db::Db;
use roost_platform::ids::UserId;
use roost_web::error::ApiResult;
use roost_web::json::Query;
use roost_web::pagination::Page;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<Db> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(chain))
}

/// The audit log of the workspace. Newest first, unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/audit", operation_id = "list_audit_entries", tag = "workspaces", params(AuditQuery),
    responses((status = 200, body = Page<AuditEntry>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(
    State(db): State<Db>,
    caller: Scoped<can::ReadAudit>,
    Query(query): Query<AuditQuery>,
) -> ApiResult<Json<Page<AuditEntry>>> {
    let (request, filter) = query.check()?;
    let rows = store::list(db.read(), caller.scope(), &filter, request).await?;
    let page = request.page(rows, |row| row.id.0);
    let mut links = store::links_of(db.read(), &page.items).await?;
    let people = page.items.iter().map(|row| row.actor);
    let people = auth::users_by_id(db.read(), people).await?;
    let people: HashMap<UserId, UserBrief> = people
        .into_iter()
        .map(|user| (user.id, user.into()))
        .collect();
    Ok(Json(page.map(|row| {
        let (by, link) = (people.get(&row.actor).cloned(), links.remove(&row.id));
        AuditEntry::new(row, by, link)
    })))
}

/// The state of the workspace's log in the hash chain. `roost audit verify` checks the whole chain.
#[utoipa::path(get, path = "/api/audit/chain", tag = "workspaces",
    responses((status = 200, body = AuditChain), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn chain(
    State(db): State<Db>,
    caller: Scoped<can::ReadAudit>,
) -> ApiResult<Json<AuditChain>> {
    let (entries, waiting) = store::counts(db.read(), caller.scope()).await?;
    let end = store::end(db.read()).await?.map(Into::into);
    Ok(Json(AuditChain {
        entries,
        waiting,
        end,
    }))
}
