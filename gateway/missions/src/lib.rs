//! Missions: work in phases, from a goal to reviewed results, and what agents learn from their work.

mod tables;

pub use tables::tables;
