//! `/api/skills`, and the choices at `/api/claws/{id}/skills/{skill_id}`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::commands::By;
use super::dto::{
    NewSkill, Skill, SkillBrief, SkillChoice, SkillQuery, SkillText, SkillVersion,
    SkillVersionBrief,
};
use super::entity::skill;
use super::{SkillsContext, commands, store};
use roost_platform::ids::{ClawId, SkillId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Mistakes, Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<SkillsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .routes(routes!(versions))
        .routes(routes!(version))
        .routes(routes!(restore))
        .routes(routes!(choose, take_back))
}

/// Lists the skills that the workspace sees, by name: built-in ones and its own.
#[utoipa::path(get, path = "/api/skills", operation_id = "skills", tag = "skills", params(SkillQuery),
    responses((status = 200, body = Page<SkillBrief>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ReadSkills>,
    Query(query): Query<SkillQuery>,
) -> ApiResult<Json<Page<SkillBrief>>> {
    let mut mistakes = Mistakes::default();
    let filter = query.filter(&mut mistakes);
    mistakes.done()?;
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let rows = store::list(state.db.read(), caller.scope(), request, &filter).await?;
    let page = request.page(rows, |row| row.id.0);
    let namesakes = namesakes(&state, caller.scope(), &page.items).await?;
    Ok(Json(page.map(|row| {
        SkillBrief::new(&row, namesakes.get(&row.id).copied())
    })))
}

/// Creates a skill of the workspace.
#[utoipa::path(post, path = "/api/skills", operation_id = "create_skill", tag = "skills", request_body = NewSkill,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Skill), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem)))]
async fn create(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Valid(new): Valid<NewSkill>,
) -> ApiResult<(StatusCode, Json<Skill>)> {
    let row = commands::create(&state, by(caller.scope(), caller.user_id()), new).await?;
    let skill = shown(&state, caller.scope(), row).await?;
    Ok((StatusCode::CREATED, Json(skill)))
}

/// Shows one skill.
#[utoipa::path(get, path = "/api/skills/{id}", operation_id = "skill", tag = "skills", params(("id" = SkillId, Path)),
    responses((status = 200, body = Skill), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ReadSkills>,
    Path(id): Path<SkillId>,
) -> ApiResult<Json<Skill>> {
    let row = living(&state, caller.scope(), id).await?;
    Ok(Json(shown(&state, caller.scope(), row).await?))
}

/// Writes a new version of a skill of the workspace. With `If-Match: <version>`, only over that version.
#[utoipa::path(put, path = "/api/skills/{id}", operation_id = "change_skill", tag = "skills", request_body = SkillText,
    params(("id" = SkillId, Path), ("If-Match" = Option<String>, Header, description = "the version that the text was made from")),
    responses((status = 200, body = Skill), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn change(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Path(id): Path<SkillId>,
    headers: HeaderMap,
    Valid(text): Valid<SkillText>,
) -> ApiResult<Json<Skill>> {
    let over = if_match(&headers)?;
    let row =
        commands::change(&state, by(caller.scope(), caller.user_id()), id, over, text).await?;
    Ok(Json(shown(&state, caller.scope(), row).await?))
}

/// Deletes a skill of the workspace. Roles and agents that have it continue without it.
#[utoipa::path(delete, path = "/api/skills/{id}", operation_id = "delete_skill", tag = "skills", params(("id" = SkillId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Path(id): Path<SkillId>,
) -> ApiResult<StatusCode> {
    commands::delete(&state, by(caller.scope(), caller.user_id()), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the versions of a skill, newest first.
#[utoipa::path(get, path = "/api/skills/{id}/versions", operation_id = "skill_versions", tag = "skills",
    params(("id" = SkillId, Path), PageQuery),
    responses((status = 200, body = Page<SkillVersionBrief>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn versions(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ReadSkills>,
    Path(id): Path<SkillId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<SkillVersionBrief>>> {
    let request = query.check()?;
    let row = living(&state, caller.scope(), id).await?;
    let rows = store::history(state.db.read(), &row, request).await?;
    let page = request.page(rows, |row| {
        Uuid::from_u64_pair(0, row.version.unsigned_abs())
    });
    let people = people(&state, page.items.iter().map(|row| row.author)).await?;
    Ok(Json(page.map(|row| {
        let author = people.get(&row.author).cloned();
        SkillVersionBrief::new(row, author)
    })))
}

/// Shows one version of a skill.
#[utoipa::path(get, path = "/api/skills/{id}/versions/{version}", operation_id = "skill_version", tag = "skills",
    params(("id" = SkillId, Path), ("version" = i64, Path)),
    responses((status = 200, body = SkillVersion), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn version(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ReadSkills>,
    Path((id, number)): Path<(SkillId, i64)>,
) -> ApiResult<Json<SkillVersion>> {
    let row = store::version(state.db.read(), caller.scope(), id, number)
        .await?
        .ok_or_else(|| ApiError::not_found("version of the skill"))?;
    let author = people(&state, std::iter::once(row.author)).await?;
    let author = author.get(&row.author).cloned();
    Ok(Json(SkillVersion::new(row, author)))
}

/// Restores an earlier version of a skill as a new version. With `If-Match`, only over that version.
#[utoipa::path(post, path = "/api/skills/{id}/versions/{version}/restore", operation_id = "restore_skill", tag = "skills",
    params(("id" = SkillId, Path), ("version" = i64, Path),
        ("If-Match" = Option<String>, Header, description = "the version that is the newest now")),
    responses((status = 200, body = Skill), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn restore(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Path((id, number)): Path<(SkillId, i64)>,
    headers: HeaderMap,
) -> ApiResult<Json<Skill>> {
    let over = if_match(&headers)?;
    let row = commands::restore(
        &state,
        by(caller.scope(), caller.user_id()),
        id,
        number,
        over,
    )
    .await?;
    Ok(Json(shown(&state, caller.scope(), row).await?))
}

/// Adds a skill to an agent, or excludes it.
#[utoipa::path(put, path = "/api/claws/{id}/skills/{skill_id}", operation_id = "choose_skill", tag = "skills",
    request_body = SkillChoice, params(("id" = ClawId, Path), ("skill_id" = SkillId, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn choose(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Path((id, skill)): Path<(ClawId, SkillId)>,
    Valid(choice): Valid<SkillChoice>,
) -> ApiResult<StatusCode> {
    commands::choose(
        &state,
        by(caller.scope(), caller.user_id()),
        id,
        skill,
        choice.include,
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the choice for an agent. The role's default applies again.
#[utoipa::path(delete, path = "/api/claws/{id}/skills/{skill_id}", operation_id = "reset_skill", tag = "skills",
    params(("id" = ClawId, Path), ("skill_id" = SkillId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn take_back(
    State(state): State<SkillsContext>,
    caller: Scoped<can::ManageSkills>,
    Path((id, skill)): Path<(ClawId, SkillId)>,
) -> ApiResult<StatusCode> {
    commands::take_back(&state, by(caller.scope(), caller.user_id()), id, skill).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn by(scope: WorkspaceScope, user: UserId) -> By {
    By { scope, user }
}

async fn living(
    state: &SkillsContext,
    scope: WorkspaceScope,
    id: SkillId,
) -> ApiResult<skill::Model> {
    let row = store::get(state.db.read(), scope, id).await?;
    row.filter(|row| row.deleted_at.is_none())
        .ok_or_else(|| ApiError::not_found("skill"))
}

async fn shown(
    state: &SkillsContext,
    scope: WorkspaceScope,
    row: skill::Model,
) -> ApiResult<Skill> {
    let rows = [row];
    let namesake = namesakes(state, scope, &rows).await?;
    let [row] = rows;
    Ok(Skill {
        about: SkillBrief::new(&row, namesake.get(&row.id).copied()),
        body: row.body,
        created_at: row.created_at,
    })
}

/// For each row, the other living skill of its name, if there is one.
async fn namesakes(
    state: &SkillsContext,
    scope: WorkspaceScope,
    rows: &[skill::Model],
) -> ApiResult<HashMap<SkillId, SkillId>> {
    let names = rows.iter().map(|row| row.name.clone()).collect();
    let known = store::ids_of(state.db.read(), scope, names).await?;
    let other = |row: &skill::Model| {
        let mut others = known
            .iter()
            .filter(|(name, id)| *name == row.name && *id != row.id);
        others.next().map(|(_, id)| (row.id, *id))
    };
    Ok(rows.iter().filter_map(other).collect())
}

async fn people(
    state: &SkillsContext,
    ids: impl Iterator<Item = UserId>,
) -> ApiResult<HashMap<UserId, UserBrief>> {
    let people = auth::users_by_id(state.db.read(), ids).await?;
    let known = people.into_iter().filter(|user| user.id != UserId::SYSTEM);
    Ok(known.map(|user| (user.id, user.into())).collect())
}
