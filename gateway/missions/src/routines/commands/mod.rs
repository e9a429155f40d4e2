//! The commands on routines, one use case a file.

mod create;
mod delete;
mod fire;
mod update;

pub use create::{Made, create, create_in, tried};
pub use delete::delete;
pub use fire::fire;
pub use update::update;
