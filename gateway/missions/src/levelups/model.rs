//! Proposals and their items: states, kinds, the stored form, and the decision about a decision. Pure code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_execution::tools::Bundle;
use roost_platform::ids::{ClawId, RunId, SkillId};

/// The maximum number of pending proposals in a workspace. It limits the size of the list.
pub const MOST_PENDING: u64 = 100;
/// How many decided proposals of an agent or a team are kept.
pub const KEPT_DECIDED: u64 = 50;
/// The maximum number of items in a proposal.
pub const MOST_ITEMS: usize = 20;

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LevelUpStatus)]
pub enum Status {
    /// A person has not decided yet.
    Pending,
    /// The approved items were applied.
    Applied,
    /// A person rejected it. Nothing was applied.
    Rejected,
}

impl Status {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::Rejected => "rejected",
        }
    }

    /// Parses the stored value. An unknown value of a newer gateway counts as decided.
    pub fn from_stored(word: &str) -> Self {
        [Self::Pending, Self::Applied]
            .into_iter()
            .find(|status| status.as_str() == word)
            .unwrap_or(Self::Rejected)
    }

    /// The version for pages: a decision raises it once.
    pub fn version(self) -> i64 {
        match self {
            Self::Pending => 1,
            Self::Applied | Self::Rejected => 2,
        }
    }
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LevelUpItemKind)]
pub enum Kind {
    /// Replaces the agent's system prompt.
    IdentityRefinement,
    /// Adds a skill of the catalogue to the agent.
    SkillAdd,
    /// Creates a skill of the workspace.
    SkillCandidate,
    /// Replaces the agent's brain, as a new version.
    BrainConsolidation,
    /// A change of a team's roles. A person makes it.
    RosterChange,
    /// A change of an agent's or a team's tools. A person makes it.
    McpBundleChange,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::IdentityRefinement,
        Self::SkillAdd,
        Self::SkillCandidate,
        Self::BrainConsolidation,
        Self::RosterChange,
        Self::McpBundleChange,
    ];

    /// Its word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IdentityRefinement => "identity_refinement",
            Self::SkillAdd => "skill_add",
            Self::SkillCandidate => "skill_candidate",
            Self::BrainConsolidation => "brain_consolidation",
            Self::RosterChange => "roster_change",
            Self::McpBundleChange => "mcp_bundle_change",
        }
    }

    /// Finds a kind by its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The gateway never applies it: a person makes the change.
    pub fn needs_human(self) -> bool {
        matches!(self, Self::RosterChange | Self::McpBundleChange)
    }

    /// It changes one agent, which the item names.
    pub fn is_of_agent(self) -> bool {
        !self.needs_human()
    }
}

/// A passage that supports an item. The gateway found it in what it gave the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpEvidence)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// The run, for evidence of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_title: Option<String>,
    /// The run's outcome: accepted, rejected or undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The step of the run, when the passage is from one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lap: Option<i32>,
    /// The agent whose text or step it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    /// The passage, word for word.
    pub excerpt: String,
}

/// Where a passage is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LevelUpEvidenceKind)]
pub enum EvidenceKind {
    Run,
    SystemPrompt,
    Brain,
    /// The list of roles, profiles and tools.
    Roster,
}

/// A new skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpSkill)]
pub struct Candidate {
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    pub tags: Vec<String>,
    /// Markdown.
    pub body: String,
}

/// A change of a team's roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpRosterChange)]
pub struct RosterChange {
    pub action: RosterAction,
    pub slot: String,
    /// What to do, for the person who does it.
    pub detail: String,
}

/// What happens to a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LevelUpRosterAction)]
pub enum RosterAction {
    Add,
    Remove,
    Change,
}

/// A change of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpBundleChange)]
pub struct BundleChange {
    pub before: BTreeSet<Bundle>,
    pub after: BTreeSet<Bundle>,
}

/// One improvement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpItem)]
pub struct Item {
    /// Unique in the proposal: `i1`, `i2` …
    pub id: String,
    pub kind: Kind,
    /// The agent that it changes. For a skill candidate, the agent that showed it. Absent for a change of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    pub summary: String,
    pub rationale: String,
    /// At least one passage.
    pub evidence: Vec<Evidence>,
    /// The gateway never applies it. An approval is recorded, and a person makes the change.
    pub needs_human: bool,
    /// The text that is replaced, as it was when the proposal was made. Absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The text that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// For a brain: the version that is replaced; 0 when nothing was written yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_version: Option<i64>,
    /// The skill that is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<SkillId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_name: Option<String>,
    /// The skill that is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<Candidate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roster: Option<RosterChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundles: Option<BundleChange>,
}

