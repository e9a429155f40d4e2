//! `/api/claws/{id}/level-up`, `/api/teams/{id}/level-up` and `/api/level-up-proposals`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{Approval, Made, Proposal, ProposalBrief, ProposalQuery};
use super::entity::proposal;
use super::facts::Subject;
use super::{LevelUpError, LevelUpsContext, commands, store};
use roost_platform::ids::{ClawId, LevelUpId, TeamId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<LevelUpsContext> {
    OpenApiRouter::new()
        .routes(routes!(propose_for_agent))
        .routes(routes!(propose_for_team))
        .routes(routes!(list))
        .routes(routes!(get))
        .routes(routes!(apply))
        .routes(routes!(reject))
}

/// Asks a model for improvements of an agent, from its prompt, its brain, its skills and its runs. The answer comes when
/// the model has answered.
#[utoipa::path(post, path = "/api/claws/{id}/level-up", operation_id = "level_up_claw", tag = "level-ups",
    params(("id" = ClawId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Made), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 502, body = Problem),
        (status = 503, body = Problem), (status = 504, body = Problem)))]
async fn propose_for_agent(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(agent): Path<ClawId>,
    id: CreationId<LevelUpId>,
) -> ApiResult<(StatusCode, Json<Made>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&state.ids);
    let proposal_id = commands::propose(&state, scope, user, id, Subject::Agent(agent)).await?;
    Ok((StatusCode::CREATED, Json(Made { proposal_id })))
}

/// Asks a model for improvements of a team, from its roster, its members and its runs. The answer comes when the model
/// has answered.
#[utoipa::path(post, path = "/api/teams/{id}/level-up", operation_id = "level_up_team", tag = "level-ups",
    params(("id" = TeamId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Made), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 502, body = Problem),
        (status = 503, body = Problem), (status = 504, body = Problem)))]
async fn propose_for_team(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::ManageTeams>,
    Path(team): Path<TeamId>,
    id: CreationId<LevelUpId>,
) -> ApiResult<(StatusCode, Json<Made>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&state.ids);
    let proposal_id = commands::propose(&state, scope, user, id, Subject::Team(team)).await?;
    Ok((StatusCode::CREATED, Json(Made { proposal_id })))
}

/// Lists the proposals that wait for a decision, newest first. With `status`, the newest 200 that were decided.
#[utoipa::path(get, path = "/api/level-up-proposals", operation_id = "level_ups", tag = "level-ups", params(ProposalQuery),
    responses((status = 200, body = Vec<ProposalBrief>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::ReadClaws>,
    Query(query): Query<ProposalQuery>,
) -> ApiResult<Json<Vec<ProposalBrief>>> {
    let scope = caller.scope();
    let rows = store::list(state.db.read(), scope, query.wanted()).await?;
    let ids: Vec<UserId> = rows
        .iter()
        .flat_map(|row| [Some(row.created_by), row.approved_by])
        .flatten()
        .collect();
    let people = people(&state, ids.into_iter()).await?;
    let shown = rows
        .into_iter()
        .map(|row| ProposalBrief::new(row, scope.workspace(), &people));
    Ok(Json(shown.collect::<Result<_, LevelUpError>>()?))
}

/// Shows one proposal with all texts and their evidence.
#[utoipa::path(get, path = "/api/level-up-proposals/{id}", operation_id = "level_up", tag = "level-ups",
    params(("id" = LevelUpId, Path)),
    responses((status = 200, body = Proposal), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<LevelUpId>,
) -> ApiResult<Json<Proposal>> {
    let row = store::get(state.db.read(), caller.scope(), id)
        .await?
        .ok_or(LevelUpError::NotFound)?;
    shown(&state, row).await
}

/// Applies the approved items, all of them or nothing. A proposal that was decided before stays as it is, and the answer
/// shows it.
#[utoipa::path(post, path = "/api/level-up-proposals/{id}/apply", operation_id = "apply_level_up", tag = "level-ups",
    request_body = Approval, params(("id" = LevelUpId, Path)),
    responses((status = 200, body = Proposal), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn apply(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<LevelUpId>,
    Valid(approval): Valid<Approval>,
) -> ApiResult<Json<Proposal>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::apply(&state, scope, user, id, approval.approved_item_ids).await?;
    shown(&state, row).await
}

/// Rejects a proposal. Nothing of it is applied. A proposal that was decided before stays as it is, and the answer shows
/// it.
#[utoipa::path(post, path = "/api/level-up-proposals/{id}/reject", operation_id = "reject_level_up", tag = "level-ups",
    params(("id" = LevelUpId, Path)),
    responses((status = 200, body = Proposal), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn reject(
    State(state): State<LevelUpsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<LevelUpId>,
) -> ApiResult<Json<Proposal>> {
    let row = commands::reject(&state, caller.scope(), caller.user_id(), id).await?;
    shown(&state, row).await
}

async fn shown(state: &LevelUpsContext, row: proposal::Model) -> ApiResult<Json<Proposal>> {
    let ids = [Some(row.created_by), row.approved_by];
    let people = people(state, ids.into_iter().flatten()).await?;
    Ok(Json(Proposal::new(row, &people)?))
}

async fn people(
    state: &LevelUpsContext,
    ids: impl Iterator<Item = UserId>,
) -> ApiResult<HashMap<UserId, UserBrief>> {
    let people = auth::users_by_id(state.db.read(), ids).await?;
    Ok(people
        .into_iter()
        .map(|user| (user.id, user.into()))
        .collect())
}
