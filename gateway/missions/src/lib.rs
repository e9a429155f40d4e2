//! Missions: work in phases, from a goal to reviewed results, and what agents learn from their work.

pub mod benchmarks;
pub mod findings;
pub mod levelups;
mod plain;
mod tables;

pub use tables::tables;
