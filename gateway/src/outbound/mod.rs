//! The one way out of the gateway for addresses that others choose: issuers, metadata, keys.
//!
//! Invariants: only an address that the policy permits is dialled (`outbound.allow_private`); TLS, except on a host that
//! the deployment names; no redirect is followed; an answer is bounded in bytes and time. Nothing that is kept leaves by it:
//! requests with a stored credential are the broker's. Signing in by the issuer sends its code, the client's own secret and
//! the token that came for it, and keeps none of them.

mod error;
mod fetch;

pub use error::OutboundError;
pub use fetch::Outbound;
