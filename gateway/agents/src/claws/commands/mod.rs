//! What can be done with agents, one use case in each file.

mod change;
mod configure;
mod create;
mod delete;

pub use change::change;
pub use configure::{Configured, configure_in};
pub use create::{create, create_in};
pub use delete::{Authority, delete, purge, purge_in};
