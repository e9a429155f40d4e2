//! Leaving this deployment with care, for both programs: only addresses that the policy permits are dialled, by no
//! proxy, following no redirect, trying nothing twice.

mod address;
mod dial;

pub use address::{AddressPolicy, BadRule, HostRule};
pub use dial::{Dial, Lookup, Refused, chain, client, permits, refused_in};
