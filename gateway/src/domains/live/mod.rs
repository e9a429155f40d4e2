//! Live events to a browser or a program: replay from the log, then live, spliced by sequence without gap or duplicate.
//!
//! Invariants: a subscriber never holds up anybody else (its queue is bounded; overflowing it reads the store); a cursor
//! that cannot be served gets one explicit `reset`; a stream ends when its session does. No tables of its own. In the
//! tree: `live/subscriber:<id>`, temporary, one a stream.

pub mod routes;
mod subscriber;
