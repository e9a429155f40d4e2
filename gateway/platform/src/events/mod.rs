//! The event log: one sequence per workspace. An event is stored before any subscriber receives it.
//!
//! * A **fact** takes its sequence number in the transaction of its change ([`append`]). The commit publishes both.
//! * An **ephemeral** event (activity, deltas) goes through one writer per workspace, which commits in groups
//!   ([`EventLog::emit`]), onto the same sequence. So replay needs only one mechanism.
//! * Fan-out ([`Hub`]) is only a cache of the log: a subscriber that missed an event reads the store.
//!
//! Tables: `events`, `event_heads`. In the tree: `foundation/events` (writers), `foundation/event-relay`,
//! `foundation/event-batches`, `foundation/event-retention`.

mod entity;
mod kinds;
mod log;
pub mod relay;
mod store;
mod work;
mod writer;

#[cfg(test)]
mod tests;

pub use entity::{event as event_entity, head as head_entity};
pub use kinds::{
    ActivityKind, AgentState, AgentStatus, Decision, DoorRequest, DoorResolve, Event, NodeActivity,
    PlacementFallback, ResourceChanged, ResourceKind,
};
pub use log::EventLog;
pub use store::{
    Replay, about_agent, append, before_oldest, before_run, forget, head, open_log, replay,
};
pub use work::{
    AgentComputerFrame, AgentReasoningDelta, AgentTaskUpdate, AgentToolCall, App, Channel,
    Formation, FrameLine, LineKind, PartState, Stamped, TaskPart, Telemetry, TopologyUpdate,
    WorldEdge, WorldEdgeKind, WorldNode, WorldTier, WorldTouch,
};

pub use super::hub::{EventId, Filter, Hub, Listener, Listening, StoredEvent, WakeBatches, Watch};
