//! `/api/team-templates`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::commands::{By, Former};
use super::dto::{
    NewTemplate, TeamTemplate, TeamTemplateBrief, TemplateAgent, TemplateQuery, TemplateVersion,
    TemplateVersionBrief, UpgradeReport, UpgradeRequest,
};
use super::model::Content;
use super::{Template, commands, store, store_links};
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::auth::dto::UserBrief;
use crate::domains::auth::{self, Scoped, WorkspaceScope, can};
use crate::domains::claws::{self, routes::if_match};
use crate::domains::skills;
use crate::error::{ApiError, ApiResult};
use crate::http::idempotency::CreationId;
use crate::http::json::{Path, Query, Valid};
use crate::http::pagination::{Page, PageQuery};
use crate::http::problem::Problem;
use crate::ids::{SharedIds, TemplateId, UserId};

/// What the routes need.
#[derive(Clone)]
pub struct TemplatesState {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
}

/// The routes.
pub fn router() -> OpenApiRouter<TemplatesState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .routes(routes!(versions))
        .routes(routes!(version))
        .routes(routes!(agents))
        .routes(routes!(upgrade))
}

/// The team templates that the workspace sees, by name: built-in ones and its own.
#[utoipa::path(get, path = "/api/team-templates", operation_id = "team_templates", tag = "templates", params(TemplateQuery),
    responses((status = 200, body = Page<TeamTemplateBrief>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ReadTemplates>,
    Query(query): Query<TemplateQuery>,
) -> ApiResult<Json<Page<TeamTemplateBrief>>> {
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let rows = store::list(state.db.read(), caller.scope(), request, query.category).await?;
    let page = request.page(rows, |one| one.row.id.0);
    Ok(Json(page.map(TeamTemplateBrief::new)))
}

/// Makes a template of the workspace's own, from nothing or from a copy.
#[utoipa::path(post, path = "/api/team-templates", operation_id = "create_team_template", tag = "templates",
    request_body = NewTemplate,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = TeamTemplate), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn create(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ManageTemplates>,
    id: CreationId<TemplateId>,
    Valid(new): Valid<NewTemplate>,
) -> ApiResult<(StatusCode, Json<TeamTemplate>)> {
    let id = id.or_fresh(&state.ids);
    let by = by(&state, caller.scope(), caller.user_id());
    let made = commands::create(&state, by, id, new).await?;
    Ok((StatusCode::CREATED, Json(shown(&state, made).await?)))
}

/// One template with its roles.
#[utoipa::path(get, path = "/api/team-templates/{id}", operation_id = "team_template", tag = "templates",
    params(("id" = TemplateId, Path)),
    responses((status = 200, body = TeamTemplate), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ReadTemplates>,
    Path(id): Path<TemplateId>,
) -> ApiResult<Json<TeamTemplate>> {
    let found = living(&state, caller.scope(), id).await?;
    Ok(Json(shown(&state, found).await?))
}

