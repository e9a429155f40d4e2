//! Agents: their lives, brains and pictures.

pub mod avatars;
mod brains;
mod claws;
