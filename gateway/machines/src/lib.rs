//! The machines wing: the engines that run work (nodes that users own, and the gateway's own host), the operations they
//! are asked to carry out, the catalogue of images, and the sandboxes.

pub mod fleet;
pub mod images;
pub mod sandboxes;
mod tables;

pub use tables::tables;
