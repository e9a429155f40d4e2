//! The gateway: HTTP API, actors, web UI, operator's command line.
//!
//! A map:
//! * `app` wires everything; `tree` reads as the running system.
//! * `domains` is the product, a folder a noun.
//! * `config`, `db`, `http`, `events`, `supervision`, `telemetry` cut across.
//! * `broker` is the gateway's end of the secret broker, a process of its own.
//! * `outbound` reads what stands at addresses that others choose.
//! * `operations` is the caller's side of work on machines: `domains/fleet` and `domains/sandboxes` stand on it.
//! * `sagas` drives work of several steps; what the steps do is in `app/sagas`.
//! * `clock`, `ids` are passed in everywhere; `error` maps domains' errors to HTTP.
//! * `wiping` is the program's allocator: what was in memory is not read there later.
//! * `cli` is the command line, of operators and of users.

pub mod app;
pub mod broker;
pub mod cli;
pub mod clock;
pub mod config;
pub mod db;
pub mod domains;
pub mod error;
pub mod events;
pub mod http;
pub mod ids;
pub mod operations;
pub mod outbound;
pub mod promises;
pub mod sagas;
pub mod supervision;
pub mod support;
pub mod telemetry;
pub mod tree;
pub mod wiping;

/// Which build this is: set by releases, otherwise the version. Header `roost-build` carries it.
pub const BUILD_ID: &str = match option_env!("ROOST_BUILD_ID") {
    Some(id) => id,
    None => env!("CARGO_PKG_VERSION"),
};
