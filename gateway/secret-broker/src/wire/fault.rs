//! Why the broker did not do what was asked: a closed kind for programs, a sentence for people.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident => $slug:literal,)+) => {
        /// The closed list of kinds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum FaultCode {
            $($(#[doc = $doc])+ $variant,)+
            /// A kind of a newer broker.
            #[serde(other)]
            Unknown,
        }

        impl FaultCode {
            /// As on the wire and in the audit log.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ Self::Unknown => "unknown" }
            }
        }
    };
}

codes! {
    /// The request is not understood or breaks a limit.
    BadRequest => "bad-request",
    /// Versions have nothing in common.
    VersionUnknown => "version-unknown",
    /// This user may not do that.
    Forbidden => "forbidden",
    /// Too many connections, or the same work is being done already.
    Busy => "busy",
    /// There is no record of that name.
    UnknownRecord => "unknown-record",
    /// A sign-in that was never begun, is over or too old.
    UnknownSignIn => "unknown-sign-in",
    /// The record is there and does not open.
    RecordDamaged => "record-damaged",
    /// The root key cannot be used.
    RootUnavailable => "root-unavailable",
    /// The disk said no; nothing was changed.
    StoreFailed => "store-failed",
    /// A use that cannot be written down is not made.
    AuditFailed => "audit-failed",
    /// No entry of the record's allow-list covers the request.
    NotAllowed => "not-allowed",
    /// The host has an address that nobody may be sent to.
    AddressRefused => "address-refused",
    /// The remote cannot be reached, or broke off.
    RemoteUnreachable => "remote-unreachable",
    /// The remote answered what cannot be passed on.
    RemoteRefused => "remote-refused",
    /// The remote took too long.
    RemoteTimeout => "remote-timeout",
    /// More bytes than is allowed.
    TooLarge => "too-large",
    /// The remote does not take the refresh token any more: a person has to connect again.
    NeedsReauth => "needs-reauth",
    /// git is missing here, or could not do it.
    GitFailed => "git-failed",
    /// The broker is stopping.
    Stopping => "stopping",
}

/// A kind and what to do about it. Never holds a secret: whatever came from a remote was redacted and bounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{detail}")]
pub struct Fault {
    pub code: FaultCode,
    pub detail: String,
}

impl Fault {
    /// A fault.
    pub fn new(code: FaultCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_called_on_the_wire_as_its_slug_says_and_a_newer_one_is_unknown() {
        for code in [
            FaultCode::NeedsReauth,
            FaultCode::RootUnavailable,
            FaultCode::BadRequest,
        ] {
            let wire = serde_json::to_value(code).unwrap();
            assert_eq!(wire, code.slug());
        }
        let newer: FaultCode = serde_json::from_str("\"of-tomorrow\"").unwrap();
        assert_eq!(newer, FaultCode::Unknown);
    }
}
