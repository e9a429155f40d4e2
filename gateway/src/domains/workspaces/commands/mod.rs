//! What can be done with workspaces, one use case a file.

mod create;
mod delete;
mod rename;

pub use create::create;
pub use delete::delete;
pub use rename::rename;
