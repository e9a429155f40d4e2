//! Egress: where a secret may go, how it is put in, and how it is removed from answers.
//!
//! A request is checked against its record's allow-list, and its host against the address policy. Only the checked
//! addresses are dialled. No redirect is followed. Every answer passes the redactor.

mod allow;
mod headers;
mod http_client;
mod redact;

pub use roost_secret_broker::outbound::{AddressPolicy, HostRule, chain};

pub use allow::{Target, check_allow, check_inject};
pub use headers::{inject, outgoing, returning};
pub use http_client::{EgressSettings, HttpClient};
pub use redact::{Redaction, Redactor};
