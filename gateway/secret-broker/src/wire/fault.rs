//! Why the broker refused a request or failed: a closed kind for programs, a sentence for people.

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
            /// The code on the wire and in the audit log.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ Self::Unknown => "unknown" }
            }
        }
    };
}

codes! {
    /// The request is not valid or breaks a limit.
    BadRequest => "bad-request",
    /// Client and broker have no common version.
    VersionUnknown => "version-unknown",
    /// This user may not send that request.
    Forbidden => "forbidden",
    /// Too many connections, or the same work is already running.
    Busy => "busy",
    /// There is no record of that name.
    UnknownRecord => "unknown-record",
    /// A sign-in that never began, is over or too old.
    UnknownSignIn => "unknown-sign-in",
    /// The record exists and cannot be opened.
    RecordDamaged => "record-damaged",
    /// The root key cannot be used.
    RootUnavailable => "root-unavailable",
    /// A write to the disk failed; nothing was changed.
    StoreFailed => "store-failed",
    /// The audit log cannot be written, so the use did not happen.
    AuditFailed => "audit-failed",
    /// No entry of the record's allow-list covers the request.
    NotAllowed => "not-allowed",
    /// The host has an address that the policy does not permit.
    AddressRefused => "address-refused",
    /// No connection to the remote was made (unknown name, nothing listens, wrong certificate): nothing was sent.
    NotReached => "not-reached",
    /// The connection to the remote broke. The remote may have received the request.
    RemoteUnreachable => "remote-unreachable",
    /// The remote's answer cannot be passed on.
    RemoteRefused => "remote-refused",
    /// The remote timed out.
    RemoteTimeout => "remote-timeout",
    /// More bytes than allowed.
    TooLarge => "too-large",
    /// The remote no longer accepts the refresh token: a person has to connect again.
    NeedsReauth => "needs-reauth",
    /// git is missing here, or failed.
    GitFailed => "git-failed",
    /// The mirror, or the branch or commit in it, does not exist.
    UnknownCommit => "unknown-commit",
    /// A bundle breaks a rule; nothing of it was kept.
    BundleRefused => "bundle-refused",
    /// The host has other commits on that branch; nothing was changed.
    PushRaced => "push-raced",
    /// The broker is stopping.
    Stopping => "stopping",
}

/// A kind and a sentence that says what to do. It never holds a secret: text from a remote is redacted and bounded.
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
    fn code_is_encoded_as_its_slug_and_a_newer_code_is_unknown() {
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
