//! The way out: where a secret may go, how it is put in, and what is taken out of what comes back.
//!
//! A request is checked against its record's allow-list, its host against the address policy; the addresses that were
//! checked are the ones that are dialled. No redirect is followed. What comes back passes the redactor.

mod allow;
mod headers;
mod outlet;
mod redact;

pub use roost_secret_broker::outbound::{AddressPolicy, HostRule, chain};

pub use allow::{Target, check_allow, check_inject};
pub use headers::{inject, outgoing, returning};
pub use outlet::{EgressSettings, Outlet};
pub use redact::{Redaction, Redactor};
