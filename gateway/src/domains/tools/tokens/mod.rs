//! Tokens by which programs of an agent call its tools. Shown once, stored as SHA-256. A token is one agent's, has an end,
//! and is dead with its agent. Table: `agent_tokens`.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
pub mod store;

pub use error::TokenError;
