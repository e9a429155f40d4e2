//! The skills of an agent over HTTP.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::skills::{EffectiveSet, EffectiveSkill, Role, Source, Why};
use roost_platform::ids::{SkillId, TemplateId};

/// A skill that an agent has.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClawSkill {
    pub id: SkillId,
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub version: i64,
    /// Whether the skill's text is in the agent's context. The agent can read the text of other skills with a tool.
    pub pin_in_context: bool,
    pub order_idx: i32,
    /// Why the agent has it.
    pub source: Source,
    /// The built-in skill that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_place_of: Option<SkillId>,
}

/// A skill that is assigned to an agent but not given to it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkippedSkill {
    pub name: String,
    pub why: Why,
}

/// The skills of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClawSkills {
    /// In their order.
    pub items: Vec<ClawSkill>,
    /// Skills that the agent's role or its choices name, but that the agent does not get.
    pub skipped: Vec<SkippedSkill>,
    /// How many of those do not exist.
    pub missing: usize,
    /// The role that gives the default skills. Absent when the agent was not created from a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Choices for this agent only.
    pub overrides: Vec<SkillOverride>,
}

/// A choice for one agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillOverride {
    pub skill_id: SkillId,
    pub include: bool,
}

impl From<EffectiveSkill> for ClawSkill {
    fn from(skill: EffectiveSkill) -> Self {
        Self {
            id: skill.id,
            name: skill.name,
            title: skill.title,
            when_to_use: skill.when_to_use,
            version: skill.version,
            pin_in_context: skill.pinned,
            order_idx: skill.order,
            source: skill.source,
            in_place_of: skill.in_place_of,
        }
    }
}

impl ClawSkills {
    pub(super) fn new(set: EffectiveSet, overrides: Vec<SkillOverride>) -> Self {
        let skipped = set.skipped.into_iter();
        let skipped: Vec<SkippedSkill> = skipped
            .map(|(name, why)| SkippedSkill { name, why })
            .collect();
        Self {
            items: set.items.into_iter().map(ClawSkill::from).collect(),
            missing: skipped
                .iter()
                .filter(|one| one.why != Why::Excluded)
                .count(),
            skipped,
            role: set.role,
            overrides,
        }
    }
}

/// Another role than the agent's own, to preview its skills.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RoleQuery {
    /// A template, in its newest version. Requires `role_slot`.
    pub template_id: Option<TemplateId>,
    /// A role of that template. Requires `template_id`.
    pub role_slot: Option<String>,
}
