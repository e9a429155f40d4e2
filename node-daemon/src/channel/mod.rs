//! The daemon's end of the node channel: one outbound WebSocket, always coming back.
//!
//! [`backoff`] is pure, as is the order of frames (`roost_protocol::machine::session`); [`tls`] and [`connect`] make a connection, [`session`] lives one, and [`keep`]
//! keeps one alive for as long as the daemon runs.

pub mod backoff;
pub mod connect;
pub mod keep;
pub mod session;
pub mod tls;