/// An item of the model's answer that is not in the proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpDropped)]
pub struct Dropped {
    pub kind: Kind,
    pub summary: String,
    /// Why it is not offered.
    pub reason: String,
}

/// What the model was asked with, and what it used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpBasis)]
pub struct Basis {
    /// The runs that the model read, newest first.
    pub runs: Vec<RunId>,
    pub accepted: u32,
    pub rejected: u32,
    pub undecided: u32,
    /// The agents whose prompts and brains the model read.
    pub agents: Vec<ClawId>,
    /// A script answered, no model.
    pub scripted: bool,
    /// The first answer did not have the form, and the model corrected it.
    pub repaired: bool,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar. Absent when the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
}

/// The content of a proposal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpPayload)]
pub struct Payload {
    /// What the model says about the agent or the team.
    pub summary: String,
    pub items: Vec<Item>,
    /// What the gateway took out of the model's answer, with the reasons.
    pub dropped: Vec<Dropped>,
    pub basis: Basis,
    /// The approved items that a person has to make.
    pub for_a_person: Vec<String>,
}

/// An item in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpItemBrief)]
pub struct ItemBrief {
    pub id: String,
    pub kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    pub summary: String,
}

/// What a list shows of a payload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LevelUpOutline)]
pub struct Outline {
    pub items: Vec<ItemBrief>,
    /// The agents whose prompts and brains the model read.
    pub agents: Vec<ClawId>,
}

impl Payload {
    /// What lists show.
    pub fn outline(&self) -> Outline {
        let brief = |item: &Item| ItemBrief {
            id: item.id.clone(),
            kind: item.kind,
            agent_id: item.agent_id,
            summary: item.summary.clone(),
        };
        Outline {
            items: self.items.iter().map(brief).collect(),
            agents: self.basis.agents.clone(),
        }
    }

    /// The items with these ids, in the order of the payload.
    ///
    /// # Errors
    /// The places of the ids that no item has.
    pub fn approved(&self, ids: &[String]) -> Result<Vec<&Item>, Vec<usize>> {
        let is_there = |id: &String| self.items.iter().any(|item| item.id == *id);
        let unknown: Vec<usize> = (0..ids.len()).filter(|n| !is_there(&ids[*n])).collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        Ok(self
            .items
            .iter()
            .filter(|item| ids.contains(&item.id))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str) -> Item {
        Item {
            id: id.to_owned(),
            kind: Kind::SkillAdd,
            agent_id: None,
            agent_name: None,
            summary: format!("about {id}"),
            rationale: String::new(),
            evidence: Vec::new(),
            needs_human: false,
            before: None,
            after: None,
            base_version: None,
            skill_id: None,
            skill_name: None,
            skill: None,
            roster: None,
            bundles: None,
        }
    }

    #[test]
    fn approved_items_come_in_the_order_of_the_payload_and_once() {
        let payload = Payload {
            items: vec![item("i1"), item("i2"), item("i3")],
            ..Payload::default()
        };
        let ids = ["i3", "i1", "i3"].map(str::to_owned);
        let found = payload.approved(&ids).unwrap();
        let found: Vec<&str> = found.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(found, ["i1", "i3"]);
        let ids = ["i1", "i9", ""].map(str::to_owned);
        assert_eq!(payload.approved(&ids), Err(vec![1, 2]));
    }

    #[test]
    fn words_of_kinds_and_statuses_are_those_of_the_specification() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::json!(kind), kind.as_str());
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        for status in [Status::Pending, Status::Applied, Status::Rejected] {
            assert_eq!(Status::from_stored(status.as_str()), status);
        }
        assert_eq!(Status::from_stored("of-a-newer-gateway"), Status::Rejected);
    }

    #[test]
    fn only_roster_and_tools_need_a_person() {
        let human: Vec<&str> = Kind::ALL
            .into_iter()
            .filter(|kind| kind.needs_human())
            .map(Kind::as_str)
            .collect();
        assert_eq!(human, ["roster_change", "mcp_bundle_change"]);
    }

    #[test]
    fn an_outline_has_no_texts() {
        let payload = Payload {
            items: vec![Item {
                before: Some("secret".to_owned()),
                ..item("i1")
            }],
            ..Payload::default()
        };
        let outline = serde_json::to_string(&payload.outline()).unwrap();
        assert!(outline.contains("about i1") && !outline.contains("secret"));
    }
}
