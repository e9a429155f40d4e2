//! The event types and the exact fields of each on the wire (camelCase).

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::work::{
    AgentComputerFrame, AgentReasoningDelta, AgentTaskUpdate, AgentToolCall, Telemetry,
    TopologyUpdate, WorldTouch,
};
use super::{AgentMessage, RoutineUpdate, WorldNodeId};
use crate::ids::{ClawId, DoorId, NodeId, TeamId};

/// Every event that the log can hold.
#[derive(Debug, Clone)]
pub enum Event {
    /// An agent's state changed.
    AgentStatus(AgentStatus),
    /// Activity on a node of the world view.
    NodeActivity(NodeActivity),
    /// A resource has a new version; a page refetches it.
    ResourceChanged(ResourceChanged),
    /// As `ResourceChanged`, but the change is a report that the next report replaces: a machine's figures, the progress of
    /// a mirror.
    Reported(ResourceChanged),
    /// A sandbox was created in another place than requested.
    PlacementFallback(PlacementFallback),
    /// An agent requests an action outside Roost.
    DoorRequest(DoorRequest),
    /// A door was approved or denied.
    DoorResolve(DoorResolve),
    /// An agent's progress with a task.
    AgentTaskUpdate(AgentTaskUpdate),
    /// A chunk of an agent's thoughts or words.
    AgentReasoningDelta(AgentReasoningDelta),
    /// The content of an agent's screen.
    AgentComputerFrame(AgentComputerFrame),
    /// An agent calls a tool.
    AgentToolCall(AgentToolCall),
    /// An agent works with a node of the world view.
    WorldTouch(WorldTouch),
    /// A topology was created or changed.
    TopologyUpdate(TopologyUpdate),
    /// What the workspace uses now.
    Telemetry(Telemetry),
    /// An agent writes to another one.
    AgentMessage(AgentMessage),
    /// A routine's progress or schedule.
    RoutineUpdate(RoutineUpdate),
}

/// What an agent does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentState {
    /// Has a running sandbox that was not used yet.
    Online,
    /// A step of a run or a command runs for it.
    Working,
    /// Has a sandbox in which nothing runs.
    Idle,
    /// Has no sandbox.
    Offline,
}

impl AgentState {
    /// The word in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Offline => "offline",
        }
    }

    /// Reads a word of the database; an unknown one is `Offline`.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "online" => Self::Online,
            "working" => Self::Working,
            "idle" => Self::Idle,
            _ => Self::Offline,
        }
    }
}

/// `agent.status`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStatus {
    pub agent_id: ClawId,
    pub status: AgentState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// Whether the activity belongs to a lasting service or is a single event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityKind {
    Service,
    Event,
}

/// `node.activity`: something happens at a node of the world view.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeActivity {
    pub node_id: WorldNodeId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActivityKind>,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub heat: Option<f64>,
}

impl NodeActivity {
    /// Activity on a machine; `None` is the gateway's host.
    pub fn on_machine(node: Option<NodeId>, label: impl Into<String>, heat: f64) -> Event {
        Event::NodeActivity(Self {
            node_id: WorldNodeId::Machine(node),
            label: Some(label.into()),
            kind: Some(ActivityKind::Event),
            heat: Some(heat.clamp(0.0, 1.0)),
        })
    }
}

/// The resources that pages cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    AppConnection,
    Door,
    Node,
    Claw,
    Sandbox,
    Placement,
    Quota,
    Workspace,
    RepoConnection,
    Repo,
    MeshNetwork,
    Skill,
    TeamTemplate,
    Team,
    Run,
    /// The repository of a run; the id is that of the run.
    RunRepo,
    Model,
    /// A mission, with its phases, tasks and artifacts.
    Mission,
    /// A level-up proposal.
    LevelUp,
    /// A routine, with its journal.
    Routine,
}

/// `resource.changed`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceChanged {
    pub kind: ResourceKind,
    pub id: Uuid,
    pub version: i64,
}

/// `placement.fallback`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementFallback {
    /// The agent whose sandbox it is. A team's sandbox has `teamId` instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    pub wanted: String,
    pub reason: String,
}

/// `door.request`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoorRequest {
    pub door_id: DoorId,
    pub agent_id: ClawId,
    /// `<provider>.<object>.<verb>`
    pub action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// The decision about a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Approve,
    Deny,
}

