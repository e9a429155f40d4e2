//! The HTTP server: every route in one list, the listeners, the limits of requests, the embedded page and the
//! documents.

mod bounds;
pub mod certificate;
mod docs;
mod document;
mod hang_up;
pub mod operator_gate;
mod patience;
pub mod router;
pub mod serve;
mod ui;
