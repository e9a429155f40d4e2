//! `/api/claws/{id}/runtime-config`, `/run` and `/compartments`.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{
    Body, Compartments, Identity, Memory, OfferedTool, Permissions, RunAgent, RuntimeConfig,
    RuntimeConfigChange, SkillBrief,
};
use super::{Agents, RuntimeContext, commands};
use roost_agents::claws::{self, ClawRow, brain, runtime_record};
use roost_connections::apps;
use roost_execution::runs::{self, RunSummary};
use roost_execution::tools::{self, Bundle, Profile};
use roost_execution::topology::Graph;
use roost_machines::sandboxes::{self, NewLimits};
use roost_organisation::agent_skills;
use roost_organisation::teams;
use roost_organisation::templates;
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, RunId};
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Valid};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<RuntimeContext> {
    OpenApiRouter::new()
        .routes(routes!(runtime_config, configure))
        .routes(routes!(run))
        .routes(routes!(compartments))
}

/// Shows an agent's runtime configuration.
/// It has the agent's model, the runtime's record of the agent, and what a step of its team may use.
#[utoipa::path(get, path = "/api/claws/{id}/runtime-config", tag = "claws", operation_id = "runtime_config",
    params(("id" = ClawId, Path)),
    responses((status = 200, body = RuntimeConfig), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn runtime_config(
    State(state): State<RuntimeContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Json<RuntimeConfig>> {
    Ok(Json(shown(&state.agents, caller.scope(), id).await?))
}

/// Changes the model, the profile, the bundles, the image or the limits of an agent.
/// The team and its template add to the bundles, and the team's or the template's profile goes before the agent's own.
#[utoipa::path(patch, path = "/api/claws/{id}/runtime-config", tag = "claws", operation_id = "configure_claw",
    request_body = RuntimeConfigChange,
    params(("id" = ClawId, Path), ("If-Match" = Option<String>, Header, description = "the version that was seen")),
    responses((status = 200, body = RuntimeConfig), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn configure(
    State(state): State<RuntimeContext>,
    caller: Scoped<can::ManageTeams>,
    Path(id): Path<ClawId>,
    headers: HeaderMap,
    Valid(change): Valid<RuntimeConfigChange>,
) -> ApiResult<Json<RuntimeConfig>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let seen = if_match(&headers)?;
    commands::configure(&state, scope, user, id, seen, change).await?;
    Ok(Json(shown(&state.agents, scope, id).await?))
}

/// Gives work to one agent, as a durable run of one step.
/// The agent works with its record's model and permissions. When it sits in a team, it works with those of its team, in
/// the sandbox of its team.
#[utoipa::path(post, path = "/api/claws/{id}/run", tag = "claws", operation_id = "run_claw", request_body = RunAgent,
    params(("id" = ClawId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 202, body = RunSummary), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn run(
    State(state): State<RuntimeContext>,
    caller: Scoped<can::StartRuns>,
    Path(agent): Path<ClawId>,
    id: CreationId<RunId>,
    Valid(asked): Valid<RunAgent>,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&state.agents.ids);
    let row = commands::run(&state, scope, user, agent, id, asked).await?;
    let run = runs::summary(&state.runs, row).await?;
    Ok((StatusCode::ACCEPTED, Json(run)))
}

async fn shown(agents: &Agents, scope: WorkspaceScope, id: ClawId) -> ApiResult<RuntimeConfig> {
    let db = agents.db.read();
    let claw = agent(agents, scope, id).await?;
    let settings = teams::effective_settings(db, scope, id, None).await?;
    let record = runtime_record::get(db, scope, id)
        .await?
        .ok_or_else(|| ApiError::not_found("claw"))?;
    let link = templates::link::of(db, scope, id).await?;
    let binding = record.model.as_deref().or(settings.model.as_deref());
    let model = agents.models.resolve(scope, binding).await;
    let offered = tools::offered(settings.profile, &settings.bundles);
    let shared = settings.sandbox_of(id).team();
    Ok(RuntimeConfig {
        agent_id: id,
        version: claw.version,
        model: model.ok().map(|model| model.name),
        record_profile: Profile::parse(&record.risk_profile).unwrap_or(Profile::Toolfree),
        record_bundles: Bundle::from_stored(&record.mcp_bundles),
        runtime: record.runtime,
        model_binding: record.model,
        effective_profile: settings.profile,
        effective_bundles: settings.bundles,
        tools: offered
            .into_iter()
            .map(|tool| OfferedTool {
                name: tool.name.to_owned(),
                description: tool.description.to_owned(),
                bundle: tool.bundle,
                reads_only: tool.reads_only,
            })
            .collect(),
        image: record.image,
        effective_image: settings.image,
        limits: NewLimits::from_stored(record.limits.as_deref()),
        effective_limits: settings.limits,
        team_id: settings.team,
        sandbox_team_id: shared,
        template_id: link.as_ref().map(|link| link.template_id),
        template_version: link.as_ref().map(|link| link.template_version),
        role_slot: link.map(|link| link.role_slot),
    })
}

/// Shows an agent's parts: its identity, memory, skills, tools, apps, sandbox and seats.
#[utoipa::path(get, path = "/api/claws/{id}/compartments", tag = "claws", operation_id = "compartments",
    params(("id" = ClawId, Path)),
    responses((status = 200, body = Compartments), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn compartments(
    State(state): State<RuntimeContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Json<Compartments>> {
    let (agents, scope) = (&state.agents, caller.scope());
    let db = agents.db.read();
    let claw = agent(agents, scope, id).await?;
    let settings = teams::effective_settings(db, scope, id, None).await?;
    let brain = brain::newest(db, scope, id).await?;
    let skills = agent_skills::effective(db, scope, id).await?;
    let body = settings.sandbox_of(id);
    let sandbox = sandboxes::current(db, scope, body.id()).await?;
    let connected = apps::providers_of(db, scope, id).await?;
    let offered = tools::offered(settings.profile, &settings.bundles);
    let states = claws::states(db, scope, [id]).await?;
    Ok(Json(Compartments {
        agent_id: id,
        identity: Identity {
            status: states.get(&id).copied().unwrap_or(AgentState::Offline),
            prompt_words: claw
                .system_prompt
                .as_deref()
                .map_or(0, |text| text.split_whitespace().count()),
            name: claw.name,
            role: claw.role,
        },
        memory: Memory {
            version: brain.as_ref().map_or(0, |brain| brain.version),
            bytes: brain.map_or(0, |brain| brain.agent_md.len()),
        },
        skills: skills
            .into_iter()
            .map(|skill| SkillBrief {
                name: skill.name,
                title: skill.title,
                pinned: skill.pinned,
            })
            .collect(),
        tools: offered
            .into_iter()
            .map(|tool| tool.name.to_owned())
            .collect(),
        apps: connected,
        body: sandbox.map(|row| Body {
            sandbox_id: row.id,
            node_id: row.node_id,
            state: row.state,
        }),
        seats: seats(agents, scope, id).await?,
        at_work: claws::at_work(db, scope, id).await?,
    }))
}

async fn agent(agents: &Agents, scope: WorkspaceScope, id: ClawId) -> ApiResult<ClawRow> {
    let claw = claws::find(agents.db.read(), scope, id).await?;
    claw.filter(|claw| claw.deleted_at.is_none())
        .ok_or_else(|| ApiError::not_found("claw"))
}

async fn seats(agents: &Agents, scope: WorkspaceScope, id: ClawId) -> ApiResult<Vec<Permissions>> {
    let seats = teams::seats_of(agents.db.read(), scope, id).await?;
    let seats = seats.into_iter().filter_map(|(team, seat)| {
        let graph: Graph = serde_json::from_str(&team.topology).ok()?;
        Some(Permissions {
            team_id: team.id,
            team_name: team.name,
            topology: graph.kind,
            node: seat.node,
            slot: seat.slot,
        })
    });
    Ok(seats.collect())
}
