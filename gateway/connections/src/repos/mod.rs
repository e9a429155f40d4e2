//! Repositories: connections to code hosts, and the repositories in their lists.
//!
//! Invariants: a token goes to the secret broker and never comes back; it may be used for the lists that are read and for
//! git at its host, nowhere else; an address that a host sends is never followed. A wanted sync stays in its connection's
//! row until one has ended. The job that carries it holds the row for a minute at a time; after that its writes change
//! nothing. A repository keeps its id as long as its connection exists, even while its host does not list it. The broker
//! has the mirrors on its disk; the gateway only requests them. A mirror is deleted with its connection's token. Tables:
//! `repo_connections`, `repos`, `repo_mirrors`. In the tree: `repos`, with one job for each sync and one for each mirror.

mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod mirroring;
mod model;
mod provider;
mod routes;
mod store;
mod store_mirrors;
mod store_repos;
mod sync;
mod upstream;

pub use commands::{remove_all, want_mirror_in};
pub use context::ReposContext;
pub use error::RepoError;
pub use provider::{NewPull, ProviderKind, PullRequest};
pub use routes::router;
pub use sync::branch;
pub use upstream::{MirrorStanding, Upstream, upstream};
