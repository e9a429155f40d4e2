//! The machines wing: the engines that run work (nodes that users own, and the gateway's own host), the operations they
//! are asked to carry out, and the sandboxes.

pub mod fleet;
pub mod sandboxes;
mod tables;

pub use tables::tables;
