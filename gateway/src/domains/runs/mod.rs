//! Durable runs: a run is a row, an actor drives it, its steps are rows.
//!
//! Invariants:
//! * One statement claims; each change of hands grows the epoch; every write of whoever works on a run passes the fence
//!   (run, epoch, running, not cancelled). Nothing changed means stop and discard.
//! * (run, step, lap) is unique. A step's output and the begin of the next are one transaction. What has an output is
//!   never done again; what was begun is taken up where its journal ends.
//! * What happens outside has a key made from its place in the run, so that a repetition is known as the same.
//! * An end never changes. A child is born under its parent's fence only.
//!
//! Tables: `topology_runs`, `run_steps`, `run_calls`. In the tree: `runs/claimer`, `runs/keeper`, `runs/sweeper`, and one
//! actor a live run below `runs/live`.

mod actor;
mod again;
mod children;
mod closing;
pub mod commands;
mod comparison;
mod desk;
pub mod dto;
pub mod entity;
mod error;
pub mod fence;
pub mod forget;
mod handle;
mod journal;
pub mod model;
pub mod perform;
mod progress;
pub mod queue;
pub mod routes;
mod shown;
pub mod store;
pub mod tree;

pub use error::RunError;
pub use fence::{Fence, FenceError, Passed, Used};
pub use handle::{Parts, RunsHandle};
pub use journal::{Entry, Journal};
pub use perform::{Effect, End, Job, Perform};

use crate::supervision::{AnyChild, SupervisorSpec};

/// The branch `runs`: those that are always there, and the supervisor of the live ones.
pub fn branch(runs: &RunsHandle, live: AnyChild) -> SupervisorSpec {
    SupervisorSpec::new("runs")
        .serves("durable runs")
        .child(live)
        .child(desk::keeper(runs))
        .child(desk::sweeper(runs))
        .child(desk::claimer(runs))
}
