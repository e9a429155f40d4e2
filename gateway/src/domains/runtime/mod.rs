//! Agents at work: sessions, the models that they think with.

pub mod models;
