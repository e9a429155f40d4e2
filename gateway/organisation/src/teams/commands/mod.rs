//! The commands on teams, one use case a file.

mod change;
mod create;
mod delete;
mod run;

pub use change::{change, configure};
pub use create::{create, create_in};
pub use delete::delete;
pub use run::{Work, run, run_in};
