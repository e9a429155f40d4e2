//! The routes of people, models, skills, templates, connections, plans and the placement that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

use http::Method;

use super::call::{Call, Nothing, Page, segment};
use super::types::*;

/// `GET /api/ops/plans`
#[must_use]
pub fn plans() -> Call<PlanList> {
    Call::new(Method::GET, "/api/ops/plans".to_owned())
}

/// `PUT /api/ops/plans/{name}`
#[must_use]
pub fn set_plan(name: &str, body: &NewLimitsOfPlan) -> Call<PlanLimits> {
    let mut call = Call::new(Method::PUT, format!("/api/ops/plans/{}", segment(name)));
    call.body(body);
    call
}

/// `GET /api/apps/connections`
#[must_use]
pub fn app_connections(agent_id: Option<&ClawId>, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<AppConnection>> {
    let mut call = Call::new(Method::GET, "/api/apps/connections".to_owned());
    call.query("agent_id", agent_id);
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/apps/connections`
#[must_use]
pub fn connect_app(body: &NewConnection) -> Call<AppConnection> {
    let mut call = Call::new(Method::POST, "/api/apps/connections".to_owned());
    call.body(body);
    call
}

/// `DELETE /api/apps/connections/{id}`
#[must_use]
pub fn disconnect_app(id: &AppConnectionId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/apps/connections/{}", segment(id)))
}

/// `GET /api/apps/options`
#[must_use]
pub fn app_options() -> Call<AppOptions> {
    Call::new(Method::GET, "/api/apps/options".to_owned())
}

/// `POST /api/apps/oauth/start`
#[must_use]
pub fn start_oauth(body: &OAuthStart) -> Call<OAuthStarted> {
    let mut call = Call::new(Method::POST, "/api/apps/oauth/start".to_owned());
    call.body(body);
    call
}

/// `GET /api/team-templates/{id}`
#[must_use]
pub fn team_template(id: &TemplateId) -> Call<TeamTemplate> {
    Call::new(Method::GET, format!("/api/team-templates/{}", segment(id)))
}

/// `GET /api/team-templates/{id}/versions/{version}`
#[must_use]
pub fn template_version(id: &TemplateId, version: &i64) -> Call<TemplateVersion> {
    Call::new(Method::GET, format!("/api/team-templates/{}/versions/{}", segment(id), segment(version)))
}

/// `POST /api/team-templates`
#[must_use]
pub fn create_template(body: &NewTemplate) -> Call<TeamTemplate> {
    let mut call = Call::new(Method::POST, "/api/team-templates".to_owned());
    call.body(body);
    call
}

/// `PUT /api/team-templates/{id}`
#[must_use]
pub fn change_template(id: &TemplateId, body: &TemplateContent) -> Call<TeamTemplate> {
    let mut call = Call::new(Method::PUT, format!("/api/team-templates/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/team-templates/{id}`
#[must_use]
pub fn delete_template(id: &TemplateId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/team-templates/{}", segment(id)))
}

/// `POST /api/team-templates/{id}/upgrade`
#[must_use]
pub fn upgrade_template(id: &TemplateId, body: &UpgradeRequest) -> Call<UpgradeReport> {
    let mut call = Call::new(Method::POST, format!("/api/team-templates/{}/upgrade", segment(id)));
    call.body(body);
    call
}

/// `GET /api/team-templates`
#[must_use]
pub fn team_templates(limit: Option<u64>, cursor: Option<&str>, category: Option<&TemplateCategory>) -> Call<Page<TeamTemplateBrief>> {
    let mut call = Call::new(Method::GET, "/api/team-templates".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call.query("category", category);
    call
}

/// `GET /api/workspaces/{id}/members`
#[must_use]
pub fn members(id: &WorkspaceId, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Member>> {
    let mut call = Call::new(Method::GET, format!("/api/workspaces/{}/members", segment(id)));
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `PATCH /api/workspaces/{id}/members/{user_id}`
#[must_use]
pub fn change_role(id: &WorkspaceId, user_id: &UserId, body: &NewRole) -> Call<Member> {
    let mut call = Call::new(Method::PATCH, format!("/api/workspaces/{}/members/{}", segment(id), segment(user_id)));
    call.body(body);
    call
}

/// `DELETE /api/workspaces/{id}/members/{user_id}`
#[must_use]
pub fn remove_member(id: &WorkspaceId, user_id: &UserId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/workspaces/{}/members/{}", segment(id), segment(user_id)))
}

/// `GET /api/workspaces/{id}/invitations`
#[must_use]
pub fn invitations(id: &WorkspaceId, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Invitation>> {
    let mut call = Call::new(Method::GET, format!("/api/workspaces/{}/invitations", segment(id)));
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/workspaces/{id}/invitations`
#[must_use]
pub fn invite(id: &WorkspaceId, body: &NewInvitation) -> Call<FreshInvitation> {
    let mut call = Call::new(Method::POST, format!("/api/workspaces/{}/invitations", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/workspaces/{id}/invitations/{invitation_id}`
#[must_use]
pub fn withdraw_invitation(id: &WorkspaceId, invitation_id: &InvitationId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/workspaces/{}/invitations/{}", segment(id), segment(invitation_id)))
}

/// `GET /api/models`
#[must_use]
pub fn models() -> Call<Models> {
    Call::new(Method::GET, "/api/models".to_owned())
}

/// `POST /api/models`
#[must_use]
pub fn add_model(body: &NewModel) -> Call<ModelBinding> {
    let mut call = Call::new(Method::POST, "/api/models".to_owned());
    call.body(body);
    call
}

/// `PATCH /api/models/{id}`
#[must_use]
pub fn change_model(id: &ModelId, body: &ModelChange) -> Call<ModelBinding> {
    let mut call = Call::new(Method::PATCH, format!("/api/models/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/models/{id}`
#[must_use]
pub fn remove_model(id: &ModelId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/models/{}", segment(id)))
}

/// `POST /api/models/{id}/try`
#[must_use]
pub fn try_model(id: &ModelId) -> Call<ModelTried> {
    Call::new(Method::POST, format!("/api/models/{}/try", segment(id)))
}

/// `GET /api/skills`
#[must_use]
pub fn skills(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<SkillBrief>> {
    let mut call = Call::new(Method::GET, "/api/skills".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/skills/{id}`
#[must_use]
pub fn skill(id: &SkillId) -> Call<Skill> {
    Call::new(Method::GET, format!("/api/skills/{}", segment(id)))
}

/// `POST /api/skills`
#[must_use]
pub fn create_skill(body: &NewSkill) -> Call<Skill> {
    let mut call = Call::new(Method::POST, "/api/skills".to_owned());
    call.body(body);
    call
}

/// `PUT /api/skills/{id}`
#[must_use]
pub fn change_skill(id: &SkillId, body: &SkillText) -> Call<Skill> {
    let mut call = Call::new(Method::PUT, format!("/api/skills/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/skills/{id}`
#[must_use]
pub fn delete_skill(id: &SkillId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/skills/{}", segment(id)))
}

/// `GET /api/fleet/placement`
#[must_use]
pub fn placement() -> Call<Placement> {
    Call::new(Method::GET, "/api/fleet/placement".to_owned())
}

/// `PUT /api/fleet/placement`
#[must_use]
pub fn set_placement(body: &SetPlacement) -> Call<Placement> {
    let mut call = Call::new(Method::PUT, "/api/fleet/placement".to_owned());
    call.body(body);
    call
}
