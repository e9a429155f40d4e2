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
use super::image::TemplateImage;
use super::model::Content;
use super::{Template, TemplatesContext, commands, store, store_links};
use crate::skills;
use roost_agents::claws::{self};
use roost_platform::ids::{TemplateId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<TemplatesContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .routes(routes!(versions))
        .routes(routes!(version))
        .routes(routes!(agents))
        .routes(routes!(upgrade))
}

/// Lists the team templates that the workspace sees, by name: built-in ones and its own.
#[utoipa::path(get, path = "/api/team-templates", operation_id = "team_templates", tag = "templates", params(TemplateQuery),
    responses((status = 200, body = Page<TeamTemplateBrief>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<TemplatesContext>,
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
    let here = state
        .sandboxes
        .here(state.db.read(), caller.scope(), None)
        .await?;
    Ok(Json(page.map(|one| {
        let image = TemplateImage::of(&one, &state.sandboxes, &here);
        TeamTemplateBrief::new(one, image)
    })))
}

/// Creates a template of the workspace, from nothing or from a copy.
#[utoipa::path(post, path = "/api/team-templates", operation_id = "create_team_template", tag = "templates",
    request_body = NewTemplate,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = TeamTemplate), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn create(
    State(state): State<TemplatesContext>,
    caller: Scoped<can::ManageTemplates>,
    id: CreationId<TemplateId>,
    Valid(new): Valid<NewTemplate>,
) -> ApiResult<(StatusCode, Json<TeamTemplate>)> {
    let id = id.or_fresh(&state.ids);
    let by = by(caller.scope(), caller.user_id());
    let made = commands::create(&state, by, id, new).await?;
    Ok((
        StatusCode::CREATED,
        Json(shown(&state, caller.scope(), made).await?),
    ))
}

/// Shows one template with its roles.
#[utoipa::path(get, path = "/api/team-templates/{id}", operation_id = "team_template", tag = "templates",
    params(("id" = TemplateId, Path)),
    responses((status = 200, body = TeamTemplate), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<TemplatesContext>,
    caller: Scoped<can::ReadTemplates>,
    Path(id): Path<TemplateId>,
) -> ApiResult<Json<TeamTemplate>> {
    let found = living(&state, caller.scope(), id).await?;
    Ok(Json(shown(&state, caller.scope(), found).await?))
}

/// Writes a new version of a template of the workspace. With `If-Match: <version>`, only over that version.
#[utoipa::path(put, path = "/api/team-templates/{id}", operation_id = "change_team_template", tag = "templates",
    request_body = Content,
    params(("id" = TemplateId, Path), ("If-Match" = Option<String>, Header, description = "the version that the content was made from")),
    responses((status = 200, body = TeamTemplate), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn change(
    State(state): State<TemplatesContext>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
    headers: HeaderMap,
    Valid(content): Valid<Content>,
) -> ApiResult<Json<TeamTemplate>> {
    let over = if_match(&headers)?;
    let by = by(caller.scope(), caller.user_id());
    let changed = commands::change(&state, by, id, over, content).await?;
    Ok(Json(shown(&state, caller.scope(), changed).await?))
}

/// Deletes a template of the workspace. Agents that were made from it stay unchanged.
#[utoipa::path(delete, path = "/api/team-templates/{id}", operation_id = "delete_team_template", tag = "templates",
    params(("id" = TemplateId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(
    State(state): State<TemplatesContext>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
) -> ApiResult<StatusCode> {
    let by = by(caller.scope(), caller.user_id());
    commands::delete(&state, by, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the versions of a template, newest first.
#[utoipa::path(get, path = "/api/team-templates/{id}/versions", operation_id = "team_template_versions", tag = "templates",
    params(("id" = TemplateId, Path), PageQuery),
    responses((status = 200, body = Page<TemplateVersionBrief>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn versions(
    State(state): State<TemplatesContext>,
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
    let people = auth::users_by_id(state.db.read(), authors).await?;
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

/// Shows one complete version of a template, also after the template was deleted.
#[utoipa::path(get, path = "/api/team-templates/{id}/versions/{version}", operation_id = "team_template_version",
    tag = "templates", params(("id" = TemplateId, Path), ("version" = i64, Path)),
    responses((status = 200, body = TemplateVersion), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn version(
    State(state): State<TemplatesContext>,
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

/// Lists the agents that were made from a template, with the version of each and the effect of an upgrade.
#[utoipa::path(get, path = "/api/team-templates/{id}/agents", operation_id = "team_template_agents", tag = "templates",
    params(("id" = TemplateId, Path), PageQuery),
    responses((status = 200, body = Page<TemplateAgent>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn agents(
    State(state): State<TemplatesContext>,
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
        if let Some(agent) = claws::find(db, scope, link.agent_id).await?
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

/// Upgrades agents to the newest version: the named ones, or all with an older version.
/// A prompt that a person changed stays. Brains never change.
#[utoipa::path(post, path = "/api/team-templates/{id}/upgrade", operation_id = "upgrade_team_template_agents",
    tag = "templates", request_body = UpgradeRequest, params(("id" = TemplateId, Path)),
    responses((status = 200, body = UpgradeReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn upgrade(
    State(state): State<TemplatesContext>,
    caller: Scoped<can::ManageTemplates>,
    Path(id): Path<TemplateId>,
    Valid(request): Valid<UpgradeRequest>,
) -> ApiResult<Json<UpgradeReport>> {
    let by = by(caller.scope(), caller.user_id());
    let (version, done) = commands::upgrade(&state, by, id, request.agents()).await?;
    Ok(Json(UpgradeReport::new(version, done)))
}

fn by(scope: WorkspaceScope, user: UserId) -> By {
    By { scope, user }
}

async fn living(
    state: &TemplatesContext,
    scope: WorkspaceScope,
    id: TemplateId,
) -> ApiResult<Template> {
    let found = store::get(state.db.read(), scope, id).await?;
    found.ok_or_else(|| ApiError::not_found("template"))
}

async fn shown(
    state: &TemplatesContext,
    scope: WorkspaceScope,
    from: Template,
) -> ApiResult<TeamTemplate> {
    let (id, version) = (from.row.id, from.row.version);
    let bound = skills::bound_to_version(state.db.read(), id, version).await?;
    let here = state.sandboxes.here(state.db.read(), scope, None).await?;
    let image = TemplateImage::of(&from, &state.sandboxes, &here);
    Ok(TeamTemplate::new(from, image, bound))
}
