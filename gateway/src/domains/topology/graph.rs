//! A topology as people see and edit it: nodes, edges, a kind. Whether it makes sense is decided in `check`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Laps that a hub may be given at most.
pub const MAX_LAPS: u32 = 10;
/// Experts that may be asked at once at most.
pub const MAX_EXPERTS: u32 = 50;
/// Teams that can be compared at least.
pub const MIN_CANDIDATES: usize = 2;
/// Teams that can be compared at most.
pub const MAX_CANDIDATES: usize = 8;

/// Who works with whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyGraph)]
pub struct Graph {
    pub kind: Kind,
    #[schema(max_items = 200)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub edges: Vec<Edge>,
    #[serde(default)]
    pub settings: Settings,
}

impl Graph {
    /// The node of this id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }
}

/// How the nodes of a graph work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyKind)]
pub enum Kind {
    /// One node works.
    Single,
    /// One after the other; each sees all that came before.
    Pipeline,
    /// A hub plans, spokes work side by side, the hub merges.
    HubSpoke,
    /// Leads hand work down a tree and report up.
    Hierarchical,
    /// A gate scores experts, the best answer, a hub merges.
    StarMoe,
    /// Teams do the same side by side, and may be judged. Of a comparison; no team is of this kind.
    Compare,
}

impl Kind {
    /// Every kind that a team can be of.
    pub const ALL: [Self; 5] = [
        Self::Single,
        Self::Pipeline,
        Self::HubSpoke,
        Self::Hierarchical,
        Self::StarMoe,
    ];

    /// As it is written in JSON and on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Pipeline => "pipeline",
            Self::HubSpoke => "hub_spoke",
            Self::Hierarchical => "hierarchical",
            Self::StarMoe => "star_moe",
            Self::Compare => "compare",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            format!("{text:?} is no kind of topology; there are {known}")
        })
    }
}

/// One that works, or a structure below that does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyNode)]
pub struct Node {
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub id: String,
    #[serde(default)]
    pub kind: NodeKind,
    /// Shown to people and to colleagues; the id where it is empty.
    #[serde(default)]
    #[schema(max_length = 120)]
    pub label: String,
    /// The slot of the template's role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    #[serde(default)]
    pub attributes: Attributes,
}

impl Node {
    /// How colleagues and people read its name.
    pub fn name(&self) -> &str {
        match self.label.trim() {
            "" => &self.id,
            label => label,
        }
    }
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyNodeKind)]
pub enum NodeKind {
    #[default]
    Agent,
    Team,
    Company,
    /// A child run of its own.
    Run,
}

/// A node's part in its kind, where the edges do not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologySeat)]
pub enum Seat {
    /// Hands out and merges; merges in a star_moe.
    Hub,
    /// Scores the experts.
    Gate,
    Expert,
    Spoke,
    /// Has others below.
    Lead,
    Member,
}

/// What a node is bound to; empty before a team is staffed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyAttributes)]
pub struct Attributes {
    /// The agent that works here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Uuid>,
    /// The team whose topology runs here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Uuid>,
    /// The company whose topology runs here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Uuid>,
    /// Another kind than the team's own, for the same agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Kind>,
    /// A model for this node alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// The machine where its sandbox is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub machine: Option<String>,
}

/// A permission: `from` may hand work or words to `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyEdge)]
pub struct Edge {
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub kind: EdgeKind,
}

/// What goes along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyEdgeKind)]
pub enum EdgeKind {
    /// Work goes down, reports go up.
    #[default]
    Parent,
    /// The two may talk; decides nothing about who works when.
    Peer,
    /// Outputs go on.
    Flow,
}

/// What of a kind can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = TopologySettings)]
pub struct Settings {
    /// How often a hub may hand out work, the first time counted.
    #[schema(minimum = 1, maximum = 10)]
    pub max_laps: u32,
    /// How many experts answer.
    #[schema(minimum = 1, maximum = 50)]
    pub experts: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_laps: 2,
            experts: 2,
        }
    }
}
