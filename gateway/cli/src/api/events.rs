//! What the client reads of event streams. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::names::*;
use super::parsed::Parsed;

#[derive(Deserialize)]
pub struct AgentComputerFrame {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
    pub lines: Option<Vec<FrameLine>>,
}

#[derive(Deserialize)]
pub struct AgentReasoningDelta {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
    pub channel: Option<Channel>,
    pub text: String,
}

#[derive(Deserialize)]
pub struct AgentStatus {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
}

#[derive(Deserialize)]
pub struct AgentTaskUpdate {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
}

#[derive(Deserialize)]
pub struct AgentToolCall {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
    pub tool: String,
    pub target: Option<String>,
}

#[derive(Deserialize)]
pub struct DoorRequest {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
}

pub enum ExecEvents {
    Output(Parsed<ExecOutput>),
    Gap(Parsed<ExecGap>),
    Exit(Parsed<ExecExit>),
    /// An event that the client does not read.
    Other,
}

impl ExecEvents {
    /// Reads an event.
    ///
    /// # Errors
    /// When its data are not those of such an event.
    pub fn read(event: &str, data: &str) -> serde_json::Result<Self> {
        Ok(match event {
            "output" => Self::Output(serde_json::from_str(data)?),
            "gap" => Self::Gap(serde_json::from_str(data)?),
            "exit" => Self::Exit(serde_json::from_str(data)?),
            _ => Self::Other,
        })
    }
}

#[derive(Deserialize)]
pub struct ExecExit {
    pub code: Option<i32>,
    pub state: OperationState,
    pub detail: Option<String>,
    pub truncated: bool,
}

#[derive(Deserialize)]
pub struct ExecGap {
    pub from: u64,
    pub to: u64,
}

#[derive(Deserialize)]
pub struct ExecOutput {
    pub stream: String,
    pub offset: u64,
    pub data_base64: String,
}

#[derive(Deserialize)]
pub struct FrameLine {
    pub kind: Option<LineKind>,
    pub text: String,
}

pub enum LiveEvents {
    AgentReasoningDelta(Parsed<AgentReasoningDelta>),
    AgentToolCall(Parsed<AgentToolCall>),
    AgentComputerFrame(Parsed<AgentComputerFrame>),
    AgentStatus(Parsed<AgentStatus>),
    AgentTaskUpdate(Parsed<AgentTaskUpdate>),
    DoorRequest(Parsed<DoorRequest>),
    PlacementFallback(Parsed<PlacementFallback>),
    ResourceChanged(Parsed<ResourceChanged>),
    WorldTouch(Parsed<WorldTouch>),
    /// An event that the client does not read.
    Other,
}

impl LiveEvents {
    /// Reads an event.
    ///
    /// # Errors
    /// When its data are not those of such an event.
    pub fn read(event: &str, data: &str) -> serde_json::Result<Self> {
        Ok(match event {
            "agent.reasoning.delta" => Self::AgentReasoningDelta(serde_json::from_str(data)?),
            "agent.tool.call" => Self::AgentToolCall(serde_json::from_str(data)?),
            "agent.computer.frame" => Self::AgentComputerFrame(serde_json::from_str(data)?),
            "agent.status" => Self::AgentStatus(serde_json::from_str(data)?),
            "agent.task.update" => Self::AgentTaskUpdate(serde_json::from_str(data)?),
            "door.request" => Self::DoorRequest(serde_json::from_str(data)?),
            "placement.fallback" => Self::PlacementFallback(serde_json::from_str(data)?),
            "resource.changed" => Self::ResourceChanged(serde_json::from_str(data)?),
            "world.touch" => Self::WorldTouch(serde_json::from_str(data)?),
            _ => Self::Other,
        })
    }
}

#[derive(Deserialize)]
pub struct PlacementFallback {
    #[serde(rename = "agentId")]
    pub agent_id: Option<ClawId>,
}

#[derive(Deserialize)]
pub struct ResourceChanged {
    pub kind: ResourceKind,
    pub id: String,
}

#[derive(Deserialize)]
pub struct TopologyUpdate {
    pub nodes: Option<Vec<WorldNode>>,
    pub edges: Option<Vec<WorldEdge>>,
}

#[derive(Deserialize)]
pub struct WorldEdge {
    pub from: WorldNodeId,
    pub to: WorldNodeId,
}

pub enum WorldEvents {
    TopologyUpdate(Parsed<TopologyUpdate>),
    WorldTouch(Parsed<WorldTouch>),
    /// An event that the client does not read.
    Other,
}

impl WorldEvents {
    /// Reads an event.
    ///
    /// # Errors
    /// When its data are not those of such an event.
    pub fn read(event: &str, data: &str) -> serde_json::Result<Self> {
        Ok(match event {
            "topology.update" => Self::TopologyUpdate(serde_json::from_str(data)?),
            "world.touch" => Self::WorldTouch(serde_json::from_str(data)?),
            _ => Self::Other,
        })
    }
}

#[derive(Deserialize)]
pub struct WorldNode {
    pub id: WorldNodeId,
    pub label: Option<String>,
    #[serde(rename = "parentId")]
    pub parent_id: Option<WorldNodeId>,
}

#[derive(Deserialize)]
pub struct WorldTouch {
    #[serde(rename = "agentId")]
    pub agent_id: ClawId,
    #[serde(rename = "nodeId")]
    pub node_id: WorldNodeId,
}
