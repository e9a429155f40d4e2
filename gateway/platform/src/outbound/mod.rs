//! The only way out of the gateway to addresses that others choose: issuers, metadata, keys.
//!
//! Invariants: the gateway connects only to addresses that the policy permits (`outbound.allow_private`), except to its own
//! public address, which its operator chooses (`own_address.rs`). It uses TLS, except on a host that the deployment names. It follows no redirect, except that a download may be sent on between hosts
//! that its caller names. An answer is limited in bytes and time. Requests
//! with a stored credential and exchanges of a sign-in's code do not go through here; the broker sends them.

mod download;
mod error;
mod fetch;
mod own_address;
mod settings;

pub use download::{Download, Wanted, authority};
pub use error::OutboundError;
pub use fetch::Outbound;
pub use own_address::{NotReached, OwnAddress};
pub use settings::OutboundSettings;
