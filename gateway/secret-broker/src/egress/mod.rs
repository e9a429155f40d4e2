//! The way out: where a secret may go, how it is put in, and what is taken out of what comes back.
//!
//! A request is checked against its record's allow-list, its host against the address policy; the addresses that were
//! checked are the ones that are dialled. No redirect is followed. What comes back passes the redactor.

mod address;
mod allow;
mod headers;
mod outlet;
mod redact;

use std::error::Error;

pub use address::{AddressPolicy, HostRule};
pub use allow::{Target, check_allow, check_inject};
pub use headers::{inject, outgoing, returning};
pub use outlet::{EgressSettings, Outlet};
pub use redact::{Redaction, Redactor};

/// An error with its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        // Many libraries repeat their cause in their own words.
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    text
}
