//! What can be done with workspaces, one use case in each file.

mod create;
mod delete;
mod rename;

pub use create::{New, create};
pub use delete::delete;
pub use rename::rename;
