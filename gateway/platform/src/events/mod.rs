//! The event log: one sequence per workspace. An event is stored before any subscriber receives it.
//!
//! * A **fact** takes its sequence number in the transaction of its change ([`append`]). The commit publishes both.
//! * An **ephemeral** event (activity, deltas) goes through one writer per workspace, which commits in groups
//!   ([`EventLog::emit`]), onto the same sequence. So replay needs only one mechanism.
//! * Fan-out ([`Hub`]) is only a cache of the log: a subscriber that missed an event reads the store.
//!
//! * **Retention** deletes ephemeral events earlier than facts ([`sweep`]). A gap in the sequence is legal up to the cut of
//!   the ephemeral events, and a replay names it ([`Page::trimmed_to`]). Above the cut there is none.
//!
//! Tables: `events`, `event_heads`, `event_cuts`. In the tree: `foundation/events` (writers), `foundation/event-relay`,
//! `foundation/event-batches`, `foundation/event-retention`.

mod append_all;
mod entity;
mod kinds;
mod log;
mod planned;
pub mod relay;
mod replay;
mod retention;
mod store;
mod work;
mod world;
mod writer;

#[cfg(test)]
mod tests;

pub use append_all::append_all;
pub use entity::{cuts as cuts_entity, event as event_entity, head as head_entity};
pub use kinds::{
    ActivityKind, AgentState, AgentStatus, Decision, DoorRequest, DoorResolve, Event, NodeActivity,
    PlacementFallback, ResourceChanged, ResourceKind,
};
pub use log::EventLog;
pub use planned::{AgentMessage, RoutineKind, RoutineState, RoutineUpdate};
pub use replay::{Page, Replay, replay};
pub use retention::{Retention, sweep};
pub use store::{about_agent, append, before_oldest, before_run, head, open_log, remove_log};
pub use work::{
    AgentComputerFrame, AgentReasoningDelta, AgentTaskUpdate, AgentToolCall, App, Channel,
    Formation, FrameLine, LineKind, PartState, Stamped, TaskPart, Telemetry, TopologyUpdate,
    WorldEdge, WorldEdgeKind, WorldNode, WorldTier, WorldTouch,
};
pub use world::{NotAWorldNode, WorldNodeId};

pub use super::hub::{
    About, EventId, Filter, Hub, Listener, Listening, StoredEvent, WakeBatches, Watch,
};
