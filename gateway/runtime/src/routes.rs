//! `/api/claws/{id}/runtime-config` and `/compartments`.

use axum::Json;
use axum::extract::State;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::Agents;
use super::dto::{
    Body, Compartments, Identity, Memory, OfferedTool, Permissions, RuntimeConfig, SkillBrief,
};
use roost_agents::claws::runtime_record::{self, BUILT_IN};
use roost_agents::claws::{self, ClawRow, brain};
use roost_connections::apps;
use roost_execution::tools::{self, Bundle, Profile};
use roost_execution::topology::Graph;
use roost_machines::sandboxes;
use roost_organisation::agent_skills;
use roost_organisation::teams;
use roost_organisation::templates;
use roost_platform::events::AgentState;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Path;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<Agents> {
    OpenApiRouter::new()
        .routes(routes!(runtime_config))
        .routes(routes!(compartments))
}

/// Shows an agent's runtime configuration.
/// It has the agent's model, the runtime's record of the agent, and what a step of its team may use.
#[utoipa::path(get, path = "/api/claws/{id}/runtime-config", tag = "claws", operation_id = "runtime_config",
    params(("id" = ClawId, Path)),
    responses((status = 200, body = RuntimeConfig), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn runtime_config(
    State(agents): State<Agents>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Json<RuntimeConfig>> {
    let (db, scope) = (agents.db.read(), caller.scope());
    let claw = agent(&agents, scope, id).await?;
    let settings = teams::effective_settings(db, scope, id, None).await?;
    let record = runtime_record::get(db, scope, id).await?;
    let link = templates::link::of(db, scope, id).await?;
    let binding = claw.model_binding.as_deref().or(settings.model.as_deref());
    let model = agents.models.resolve(scope, binding).await;
    let words = record.as_ref().map(|record| record.mcp_bundles.as_str());
    let words: Vec<String> = serde_json::from_str(words.unwrap_or("[]")).unwrap_or_default();
    let offered = tools::offered(settings.profile, &settings.bundles);
    Ok(Json(RuntimeConfig {
        agent_id: id,
        runtime: record
            .as_ref()
            .map_or_else(|| BUILT_IN.to_owned(), |record| record.runtime.clone()),
        model: model.ok().map(|model| model.name),
        model_binding: claw.model_binding,
        record_profile: record
            .and_then(|record| Profile::parse(&record.risk_profile))
            .unwrap_or(Profile::Toolfree),
        record_bundles: words
            .iter()
            .filter_map(|word| Bundle::parse(word))
            .collect(),
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
        team_id: settings.team,
        workbench_agent_id: settings.workbench.filter(|workbench| *workbench != id),
        template_id: link.as_ref().map(|link| link.template_id),
        template_version: link.as_ref().map(|link| link.template_version),
        role_slot: link.map(|link| link.role_slot),
    }))
}

/// Shows an agent's parts: its identity, memory, skills, tools, apps, sandbox and seats.
#[utoipa::path(get, path = "/api/claws/{id}/compartments", tag = "claws", operation_id = "compartments",
    params(("id" = ClawId, Path)),
    responses((status = 200, body = Compartments), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn compartments(
    State(agents): State<Agents>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Json<Compartments>> {
    let (db, scope) = (agents.db.read(), caller.scope());
    let claw = agent(&agents, scope, id).await?;
    let settings = teams::effective_settings(db, scope, id, None).await?;
    let brain = brain::newest(db, scope, id).await?;
    let skills = agent_skills::effective(db, scope, id).await?;
    let sandbox = sandboxes::current(db, scope, id).await?;
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
        seats: seats(&agents, scope, id).await?,
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
