//! Live streams to browsers and programs. One mechanism ([`LiveHandle`]) serves all: `/api/events`, `/api/nodes/live`
//! and `/api/ops/tree/stream`.
//!
//! Invariants: a stream is one supervised actor that shows its lag; a slow reader delays no other (its queue is bounded
//! in count and bytes, and a reader that overflows it reads the store); events are replayed and then live, joined by
//! sequence without gap or duplicate; a cursor that cannot be served gets one explicit `reset`; a stream beats every 10
//! s, is rotated within ten minutes, ends within a second of the authority that opened it, and at once when the gateway
//! stops. No tables of its own. In the tree: `live/<what>:<id>`, temporary, one for each stream.

mod actor;
mod clock;
mod context;
mod dto;
mod events;
mod handle;
#[cfg(test)]
mod life_tests;
mod phase;
mod routes;
mod send_queue;
mod sender;
mod slots;
mod socket;
#[cfg(test)]
mod tests;
mod wire;

pub use context::LiveContext;
pub use dto::{Beat, LiveEvents};
pub use events::EventFeed;
pub use handle::{Feed, LiveHandle, Opening};
pub use routes::{cursor, router};
/// The name under which `machines` imports [`SendQueue`].
pub use send_queue::{Gone, SendQueue};
pub use slots::Limits;
pub use wire::Wire;
