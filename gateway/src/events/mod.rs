//! The event log: one sequence a workspace, stored before anyone hears of it.
//!
//! * A **fact** takes its sequence in the transaction that made it ([`append`]): on commit it is both true and told.
//! * An **ephemeral** event (activity, deltas) goes through one writer a workspace that commits in groups
//!   ([`EventLog::emit`]), onto the same sequence, so that replay stays one mechanism.
//! * Fan-out ([`Hub`]) is only a cache of the log: a subscriber that missed something reads the store.
//!
//! Tables: `events`, `event_heads`. In the tree: `foundation/events` (writers), `foundation/event-relay`, `foundation/event-wakes`,
//! `foundation/event-retention`.

mod entity;
mod hub;
mod kinds;
mod log;
mod model;
pub mod relay;
pub mod retention;
mod store;
mod work;
mod writer;

#[cfg(test)]
mod tests;

pub use entity::{event as event_entity, head as head_entity};
pub use hub::{Hub, Listener, Listening, Wakes, Watch};
pub use kinds::{
    ActivityKind, AgentState, AgentStatus, Decision, DoorRequest, DoorResolve, Event, NodeActivity,
    PlacementFallback, ResourceChanged, ResourceKind,
};
pub use log::EventLog;
pub use model::{EventId, Filter, StoredEvent};
pub use store::{Replay, about_agent, append, before_oldest, before_run, head, open_log, replay};
pub use work::{
    AgentComputerFrame, AgentReasoningDelta, AgentTaskUpdate, AgentToolCall, App, Channel,
    Formation, FrameLine, LineKind, PartState, Stamped, TaskPart, Telemetry, TopologyUpdate,
    WorldEdge, WorldEdgeKind, WorldNode, WorldTier, WorldTouch,
};
