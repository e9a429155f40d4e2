//! Sandboxes of agents and teams: the registry of their containers, where new ones go, and the commands that run in them.
//!
//! Invariants: an owner (an agent, or a team that shares one sandbox) has at most one live sandbox (a partial unique
//! index); an owner keeps the machine that is recorded for its sandbox; a request may name the machine of a new sandbox, and never the machine, container or sandbox
//! of a present one, so routing cannot be forged; each change of state is one transaction with its quota and its event; a
//! transition under way is a row with an operation's id, and its job (`transition`) starts again after a crash
//! ([`recovery`]). Tables: `agent_containers`, `workspace_placements`. In the tree: `sandboxes`, with one job for each
//! transition.

mod agent_status;
mod branch;
mod brief_store;
#[cfg(test)]
mod brief_store_tests;
mod command_record;
mod commands;
mod drains;
mod dto;
mod dto_commands;
mod engine;
pub(crate) mod entity;
mod error;
mod handle;
mod hardening;
mod images_here;
mod limits;
mod listen;
pub mod model;
mod owner;
mod owner_facts;
mod persons_command;
mod placement_store;
pub(crate) mod purges;
mod rates;
mod reading;
mod recovery;
mod removal;
mod routes;
pub(crate) mod snapshots;
pub mod step_files;
mod store;
#[cfg(test)]
mod test_rows;
mod transition;
mod working;

pub use branch::{branch, transitions};
pub use commands::{
    cancel, destroy_for_good, exec, exec_whole, flush, forget_archives, has_machine, of_owner,
    output, provision, reached, running_sandbox, stdin,
};
pub use dto::{NewExec, NewSandbox, Worker};
pub use error::SandboxError;
pub use handle::{Parts, SandboxesHandle, Settings};
pub use limits::NewLimits;
pub use model::State;
pub use owner::{OwnerKind, SandboxOwner};
pub use owner_facts::{OwnerFacts, OwningMission, OwningTeam, Preferences};
pub use placement_store::placed_on;
pub use rates::{CommandLimits, Starter, TooFast};
pub use removal::{remove_all, remove_of};
pub use routes::router;
pub use snapshots::store::forget_before as forget_snapshots;
pub use snapshots::{
    Bucket, BucketKey, ChunkPlace, ChunkStore, ChunkStoreError, Exchange, ExchangeError,
    LocalChunks, Snapshot,
};
pub use store::{Place, current, forget_ended, owners_with_anything, running_places};
