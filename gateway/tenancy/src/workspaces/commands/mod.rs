//! What can be done with workspaces, one use case in each file.

mod change;
mod create;
mod delete;
mod set_limits;

pub use change::{New as Changed, change};
pub use create::{New, create};
pub use delete::delete;
pub use set_limits::set_limits;
