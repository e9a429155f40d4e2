//! Safe outbound connections for both programs: only addresses that the policy permits are dialled, without proxies,
//! redirects or retries.

mod address;
mod dial;

pub use address::{AddressPolicy, BadRule, HostRule};
pub use dial::{Dial, Lookup, Refused, chain, client, permits, refused_in};
