//! What can be done with workspaces, one use case a file.

mod create;
mod rename;

pub use create::create;
pub use rename::rename;
