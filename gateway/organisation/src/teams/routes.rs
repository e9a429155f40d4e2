//! `/api/teams`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{
    NewTeam, RunTeam, RuntimeConfigChange, Team, TeamChange, TeamMember, TeamRepository,
};
use super::entity::team;
use super::model::{Lifecycle, State as TeamState};
use super::{TeamError, TeamsContext, commands, of_team, store};
use roost_agents::claws;
use roost_connections::repos;
use roost_execution::runs::{self, RunBrief, RunSummary};
use roost_execution::tools::{Bundle, Profile};
use roost_execution::topology::{self, Graph};
use roost_platform::ids::{RunId, TeamId};
use roost_tenancy::auth::{self, Scoped, UserBrief, Verb, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<TeamsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .routes(routes!(configure))
        .routes(routes!(run))
}

/// Lists the workspace's teams, newest first.
#[utoipa::path(get, path = "/api/teams", tag = "teams", operation_id = "list_teams", params(PageQuery),
    responses((status = 200, body = Page<Team>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ReadTeams>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Team>>> {
    let request = query.check()?;
    let rows = store::list(teams.db.read(), caller.scope(), request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: shown(&teams, caller.scope(), page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Creates a team with its agents, its topology and its seats. It creates all of them or nothing.
#[utoipa::path(post, path = "/api/teams", tag = "teams", operation_id = "create_team", request_body = NewTeam,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Team), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn create(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ManageTeams>,
    id: CreationId<TeamId>,
    Valid(new): Valid<NewTeam>,
) -> ApiResult<(StatusCode, Json<Team>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&teams.ids);
    let may_place = caller.may(Verb::SetPlacement);
    let row = commands::create(&teams, scope, user, id, may_place, new).await?;
    Ok((StatusCode::CREATED, Json(one(&teams, scope, row).await?)))
}

/// Shows one team with its topology and its members.
#[utoipa::path(get, path = "/api/teams/{id}", tag = "teams", operation_id = "get_team", params(("id" = TeamId, Path)),
    responses((status = 200, body = Team), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ReadTeams>,
    Path(id): Path<TeamId>,
) -> ApiResult<Json<Team>> {
    let row = store::get(teams.db.read(), caller.scope(), id)
        .await?
        .ok_or(TeamError::NotFound)?;
    Ok(Json(one(&teams, caller.scope(), row).await?))
}

/// Changes a team. Runs that have begun keep their topology.
#[utoipa::path(patch, path = "/api/teams/{id}", tag = "teams", operation_id = "change_team", request_body = TeamChange,
    params(("id" = TeamId, Path), ("If-Match" = Option<String>, Header, description = "the version that was seen")),
    responses((status = 200, body = Team), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn change(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ManageTeams>,
    Path(id): Path<TeamId>,
    headers: HeaderMap,
    Valid(change): Valid<TeamChange>,
) -> ApiResult<Json<Team>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let seen = if_match(&headers)?;
    let may_place = caller.may(Verb::SetPlacement);
    let row = commands::change(&teams, scope, user, id, seen, may_place, change).await?;
    Ok(Json(one(&teams, scope, row).await?))
}

/// Sets what the team's agents may use.
#[utoipa::path(patch, path = "/api/teams/{id}/runtime-config", tag = "teams", operation_id = "configure_team",
    request_body = RuntimeConfigChange,
    params(("id" = TeamId, Path), ("If-Match" = Option<String>, Header, description = "the version that was seen")),
    responses((status = 200, body = Team), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn configure(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ManageTeams>,
    Path(id): Path<TeamId>,
    headers: HeaderMap,
    Valid(change): Valid<RuntimeConfigChange>,
) -> ApiResult<Json<Team>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let seen = if_match(&headers)?;
    let row = commands::configure(&teams, scope, user, id, seen, change).await?;
    Ok(Json(one(&teams, scope, row).await?))
}

/// What is deleted with a team.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct DeleteQuery {
    /// Also purge the agents that were created for the team. This needs the role Admin or a stronger one. Agents that
    /// sit in another team, or that were created on their own, stay. Without it, all agents stay.
    #[serde(default)]
    with_agents: bool,
}

/// Deletes a team without open runs. Its agents stay, unless `with_agents` is set.
#[utoipa::path(delete, path = "/api/teams/{id}", tag = "teams", operation_id = "delete_team",
    params(("id" = TeamId, Path), DeleteQuery),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::ManageTeams>,
    Path(id): Path<TeamId>,
    Query(query): Query<DeleteQuery>,
) -> ApiResult<StatusCode> {
    let (scope, user) = (caller.scope(), caller.user_id());
    if query.with_agents && !caller.may(Verb::PurgeClaws) {
        return Err(ApiError::new(Code::Forbidden).detail(
            "Purging its agents needs the role admin or a stronger one. Without that they stay.",
        ));
    }
    commands::delete(&teams, scope, user, id, query.with_agents).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enqueues a durable run of the team's graph.
#[utoipa::path(post, path = "/api/teams/{id}/run", tag = "teams", operation_id = "run_team", request_body = RunTeam,
    params(("id" = TeamId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 202, body = RunSummary), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn run(
    State(teams): State<TeamsContext>,
    caller: Scoped<can::StartRuns>,
    Path(team): Path<TeamId>,
    id: CreationId<RunId>,
    Valid(asked): Valid<RunTeam>,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&teams.ids);
    let row = commands::run(&teams, scope, user, team, id, asked).await?;
    let run = runs::summary(&teams.runs, row).await?;
    Ok((StatusCode::ACCEPTED, Json(run)))
}

async fn one(teams: &TeamsContext, scope: WorkspaceScope, row: team::Model) -> ApiResult<Team> {
    let mut all = shown(teams, scope, vec![row]).await?;
    all.pop().ok_or_else(|| ApiError::not_found("team"))
}

async fn shown(
    teams: &TeamsContext,
    scope: WorkspaceScope,
    rows: Vec<team::Model>,
) -> ApiResult<Vec<Team>> {
    let db = teams.db.read();
    let ids: Vec<TeamId> = rows.iter().map(|row| row.id).collect();
    let seats = store::members(db, &ids).await?;
    let agents = claws::find_some(db, scope, seats.iter().map(|seat| seat.agent_id)).await?;
    let agents: HashMap<_, _> = agents.into_iter().map(|claw| (claw.id, claw)).collect();
    let states = claws::states(db, scope, agents.keys().copied()).await?;
    let last_runs = runs::last_of_teams(db, scope, &ids).await?;
    let mut last_runs: HashMap<_, _> = last_runs
        .into_iter()
        .filter_map(|run| Some((run.team_id?, RunBrief::from(run))))
        .collect();
    let people = rows.iter().map(|row| row.created_by).collect::<Vec<_>>();
    let users = auth::users_by_id(db, people).await?;
    let mut shown = Vec::with_capacity(rows.len());
    for row in rows {
        let settings = of_team(db, scope, &row).await?;
        let graph: Graph = serde_json::from_str(&row.topology).map_err(ApiError::internal)?;
        let members = seats
            .iter()
            .filter(|seat| seat.team_id == row.id)
            .map(|seat| {
                let agent = agents
                    .get(&seat.agent_id)
                    .filter(|claw| claw.deleted_at.is_none());
                TeamMember {
                    node: seat.node.clone(),
                    slot: seat.slot.clone(),
                    agent_id: seat.agent_id,
                    name: agent.map(|claw| claw.name.clone()),
                    status: agent.and_then(|claw| states.get(&claw.id).copied()),
                    model_binding: agent.and_then(|claw| claw.model_binding.clone()),
                }
            });
        let repo = match row.repo_id {
            Some(repo_id) => Some(TeamRepository {
                repo_id,
                full_name: repos::upstream(db, scope, repo_id)
                    .await?
                    .map(|repo| repo.full_name),
                base: row.repo_base,
            }),
            None => None,
        };
        let created_by = users.iter().find(|user| user.id == row.created_by);
        shown.push(Team {
            id: row.id,
            state: TeamState::from_stored(&row.state),
            risk_profile: row.risk_profile.as_deref().and_then(Profile::parse),
            mcp_bundles: Bundle::from_stored(&row.mcp_bundles).into_iter().collect(),
            effective_profile: settings.profile,
            effective_bundles: settings.bundles,
            lifecycle: Lifecycle::from_stored(&row.lifecycle),
            template_id: row.template_id,
            template_version: row.template_version,
            shared_sandbox: row.shared_sandbox,
            layout: topology::layout(&graph),
            steps: topology::expected(&graph),
            topology: graph,
            members: members.collect(),
            created_by: created_by.cloned().map(UserBrief::from),
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
            name: row.name,
            description: row.description,
            model_binding: row.model_binding,
            machine_id: row.machine_id,
            image: row.image,
            effective_image: settings.image,
            limits: settings.limits,
            repo,
            last_run: last_runs.remove(&row.id),
        });
    }
    Ok(shown)
}
