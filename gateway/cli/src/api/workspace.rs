//! What the client reads of people, models, skills and the placement of a workspace. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::answers::UserBrief;
use super::names::*;
use super::requests::ModelPrice;
use super::strings::Moment;

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
pub struct Member {
    pub user: UserBrief,
    pub role: Role,
    pub joined_at: Moment,
    pub you: bool,
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
pub struct Placement {
    pub node_id: Option<NodeId>,
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
