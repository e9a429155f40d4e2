//! The one way out of the gateway for addresses that others choose: issuers, metadata, keys.
//!
//! Invariants: only an address that the policy permits is dialled (`outbound.allow_private`); TLS, except on a host that
//! the deployment names; no redirect is followed; an answer is bounded in bytes and time. Nothing secret leaves by it:
//! requests with a credential are the broker's.

mod error;
mod fetch;

pub use error::OutboundError;
pub use fetch::Outbound;
