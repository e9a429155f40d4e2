//! What the specification says about events and routes, written by hand from its text. Nothing here is generated from the
//! gateway, so an error in the gateway's own document is found.

pub mod events;
pub mod routes;
