//! The socket on which the running daemon answers its owner: status, pause, resume, leave. It needs no gateway.
//!
//! One JSON line in, one JSON line out; the socket has mode 0600 in a folder with mode 0700.

pub mod client;
pub mod message;
pub mod server;