/// `door.resolve`
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoorResolve {
    pub door_id: DoorId,
    pub decision: Decision,
    /// The name of the person who decided; absent when the door expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Event {
    /// All types that the log can hold: the thirteen of the specification and Roost's own.
    pub const TYPES: &'static [&'static str] = &[
        "agent.status",
        "agent.task.update",
        "agent.reasoning.delta",
        "agent.computer.frame",
        "agent.tool.call",
        "door.request",
        "door.resolve",
        "agent.message",
        "world.touch",
        "node.activity",
        "topology.update",
        "telemetry",
        "routine.update",
        "resource.changed",
        "placement.fallback",
        "room.message",
        "a2a.invoked",
    ];

    /// The types that this version emits.
    pub const EMITTED: &'static [&'static str] = &[
        "agent.status",
        "node.activity",
        "resource.changed",
        "placement.fallback",
        "door.request",
        "door.resolve",
        "agent.task.update",
        "agent.reasoning.delta",
        "agent.computer.frame",
        "agent.tool.call",
        "world.touch",
        "topology.update",
        "telemetry",
        "routine.update",
    ];

    /// A resource has a new version.
    pub fn changed(kind: ResourceKind, id: impl Into<Uuid>, version: i64) -> Self {
        Self::ResourceChanged(ResourceChanged {
            kind,
            id: id.into(),
            version,
        })
    }

    /// A resource reported figures or progress that its next report replaces.
    pub fn reported(kind: ResourceKind, id: impl Into<Uuid>, version: i64) -> Self {
        Self::Reported(ResourceChanged {
            kind,
            id: id.into(),
            version,
        })
    }

    /// The types of which events can be ephemeral.
    pub const EPHEMERAL: &'static [&'static str] = &[
        "agent.task.update",
        "agent.reasoning.delta",
        "agent.computer.frame",
        "agent.tool.call",
        "world.touch",
        "node.activity",
        "telemetry",
        "resource.changed",
    ];

    /// Whether the event only shows work while it happens. Retention keeps such events for a shorter time than facts.
    pub fn is_ephemeral(&self) -> bool {
        match self {
            Self::AgentTaskUpdate(_)
            | Self::AgentReasoningDelta(_)
            | Self::AgentComputerFrame(_)
            | Self::AgentToolCall(_)
            | Self::WorldTouch(_)
            | Self::NodeActivity(_)
            | Self::Telemetry(_)
            | Self::Reported(_) => true,
            Self::AgentStatus(_)
            | Self::ResourceChanged(_)
            | Self::PlacementFallback(_)
            | Self::DoorRequest(_)
            | Self::DoorResolve(_)
            | Self::TopologyUpdate(_)
            | Self::AgentMessage(_)
            | Self::RoutineUpdate(_) => false,
        }
    }

    /// The size by which retention counts the event with this data; absent for a fact.
    pub(super) fn ephemeral_bytes(&self, data: &str) -> Option<i32> {
        self.is_ephemeral()
            .then(|| i32::try_from(data.len()).unwrap_or(i32::MAX))
    }

    /// The type's name on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AgentStatus(_) => "agent.status",
            Self::NodeActivity(_) => "node.activity",
            Self::ResourceChanged(_) | Self::Reported(_) => "resource.changed",
            Self::PlacementFallback(_) => "placement.fallback",
            Self::DoorRequest(_) => "door.request",
            Self::DoorResolve(_) => "door.resolve",
            Self::AgentTaskUpdate(_) => "agent.task.update",
            Self::AgentReasoningDelta(_) => "agent.reasoning.delta",
            Self::AgentComputerFrame(_) => "agent.computer.frame",
            Self::AgentToolCall(_) => "agent.tool.call",
            Self::WorldTouch(_) => "world.touch",
            Self::TopologyUpdate(_) => "topology.update",
            Self::Telemetry(_) => "telemetry",
            Self::AgentMessage(_) => "agent.message",
            Self::RoutineUpdate(_) => "routine.update",
        }
    }

    /// The agent that the event is about, for filters.
    pub fn agent_id(&self) -> Option<ClawId> {
        match self {
            Self::AgentStatus(e) => Some(e.agent_id),
            Self::PlacementFallback(e) => e.agent_id,
            Self::ResourceChanged(e) | Self::Reported(e) if e.kind == ResourceKind::Claw => {
                Some(ClawId(e.id))
            }
            Self::DoorRequest(e) => Some(e.agent_id),
            Self::AgentTaskUpdate(e) => Some(e.agent_id),
            Self::AgentReasoningDelta(e) => Some(e.agent_id),
            Self::AgentComputerFrame(e) => Some(e.agent_id),
            Self::AgentToolCall(e) => Some(e.agent_id),
            Self::WorldTouch(e) => Some(e.agent_id),
            Self::AgentMessage(e) => Some(e.from_agent_id),
            Self::NodeActivity(_)
            | Self::ResourceChanged(_)
            | Self::Reported(_)
            | Self::DoorResolve(_)
            | Self::TopologyUpdate(_)
            | Self::RoutineUpdate(_)
            | Self::Telemetry(_) => None,
        }
    }

    /// The JSON object of the `data:` line.
    pub fn data(&self) -> String {
        let encoded = match self {
            Self::AgentStatus(e) => serde_json::to_string(e),
            Self::NodeActivity(e) => serde_json::to_string(e),
            Self::ResourceChanged(e) | Self::Reported(e) => serde_json::to_string(e),
            Self::PlacementFallback(e) => serde_json::to_string(e),
            Self::DoorRequest(e) => serde_json::to_string(e),
            Self::DoorResolve(e) => serde_json::to_string(e),
            Self::AgentTaskUpdate(e) => serde_json::to_string(e),
            Self::AgentReasoningDelta(e) => serde_json::to_string(e),
            Self::AgentComputerFrame(e) => serde_json::to_string(e),
            Self::AgentToolCall(e) => serde_json::to_string(e),
            Self::WorldTouch(e) => serde_json::to_string(e),
            Self::TopologyUpdate(e) => serde_json::to_string(e),
            Self::Telemetry(e) => serde_json::to_string(e),
            Self::AgentMessage(e) => serde_json::to_string(e),
            Self::RoutineUpdate(e) => serde_json::to_string(e),
        };
        encoded.expect("structs of strings, numbers and ids always encode")
    }
}
