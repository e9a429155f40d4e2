//! `/api/claws/{id}/skills`.

use axum::Json;
use axum::extract::State;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::AgentSkillsContext;
use super::dto::{ClawSkills, RoleQuery, SkillOverride};
use super::effective::set_of;
use crate::skills::{self, Role};
use crate::templates;
use roost_agents::claws;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<AgentSkillsContext> {
    OpenApiRouter::new().routes(routes!(of_claw))
}

/// Lists the skills of an agent: those of its role, with the choices for this agent. An exclusion wins.
/// With `template_id` and `role_slot`, the list shows the skills that the agent would have in that role.
#[utoipa::path(get, path = "/api/claws/{id}/skills", operation_id = "claw_skills", tag = "skills",
    params(("id" = ClawId, Path), RoleQuery),
    responses((status = 200, body = ClawSkills), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn of_claw(
    State(state): State<AgentSkillsContext>,
    caller: Scoped<can::ReadSkills>,
    Path(id): Path<ClawId>,
    Query(query): Query<RoleQuery>,
) -> ApiResult<Json<ClawSkills>> {
    let (db, scope) = (state.db.read(), caller.scope());
    let claw = claws::find(db, scope, id).await?;
    claw.ok_or_else(|| ApiError::not_found("claw"))?;
    let set = match requested_role(&state, scope, query).await? {
        Some(role) => skills::set_of(db, scope, id, Some(role)).await?,
        None => set_of(db, scope, id).await?,
    };
    let overrides = skills::choices_of(db, scope, id).await?;
    let overrides = overrides.into_iter().map(|row| SkillOverride {
        skill_id: row.skill_id,
        include: row.include,
    });
    Ok(Json(ClawSkills::new(set, overrides.collect())))
}

/// The requested role, if any.
async fn requested_role(
    state: &AgentSkillsContext,
    scope: WorkspaceScope,
    query: RoleQuery,
) -> ApiResult<Option<Role>> {
    let (template, slot) = match (query.template_id, query.role_slot) {
        (None, None) => return Ok(None),
        (Some(template), Some(slot)) => (template, slot),
        (Some(_), None) => {
            return Err(ApiError::validation(
                "role_slot",
                "is needed with template_id",
            ));
        }
        (None, Some(_)) => {
            return Err(ApiError::validation(
                "template_id",
                "is needed with role_slot",
            ));
        }
    };
    let found = templates::find(state.db.read(), scope, template)
        .await?
        .ok_or_else(|| ApiError::not_found("template"))?;
    if !found.roles.iter().any(|role| role.slot == slot) {
        return Err(ApiError::validation(
            "role_slot",
            "is not a role of the template",
        ));
    }
    Ok(Some(Role {
        template_id: template,
        template_version: found.row.version,
        role_slot: slot,
    }))
}
