//! Live streams to browsers and programs, all by one machinery ([`LiveHandle`]): `/api/events`, `/api/nodes/live` and
//! `/api/ops/tree/stream`.
//!
//! Invariants: a stream is one supervised actor that shows its lag; nobody is held up by a slow reader (its queue is
//! bounded in count and bytes, and who overflows it reads the store); events are replayed and then live, spliced by
//! sequence without gap or duplicate; a cursor that cannot be served gets one explicit `reset`; a stream beats every 10 s,
//! is rotated within ten minutes, ends within a second of the authority that opened it, and at once when the gateway
//! stops. No tables of its own. In the tree: `live/<what>:<id>`, temporary, one a stream.

mod actor;
mod dto;
mod events;
mod handle;
mod outlet;
pub mod routes;
mod slots;

pub use dto::Beat;
pub use handle::{Feed, LiveHandle, Opening};
pub use outlet::{Gone, Outlet};
pub use slots::Limits;
