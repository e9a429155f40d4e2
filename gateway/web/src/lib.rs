//! The common parts of HTTP handlers: problems, validated JSON, pagination, idempotency keys, conditional requests,
//! server-sent events, uploaded pictures, and the connection of a request. The server itself is in `edge`.

pub mod client_address;
pub mod conditional;
pub mod connections;
pub mod error;
pub mod idempotency;
pub mod json;
pub mod observe;
pub mod origin;
pub mod pages;
pub mod pagination;
pub mod picture;
pub mod problem;
pub mod refused_body;
pub mod sse;
mod tables;

pub use tables::tables;
