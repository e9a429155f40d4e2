//! The broker's own audit log: each use of a secret is a line, chained by its hash to the one before.
//!
//! A use is written down before it is made; where that fails the use is not made. Written means given to the kernel:
//! the lines of the last second can be lost when the machine itself loses power, not when the broker is killed.

mod chain;
mod verify;
mod writer;

use serde::Serialize;

pub use verify::verify;
pub use writer::{Audit, AuditError};

/// One line. Never a query, a header, a body or a secret.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry {
    pub verb: &'static str,
    pub tenant: String,
    pub connection: String,
    /// Who asked: user and process, as the kernel says.
    pub user: u32,
    pub process: i32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub on_behalf: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub method: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// `begun`, `done`, or a fault's kind.
    pub outcome: &'static str,
}

#[cfg(test)]
mod tests;
