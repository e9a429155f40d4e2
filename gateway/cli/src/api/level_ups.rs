//! What the client reads of proposals that improve agents and teams. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::names::*;
use super::strings::Moment;

#[derive(Deserialize)]
pub struct LevelUpBasis {
    pub accepted: u32,
    pub rejected: u32,
    pub undecided: u32,
    pub repaired: bool,
}

#[derive(Deserialize)]
pub struct LevelUpBundleChange {
    pub before: Vec<ToolBundle>,
    pub after: Vec<ToolBundle>,
}

#[derive(Deserialize)]
pub struct LevelUpDropped {
    pub kind: LevelUpItemKind,
    pub summary: String,
    pub reason: String,
}

#[derive(Deserialize)]
pub struct LevelUpEvidence {
    pub kind: LevelUpEvidenceKind,
    pub run_id: Option<RunId>,
    pub outcome: Option<String>,
    pub step: Option<String>,
    pub excerpt: String,
}

#[derive(Deserialize)]
pub struct LevelUpItem {
    pub id: String,
    pub kind: LevelUpItemKind,
    pub agent_name: Option<String>,
    pub summary: String,
    pub rationale: String,
    pub evidence: Vec<LevelUpEvidence>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub skill_name: Option<String>,
    pub skill: Option<LevelUpSkill>,
    pub roster: Option<LevelUpRosterChange>,
    pub bundles: Option<LevelUpBundleChange>,
    pub needs_human: bool,
}

#[derive(Deserialize)]
pub struct LevelUpItemBrief {
    pub id: String,
}

#[derive(Deserialize)]
pub struct LevelUpMade {
    pub proposal_id: LevelUpId,
}

#[derive(Deserialize)]
pub struct LevelUpOutline {
    pub items: Vec<LevelUpItemBrief>,
}

#[derive(Deserialize)]
pub struct LevelUpPayload {
    pub summary: String,
    pub items: Vec<LevelUpItem>,
    pub dropped: Vec<LevelUpDropped>,
    pub basis: LevelUpBasis,
    pub for_a_person: Vec<String>,
}

#[derive(Deserialize)]
pub struct LevelUpProposal {
    pub id: LevelUpId,
    pub agent_id: Option<ClawId>,
    pub team_id: Option<TeamId>,
    pub status: LevelUpStatus,
    pub payload: LevelUpPayload,
    pub applied_items: Vec<String>,
    pub model: String,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct LevelUpProposalBrief {
    pub id: LevelUpId,
    pub agent_id: Option<ClawId>,
    pub team_id: Option<TeamId>,
    pub status: LevelUpStatus,
    pub payload: LevelUpOutline,
    pub model: String,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct LevelUpRosterChange {
    pub action: LevelUpRosterAction,
    pub slot: String,
    pub detail: String,
}

#[derive(Deserialize)]
pub struct LevelUpSkill {
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub body: String,
}
