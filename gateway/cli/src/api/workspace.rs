//! What the client reads of the people, models, skills, templates, connections, plans and the placement of a workspace. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::answers::{SandboxLack, UserBrief};
use super::names::*;
use super::strings::Moment;
use super::workspace_requests::*;

#[derive(Deserialize)]
pub struct AppConnection {
    pub id: AppConnectionId,
    pub provider: String,
    pub auth_type: String,
    pub agent_id: Option<ClawId>,
    pub state: AppConnectionState,
    pub connected_at: Moment,
    pub expires_at: Option<Moment>,
}

#[derive(Deserialize)]
pub struct AppOptions {
    pub providers: Vec<String>,
    pub oauth: bool,
    pub mcp_oauth: bool,
    pub missing: Vec<String>,
}

#[derive(Deserialize)]
pub struct FreshInvitation {
    pub link: String,
    pub role: Role,
    pub expires_at: Moment,
}

#[derive(Deserialize)]
pub struct Invitation {
    pub id: InvitationId,
    pub role: Role,
    pub email: Option<String>,
    pub expires_at: Moment,
}

#[derive(Deserialize)]
pub struct KeptAgent {
    pub name: String,
    pub why: String,
}

#[derive(Deserialize)]
pub struct Member {
    pub user: UserBrief,
    pub role: Role,
    pub joined_at: Moment,
    pub you: bool,
}

#[derive(Deserialize)]
pub struct MissingSkill {
    pub slot: String,
    pub name: String,
}

#[derive(Deserialize)]
pub struct ModelBinding {
    pub id: ModelId,
    pub name: String,
    pub model: String,
    pub base_url: String,
    pub has_key: bool,
    pub window_tokens: u32,
    pub price: Option<ModelPrice>,
    pub is_default: bool,
}

#[derive(Deserialize)]
pub struct ModelTried {
    pub ok: bool,
    pub latency_ms: u64,
    pub text: String,
    pub error: Option<String>,
}

#[derive(Deserialize)]
pub struct Models {
    pub items: Vec<ModelBinding>,
}

#[derive(Deserialize)]
pub struct OAuthStarted {
    pub authorize_url: String,
}

#[derive(Deserialize)]
pub struct Placement {
    pub node_id: Option<NodeId>,
}

#[derive(Deserialize)]
pub struct PlanLimits {
    pub name: String,
    pub agents: u64,
    pub live_containers: u64,
    pub workspaces: u64,
}

#[derive(Deserialize)]
pub struct PlanList {
    pub items: Vec<PlanLimits>,
    pub default: String,
}

#[derive(Deserialize)]
pub struct Skill {
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub tags: Vec<String>,
    pub current_version: i64,
    pub body: String,
}

#[derive(Deserialize)]
pub struct SkillBrief {
    pub id: SkillId,
    pub name: String,
    pub title: String,
    pub tags: Vec<String>,
    pub foundation: bool,
    pub current_version: i64,
    pub updated_at: Moment,
}

#[derive(Deserialize)]
pub struct TeamTemplate {
    pub id: TemplateId,
    pub key: String,
    pub name: String,
    pub description: String,
    pub category: TemplateCategory,
    pub stack: String,
    pub default_topology: String,
    pub risk_profile: String,
    pub mcp_bundles: Vec<String>,
    pub image: TemplateImage,
    pub needs: Vec<SandboxNeed>,
    pub source: TemplateSource,
    pub version: i64,
    pub roles: Vec<TemplateRole>,
    pub missing_skills: Vec<MissingSkill>,
}

#[derive(Deserialize)]
pub struct TeamTemplateBrief {
    pub id: TemplateId,
    pub key: String,
    pub category: TemplateCategory,
    pub default_topology: String,
    pub risk_profile: String,
    pub image: TemplateImage,
    pub source: TemplateSource,
    pub version: i64,
    pub name: String,
}

#[derive(Deserialize)]
pub struct TemplateImage {
    pub kind: Option<String>,
    pub lacks: Vec<SandboxLack>,
}

#[derive(Deserialize)]
pub struct TemplateVersion {
    pub content: TemplateContent,
}

#[derive(Deserialize)]
pub struct UpgradeReport {
    pub version: i64,
    pub upgraded: Vec<UpgradedAgent>,
    pub kept: Vec<KeptAgent>,
}

#[derive(Deserialize)]
pub struct UpgradedAgent {
    pub name: String,
    pub from_version: i64,
}
