//! The events of working agents and of runs, with the exact fields of each on the wire (camelCase), and the mark of what
//! an event happened in.

use serde::Serialize;
use utoipa::ToSchema;

use super::{About, Event, WorldNodeId};
use crate::ids::ClawId;

/// The state of a part of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PartState {
    Done,
    Active,
    Pending,
}

/// A part of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TaskPart {
    pub label: String,
    pub state: PartState,
}

/// `agent.task.update`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentTaskUpdate {
    pub agent_id: ClawId,
    /// A run's step: `<run id>/<step>`.
    pub task_id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub elapsed_ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub steps: Vec<TaskPart>,
}

/// The channel of an agent's stream that a chunk belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    Think,
    Say,
    Tool,
}

/// `agent.reasoning.delta`: a chunk to append to the reasoning stream.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentReasoningDelta {
    pub agent_id: ClawId,
    pub text: String,
    /// `think` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = "think")]
    pub channel: Option<Channel>,
}

/// The app that a computer frame shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum App {
    Browser,
    Terminal,
    Slack,
    ClawChat,
}

/// The style of a line in a computer frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    Plain,
    Add,
    Del,
    Ok,
    Warn,
    Cursor,
}

/// A line of a computer frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FrameLine {
    pub text: String,
    /// `plain` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = "plain")]
    pub kind: Option<LineKind>,
}

/// `agent.computer.frame`: the content of an agent's screen.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentComputerFrame {
    pub agent_id: ClawId,
    pub app: App,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub lines: Vec<FrameLine>,
}

/// `agent.tool.call`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentToolCall {
    pub agent_id: ClawId,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `false` when absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false, default = false)]
    pub door_required: bool,
}

/// `world.touch`: an agent works with a node of the world view.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorldTouch {
    pub agent_id: ClawId,
    pub node_id: WorldNodeId,
    /// `service` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = "service")]
    pub kind: Option<super::ActivityKind>,
    /// 0 to 1; 1 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1, default = 1)]
    pub weight: Option<f64>,
}

/// The layout in which a topology is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Formation {
    Hierarchy,
    Flat,
    Live,
}

/// The level of a node in the world view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldTier {
    Org,
    Company,
    Team,
    Agent,
    Service,
    Event,
}

/// A node of a topology.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorldNode {
    pub id: WorldNodeId,
    pub tier: WorldTier,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<WorldNodeId>,
}

impl WorldNode {
    /// A node at the level that its id says.
    pub fn new(id: WorldNodeId, label: impl Into<String>, parent_id: Option<WorldNodeId>) -> Self {
        Self {
            tier: id.tier(),
            id,
            label: Some(label.into()),
            parent_id,
        }
    }
}

/// The meaning of an edge in a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldEdgeKind {
    Parent,
    Peer,
    Flow,
}

/// An edge of a topology.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorldEdge {
    pub from: WorldNodeId,
    pub to: WorldNodeId,
    /// `parent` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(default = "parent")]
    pub kind: Option<WorldEdgeKind>,
}

/// `topology.update`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyUpdate {
    pub formation: Formation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub nodes: Vec<WorldNode>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub edges: Vec<WorldEdge>,
}

/// `telemetry`: what the workspace uses now.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Telemetry {
    /// Tokens of the last minute, input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_min: Option<f64>,
    /// The last minute's cost, as USD per hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_hr: Option<f64>,
    /// The number of agents whose loops run now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doors_pending: Option<u64>,
}

/// An event with the run, the mission and the room that it happened in.
#[derive(Debug, Clone)]
pub struct Stamped {
    pub event: Event,
    pub about: About,
}

impl From<Event> for Stamped {
    fn from(event: Event) -> Self {
        event.about(About::default())
    }
}

impl Stamped {
    /// The same event, marked anew.
    pub fn of(self, about: About) -> Self {
        Self { about, ..self }
    }
}

impl Event {
    /// Marks what the event happened in, so that the filters of streams find it.
    pub fn about(self, about: About) -> Stamped {
        Stamped { event: self, about }
    }
}
