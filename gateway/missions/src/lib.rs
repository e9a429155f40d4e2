//! Missions: work in phases, from a goal to reviewed results, and what agents learn from their work.

pub mod benchmarks;
pub mod levelups;
pub mod findings;
mod plain;
mod tables;

pub use tables::tables;
