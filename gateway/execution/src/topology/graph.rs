//! A topology as people see and edit it: nodes, edges, a kind. The module `check` decides whether it is valid.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The maximum number of laps that a hub may have.
pub const MAX_LAPS: u32 = 10;
/// The maximum number of experts that may be asked at once.
pub const MAX_EXPERTS: u32 = 50;
/// The minimum number of teams in a comparison.
pub const MIN_CANDIDATES: usize = 2;
/// The maximum number of teams in a comparison.
pub const MAX_CANDIDATES: usize = 8;

/// A topology: its nodes, and the edges between them.
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
    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The same graph with this model in each node, whatever the agents are bound to.
    #[must_use]
    pub fn with_model(mut self, model: &str) -> Self {
        for node in &mut self.nodes {
            node.attributes.model = Some(model.to_owned());
        }
        self
    }

    /// The same graph with these instructions for the agent of a node.
    #[must_use]
    pub fn with_instructions(mut self, id: &str, instructions: &str) -> Self {
        for node in self.nodes.iter_mut().filter(|node| node.id == id) {
            node.attributes.instructions = Some(instructions.to_owned());
        }
        self
    }
}

/// How the nodes of a graph work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyKind)]
pub enum Kind {
    /// One node works.
    Single,
    /// The nodes work one after the other. Each sees all earlier outputs.
    Pipeline,
    /// A hub plans, spokes work in parallel, and the hub merges their outputs.
    HubSpoke,
    /// Leads hand work down a tree, and reports go up.
    Hierarchical,
    /// A gate scores experts, the best ones answer, and a hub merges their answers.
    StarMoe,
    /// Several teams work on the same input in parallel, and an agent may judge them. Only comparisons have this
    /// kind, not teams.
    Compare,
}

impl Kind {
    /// All kinds that a team can have.
    pub const ALL: [Self; 5] = [
        Self::Single,
        Self::Pipeline,
        Self::HubSpoke,
        Self::Hierarchical,
        Self::StarMoe,
    ];

    /// The value in JSON and on the command line.
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
            format!("{text:?} is not a kind of topology; the kinds are {known}")
        })
    }
}

/// A worker, or a structure that works, such as a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyNode)]
pub struct Node {
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub id: String,
    #[serde(default)]
    pub kind: NodeKind,
    /// The name that people and other agents see. The id is used when it is empty.
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
    /// The name that people and other agents see.
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
    /// A child run.
    Run,
    /// Commands that Roost runs itself, without an agent, in the sandbox of a mission. Only the phases of missions have
    /// such nodes.
    Commands,
}

/// A node's role in its kind, where the edges do not define it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologySeat)]
pub enum Seat {
    /// Hands out work and merges outputs. In a star_moe it only merges.
    Hub,
    /// Scores the experts.
    Gate,
    Expert,
    Spoke,
    /// Leads other nodes below it.
    Lead,
    Member,
}

/// What a node is bound to. Empty before a team is staffed.
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
    /// Commands that run in the agent's sandbox after it has handed over, one after the other. One that does not exit
    /// with 0 rejects the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub checks: Vec<String>,
    /// What a node of the kind `commands` runs, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100)]
    pub commands: Vec<Command>,
    /// What follows when this node rejects the work: its answer has a line `TEST_FAIL` or `REVIEW_BLOCK`, one of its
    /// checks fails, or the run that it stands for is rejected. Used by pipeline and hub_spoke. When it is absent, the next node goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_reject: Option<OnReject>,
    /// The node that the work goes back to. When it is absent: the first node of the line for `lap`, the node before this
    /// one for `hand_back`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub back_to: Option<String>,
    /// A model for this node only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub model: Option<String>,
    /// Instructions for the agent of this node, instead of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 20_000)]
    pub instructions: Option<String>,
    /// The machine for the node's sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub machine: Option<String>,
}

/// A command of a node of the kind `commands`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyCommand)]
pub struct Command {
    /// What it does, for people.
    #[schema(max_length = 120)]
    pub name: String,
    /// A script for `/bin/sh`, in the folder of the checkout. `$ROOST_BASE` is the commit that the run compares with.
    #[schema(max_length = 16000)]
    pub script: String,
    /// Seconds after which it is killed with all that it started.
    #[schema(minimum = 1, maximum = 14400)]
    pub deadline_s: u64,
    /// The next command runs although this one failed.
    #[serde(default)]
    pub may_fail: bool,
}

/// What a rejection leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyOnReject)]
pub enum OnReject {
    /// The run ends, with the rejection as its result.
    Stop,
    /// All work again, as far as `max_laps` allows.
    Lap,
    /// The work goes back to the one who did it, and comes forward again, as far as `max_laps` allows.
    HandBack,
}

impl OnReject {
    /// The value in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Lap => "lap",
            Self::HandBack => "hand_back",
        }
    }

    /// Parses a value from the database.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Stop, Self::Lap, Self::HandBack]
            .into_iter()
            .find(|action| action.as_str() == word)
    }
}

/// A permission: `from` may send work or messages to `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TopologyEdge)]
pub struct Edge {
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub kind: EdgeKind,
}

/// What an edge carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TopologyEdgeKind)]
pub enum EdgeKind {
    /// Work goes down, reports go up.
    #[default]
    Parent,
    /// The two nodes may talk. The edge does not decide the order of work.
    Peer,
    /// Outputs go to the next node.
    Flow,
}

/// The settings of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = TopologySettings)]
pub struct Settings {
    /// How often a hub may hand out work, and how often a node of a pipeline may get it when it is rejected, with the
    /// first time counted.
    #[schema(minimum = 1, maximum = 10)]
    pub max_laps: u32,
    /// The number of experts that answer.
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
