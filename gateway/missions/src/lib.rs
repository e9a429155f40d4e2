//! Missions: work in phases, from a goal to reviewed results, and what agents learn from their work.

pub mod artifacts;
pub mod benchmarks;
pub mod cards;
pub mod findings;
pub mod levelups;
pub mod missions;
pub mod narratives;
pub mod pdf;
mod plain;
pub mod probes;
pub mod routines;
mod tables;
pub mod tasks;
pub mod world;

pub use tables::tables;
