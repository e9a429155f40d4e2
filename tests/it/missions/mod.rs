//! Missions, and what agents learn from their work.

pub mod levelups;
