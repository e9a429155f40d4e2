//! What can be done with workspaces, one use case in each file.

mod change;
mod create;
mod delete;

pub use change::{New as Changed, change};
pub use create::{New, create};
pub use delete::delete;