/// Writes a new version of a template of the workspace's own. With `If-Match: <version>` only over that version.
#[utoipa::path(put, path = "/api/team-templates/{id}", operation_id = "change_team_template", tag = "templates",
    request_body = Content,
    params(("id" = TemplateId, Path), ("If-Match" = Option<String>, Header, description = "the version that the content was made from")),
    responses((status = 200, body = TeamTemplate), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn change(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
    headers: HeaderMap,
    Valid(content): Valid<Content>,
) -> ApiResult<Json<TeamTemplate>> {
    let over = if_match(&headers)?;
    let by = by(&state, caller.scope(), caller.user_id());
    let changed = commands::change(&state, by, id, over, content).await?;
    Ok(Json(shown(&state, changed).await?))
}

/// Deletes a template of the workspace's own; agents that were made from it go on as they are.
#[utoipa::path(delete, path = "/api/team-templates/{id}", operation_id = "delete_team_template", tag = "templates",
    params(("id" = TemplateId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
) -> ApiResult<StatusCode> {
    let by = by(&state, caller.scope(), caller.user_id());
    commands::delete(&state, by, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The versions of a template, newest first.
#[utoipa::path(get, path = "/api/team-templates/{id}/versions", operation_id = "team_template_versions", tag = "templates",
    params(("id" = TemplateId, Path), PageQuery),
    responses((status = 200, body = Page<TemplateVersionBrief>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn versions(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ReadTemplates>,
    Path(id): Path<TemplateId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<TemplateVersionBrief>>> {
    let request = query.check()?;
    let found = living(&state, caller.scope(), id).await?;
    let rows = store::history(state.db.read(), &found.row, request).await?;
    let page = request.page(rows, |row| {
        Uuid::from_u64_pair(0, row.version.unsigned_abs())
    });
    let authors = page.items.iter().map(|row| row.author);
    let people = auth::store::users_by_id(state.db.read(), authors).await?;
    let people: HashMap<UserId, UserBrief> = people
        .into_iter()
        .filter(|user| user.id != UserId::SYSTEM)
        .map(|user| (user.id, user.into()))
        .collect();
    Ok(Json(page.map(|row| {
        let author = people.get(&row.author).cloned();
        TemplateVersionBrief::new(row, author)
    })))
}

/// One version of a template, whole; also of one that was deleted since.
#[utoipa::path(get, path = "/api/team-templates/{id}/versions/{version}", operation_id = "team_template_version",
    tag = "templates", params(("id" = TemplateId, Path), ("version" = i64, Path)),
    responses((status = 200, body = TemplateVersion), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn version(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ReadTemplates>,
    Path((id, number)): Path<(TemplateId, i64)>,
) -> ApiResult<Json<TemplateVersion>> {
    let row = store::version(state.db.read(), caller.scope(), id, number)
        .await?
        .ok_or_else(|| ApiError::not_found("version of the template"))?;
    Ok(Json(
        TemplateVersion::new(&row).map_err(ApiError::internal)?,
    ))
}

/// The agents that were made from a template, which version each has, and what an upgrade would do.
#[utoipa::path(get, path = "/api/team-templates/{id}/agents", operation_id = "team_template_agents", tag = "templates",
    params(("id" = TemplateId, Path), PageQuery),
    responses((status = 200, body = Page<TemplateAgent>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn agents(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ReadTemplates>,
    Path(id): Path<TemplateId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<TemplateAgent>>> {
    let request = query.check()?;
    let (db, scope) = (state.db.read(), caller.scope());
    let template = living(&state, scope, id).await?;
    let links = store_links::made_from(db, scope, id, Some(request)).await?;
    let page = request.page(links, |link| link.agent_id.0);
    let mut former = Former::default();
    let mut items = Vec::new();
    for link in page.items {
        if let Some(agent) = claws::store::get(db, scope, link.agent_id).await?
            && agent.deleted_at.is_none()
        {
            let upgrade = former.decide(db, scope, &template, &link, &agent).await?;
            items.push(TemplateAgent::new(
                link,
                agent,
                template.row.version,
                upgrade,
            ));
        }
    }
    let next_cursor = page.next_cursor;
    Ok(Json(Page { items, next_cursor }))
}

/// Upgrades agents to the newest version: those that are named, or all that are behind. A prompt that somebody changed
/// stays; brains are never touched.
#[utoipa::path(post, path = "/api/team-templates/{id}/upgrade", operation_id = "upgrade_team_template_agents",
    tag = "templates", request_body = UpgradeRequest, params(("id" = TemplateId, Path)),
    responses((status = 200, body = UpgradeReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn upgrade(
    State(state): State<TemplatesState>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
    Valid(request): Valid<UpgradeRequest>,
) -> ApiResult<Json<UpgradeReport>> {
    let by = by(&state, caller.scope(), caller.user_id());
    let (version, done) = commands::upgrade(&state, by, id, request.agents()).await?;
    Ok(Json(UpgradeReport::new(version, done)))
}

fn by(state: &TemplatesState, scope: WorkspaceScope, user: UserId) -> By {
    let now = state.clock.now();
    By { scope, user, now }
}

async fn living(
    state: &TemplatesState,
    scope: WorkspaceScope,
    id: TemplateId,
) -> ApiResult<Template> {
    let found = store::get(state.db.read(), scope, id).await?;
    found.ok_or_else(|| ApiError::not_found("template"))
}

async fn shown(state: &TemplatesState, from: Template) -> ApiResult<TeamTemplate> {
    let (id, version) = (from.row.id, from.row.version);
    let bound = skills::store_choices::of_version(state.db.read(), id, version).await?;
    Ok(TeamTemplate::new(from, bound))
}
