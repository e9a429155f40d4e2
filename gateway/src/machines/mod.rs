//! The machines wing: nodes that users own, the operations that run on them, and their sandboxes.

pub mod fleet;
pub mod operations;
pub mod sandboxes;
