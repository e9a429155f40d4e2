//! The HTTP server: every route in one list, the listeners, the limits of requests, the embedded page and the
//! documents.

pub mod certificate;
mod connection_close;
mod docs;
mod document;
mod idle_timeout;
pub mod operator_gate;
mod request_limits;
pub mod router;
pub mod serve;
mod ui;
