//! The gateway: HTTP API, actors, web UI, operator's command line.
//!
//! A wing knows only the wings below it; `tests/tidy` holds the list.
//! * `app` wires everything; `tree` is the supervision tree; `cli` and `support` are the command line; `config` is the
//!   operator's settings.
//! * `edge` is the HTTP server and the operators' view.
//! * `runtime`: agents at work on the steps of runs.
//! * `organisation`: skills, templates, teams.
//! * `execution`: topologies, runs, models and their providers, tools.
//! * `connections`: apps, approvals, repositories, private networks.
//! * `machines`: nodes, operations, sandboxes.
//! * `agents`: the agents themselves.
//! * `tenancy`: sign-in, workspaces, the audit log, event streams.
//! * `web`: the parts of every HTTP handler.
//! * `platform`: database, secret broker, events, supervision, sagas, clock, ids.

pub mod agents;
pub mod app;
pub mod cli;
pub mod config;
pub mod connections;
pub mod edge;
pub mod execution;
pub mod machines;
pub mod organisation;
pub mod platform;
pub mod runtime;
pub mod support;
pub mod tenancy;
pub mod tree;
pub mod web;

/// The build: set by releases, otherwise the version. The header `roost-build` carries it.
pub const BUILD_ID: &str = match option_env!("ROOST_BUILD_ID") {
    Some(id) => id,
    None => env!("CARGO_PKG_VERSION"),
};
