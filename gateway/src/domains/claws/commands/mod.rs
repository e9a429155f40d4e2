//! What can be done with agents, one use case a file.

mod change;
mod create;
mod delete;

pub use change::change;
pub use create::create;
pub use delete::{delete, purge};
