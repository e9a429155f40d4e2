//! The gateway's program: it wires the wings, serves them, and is the operator's command line.
//!
//! Each wing is a crate beside this one (`gateway/<wing>`). A crate depends only on the wings below it, so the compiler
//! refuses an import that goes up. From the highest to the lowest:
//! * `roost_missions`: missions with their phases, tasks and results, and what agents learn from their work.
//! * `roost_runtime`: agents at work on the steps of runs.
//! * `roost_organisation`: skills, templates, teams.
//! * `roost_execution`: topologies, runs, models and their providers, tools.
//! * `roost_connections`: apps, approvals, repositories, private networks.
//! * `roost_machines`: nodes, operations, sandboxes.
//! * `roost_agents`: the agents themselves.
//! * `roost_tenancy`: sign-in, workspaces, the audit log, event streams.
//! * `roost_web`: the parts of every HTTP handler.
//! * `roost_platform`: database, secret broker, events, supervision, sagas, clock, ids.
//!
//! Here, `edge` is the HTTP server and the operators' view. `app` wires everything; `tree` is the supervision tree;
//! `cli` and `support` are the command line; `config` is the operator's settings.

use roost_platform::db::Table;

pub mod app;
pub mod cli;
pub mod config;
pub mod edge;
pub mod support;
pub mod tree;

/// The tables of all wings.
pub fn tables() -> Vec<Table> {
    [
        roost_platform::tables(),
        roost_web::tables(),
        roost_tenancy::tables(),
        roost_agents::tables(),
        roost_machines::tables(),
        roost_connections::tables(),
        roost_execution::tables(),
        roost_organisation::tables(),
        roost_missions::tables(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
