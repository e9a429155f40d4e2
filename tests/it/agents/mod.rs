//! Agents: their records, brains and pictures.

pub mod avatars;
mod brains;
mod claws;
