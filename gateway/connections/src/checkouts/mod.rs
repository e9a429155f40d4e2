//! Repositories of runs: the commit that a run begins at goes into its sandboxes, and commits come back and are pushed.
//!
//! Invariants: the gateway never runs git; bundles pass through it unread, between the secret broker and a sandbox. Each
//! sandbox of a run has one checkout and one branch below `roost/`. Nothing that comes out of a sandbox is believed: the
//! broker checks each bundle, and its refusal is a row that people see. Only a commit that the broker has is pushed: by a
//! person, or by a door. Packages that an agent added to a lock file come only with a door. The runs of one tree share the repository of its first run. Tables: `run_repos`, `run_checkouts`,
//! `run_commits`, `run_supplies`. In the tree: nothing; the work belongs to the job of the step.

mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod guest;
mod gzip;
mod model;
mod read_models;
mod routes;
mod source;
mod store;

pub use commands::{
    Checkout, Files, Offer, PackagesAdded, Prepared, PullWords, Pushed, StepPlace, add_packages,
    bind, bind_after, checkout, collect, diff, files_of, fork, offer_packages, offer_pull,
    offer_push, own_diff, prepare, pull_request, push, record_pull,
};
pub use context::CheckoutsContext;
pub use dto::{OfferedBranch, OfferedPackages, RunRepo};
pub use error::CheckoutError;
pub use read_models::{Received, Standing, branches, received, standing};
pub use routes::router;
pub use store::{is_bound, runs_of_upload};
