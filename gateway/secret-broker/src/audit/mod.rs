//! The broker's own audit log: one line per use of a secret, each chained by hash to the previous line.
//!
//! The broker writes a use to the log before it makes the use. If the write fails, the use does not happen. Written
//! means given to the kernel: the last second of lines can be lost when the machine loses power, but not when the
//! broker is killed.

mod chain;
mod verify;
mod writer;

use serde::Serialize;

pub use verify::verify;
pub use writer::{Audit, AuditError};

/// One line. It never holds a query, a header, a body or a secret.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry {
    pub verb: &'static str,
    pub tenant: String,
    pub connection: String,
    /// User and process of the peer, from the kernel.
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
