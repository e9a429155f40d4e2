//! Agents (the API calls them claws): their settings, their brains and their pictures.

pub mod claws;
mod tables;

pub use tables::tables;
