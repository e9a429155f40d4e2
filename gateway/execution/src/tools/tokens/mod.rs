//! Tokens with which an agent's programs call its tools. The API shows a token once, and the gateway stores its
//! SHA-256. A token belongs to one agent, expires, and stops working when its agent is deleted. Table:
//! `agent_tokens`.

pub(super) mod commands;
pub(super) mod dto;
pub mod entity;
mod error;
pub mod store;

pub use error::TokenError;
pub use store::{remove_of, revoke_made_by, revoke_made_in};
