//! Why a request failed.

use std::time::Duration;

use roost_secret_broker::outbound::Refused;

/// Why an outbound request failed. The texts are for logs and for the person who configured the address. They contain
/// no part of the answer's body.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    #[error("the address of {host} cannot be used: {why}")]
    BadAddress { host: String, why: &'static str },
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("{host} cannot be reached, or closed the connection: {cause}")]
    Unreachable { host: String, cause: String },
    #[error("{host} did not answer within {within:?}")]
    TooSlow { host: String, within: Duration },
    #[error("{host} answered {status}")]
    Status { host: String, status: u16 },
    #[error("{host} answered more than {most} bytes")]
    TooLarge { host: String, most: usize },
    #[error("{host} sends the request on to {to}, which is not an allowed host")]
    Redirected { host: String, to: String },
    #[error("{host} sends the request on too often")]
    Redirects { host: String },
    #[error("{host} did not answer with the expected JSON: {cause}")]
    NotJson { host: String, cause: String },
}

impl OutboundError {
    /// Whether the remote answered 404.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { status: 404, .. })
    }
}
