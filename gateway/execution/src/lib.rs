//! Runs: topologies, durable runs and their steps, the workspace's models, the clients of model providers, and tools.

pub mod models;
pub mod providers;
pub mod runs;
mod tables;
pub mod tools;
pub mod topology;

pub use tables::tables;
