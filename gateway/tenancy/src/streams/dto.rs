//! The wire format of `/api/events`.

use bytes::Bytes;
use serde::Serialize;
use utoipa::ToSchema;

use roost_platform::events::{
    AgentComputerFrame, AgentMessage, AgentReasoningDelta, AgentStatus, AgentTaskUpdate,
    AgentToolCall, DoorRequest, DoorResolve, EventId, NodeActivity, PlacementFallback,
    ResourceChanged, RoutineUpdate, Telemetry, TopologyUpdate, WorldTouch,
};

/// The events of `/api/events`: a field for each type, with the content of its `data:` line. Nothing emits `agent.message`
/// yet: rooms will.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; each field is sent by itself")]
pub struct LiveEvents {
    #[schema(rename = "agent.status")]
    agent_status: AgentStatus,
    #[schema(rename = "node.activity")]
    node_activity: NodeActivity,
    #[schema(rename = "resource.changed")]
    resource_changed: ResourceChanged,
    #[schema(rename = "placement.fallback")]
    placement_fallback: PlacementFallback,
    #[schema(rename = "door.request")]
    door_request: DoorRequest,
    #[schema(rename = "door.resolve")]
    door_resolve: DoorResolve,
    #[schema(rename = "agent.task.update")]
    agent_task_update: AgentTaskUpdate,
    #[schema(rename = "agent.reasoning.delta")]
    agent_reasoning_delta: AgentReasoningDelta,
    #[schema(rename = "agent.computer.frame")]
    agent_computer_frame: AgentComputerFrame,
    #[schema(rename = "agent.tool.call")]
    agent_tool_call: AgentToolCall,
    #[schema(rename = "world.touch")]
    world_touch: WorldTouch,
    #[schema(rename = "topology.update")]
    topology_update: TopologyUpdate,
    #[schema(rename = "telemetry")]
    telemetry: Telemetry,
    #[schema(rename = "agent.message")]
    agent_message: AgentMessage,
    #[schema(rename = "routine.update")]
    routine_update: RoutineUpdate,
    trimmed: Trimmed,
    reset: Reset,
    beat: Beat,
}

/// The cursor cannot be served: read everything again.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reset {
    /// The reason, for people.
    #[schema(value_type = String)]
    pub reason: &'static str,
}

impl Reset {
    pub(super) fn encoded(&self) -> String {
        serde_json::to_string(self).expect("a struct of one string encodes")
    }
}

/// Ephemeral events of this part of the log are deleted, because they are kept for a shorter time than facts. The facts of
/// the same part follow. The frame has no id.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trimmed {
    /// The id of the first event of the part.
    from: String,
    /// The id of its last event.
    to: String,
    /// The types that the part may have lost. `resource.changed` is lost only where it announced a machine's figures or
    /// the progress of a mirror.
    #[schema(value_type = Vec<String>)]
    types: Vec<&'static str>,
}

impl Trimmed {
    pub(super) fn new(from: EventId, to: EventId, types: Vec<&'static str>) -> Self {
        let (from, to) = (from.to_string(), to.to_string());
        Self { from, to, types }
    }

    pub(super) fn frame(&self) -> Bytes {
        let data = serde_json::to_string(self).expect("a struct of strings encodes");
        Bytes::from(format!("event: trimmed\ndata: {data}\n\n"))
    }
}

/// A heartbeat, every ten seconds, because a page cannot see SSE comments.
#[derive(Debug, Serialize, ToSchema)]
pub struct Beat {}
