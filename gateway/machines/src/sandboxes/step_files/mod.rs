//! The files around each step of a run, and the files that a run begins with.
//!
//! Invariants: a row names a snapshot only after the machine has answered with it, so a digest is never a guess; without
//! one the row says why. The end of a step is recorded before the step counts as ended ([`record`]). A sandbox that gets
//! the files of an earlier step is a new one, and the files of the one before it are stored first ([`start`]). Tables:
//! `run_step_files`, `run_start_files`.

mod dto;
pub(crate) mod entity;
mod error;
mod model;
mod record;
mod start;
mod store;

pub use dto::{FilesAt, StartFiles, StepFiles};
pub use entity::around::Model as StepFilesRow;
pub use entity::start::Model as StartFilesRow;
pub use error::StartFilesError;
pub use model::{CommonStart, Part, Start, starts};
pub use record::{FilesPlace, begin, end};
pub use start::{any_files, begin_with, for_each_agent, give, is_there};
pub use store::{forget, insert as keep, of_step, of_tree, others, remove_of, starts_of};
