//! What the client sends for the people, models, skills, templates, connections and plans of a workspace. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Serialize;

use super::names::*;

#[derive(Serialize)]
pub struct ModelChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

#[derive(Serialize, serde::Deserialize)]
pub struct ModelPrice {
    pub input_microusd: u64,
    pub output_microusd: u64,
}

#[derive(Serialize)]
pub struct NewConnection {
    #[serde(rename = "clawId")]
    pub claw_id: ClawId,
    pub provider: String,
    pub secret: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[derive(Serialize)]
pub struct NewInvitation {
    pub role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_days: Option<u32>,
}

#[derive(Serialize)]
pub struct NewLimitsOfPlan {
    pub agents: u64,
    pub live_containers: u64,
    pub workspaces: u64,
}

#[derive(Serialize)]
pub struct NewModel {
    pub provider: ModelProvider,
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

#[derive(Serialize)]
pub struct NewRole {
    pub role: Role,
}

#[derive(Serialize)]
pub struct NewTemplate {
    pub key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<TemplateCategory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_topology: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_bundles: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<SandboxNeed>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<TemplateRole>>,
}

#[derive(Serialize)]
pub struct OAuthStart {
    #[serde(rename = "clawId")]
    pub claw_id: ClawId,
    pub provider: String,
    #[serde(rename = "authType")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_type: Option<String>,
    #[serde(rename = "issuerUrl")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer_url: Option<String>,
}

#[derive(Serialize)]
pub struct SetPlacement {
    pub target: PlacementTarget,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
}

#[derive(Serialize)]
pub struct SkillText {
    pub title: String,
    pub when_to_use: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    pub body: String,
}

#[derive(Serialize, serde::Deserialize)]
pub struct TemplateContent {
    pub name: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<TemplateCategory>,
    pub stack: String,
    pub default_topology: String,
    pub risk_profile: String,
    pub mcp_bundles: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<SandboxNeed>>,
    pub roles: Vec<TemplateRole>,
}

#[derive(Serialize, serde::Deserialize)]
pub struct TemplateRole {
    pub slot: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    pub system_prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brain_seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_reject: Option<TopologyOnReject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_to: Option<String>,
}

#[derive(Serialize)]
pub struct UpgradeRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_ids: Option<Vec<ClawId>>,
}
