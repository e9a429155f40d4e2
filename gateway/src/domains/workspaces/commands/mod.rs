//! What can be done with workspaces, one use case a file.

mod create;

pub use create::create;
