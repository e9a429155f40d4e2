//! Repositories: connections to code hosts, and what their lists say.
//!
//! Invariants: a token goes to the secret broker and never comes back; it may go to the lists that are read and to git at
//! its host, nowhere else; no address that a host gives is followed. A sync that is wanted stands in its connection's row
//! until one came to its end; whoever carries it holds the row for a minute at a time, and what a holder writes after that
//! changes nothing. A repository keeps its id as long as its connection lives, also while its host does not list it.
//! A mirror is the broker's, on its disk: the gateway only says which it wants. It goes with its connection's token.
//! Tables: `repo_connections`, `repos`, `repo_mirrors`. In the tree: `repos`, with one job a sync and one a mirror.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
mod mirroring;
pub mod model;
mod provider;
pub mod routes;
pub mod store;
pub mod store_mirrors;
pub mod store_repos;
mod sync;

pub use error::RepoError;
pub use provider::ProviderKind;
pub use sync::branch;
