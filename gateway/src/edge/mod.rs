//! The outermost wing: the HTTP server with its routes and documents, reads that join wings,
//! and the operators' view of the running system.

pub mod activity;
pub mod operator;
pub mod public_address;
pub mod run_use;
pub mod server;
