//! The daemon's end of the node channel: one outbound WebSocket that always reconnects.
//!
//! [`backoff`] is pure, and so is the order of frames (`roost_protocol::machine::session`). [`tls`] and [`connect`]
//! make a connection, [`session`] runs on one connection, and [`reconnect`] reconnects for as long as the daemon runs.

pub mod backoff;
pub mod connect;
pub mod reconnect;
pub mod session;
pub mod tls;
