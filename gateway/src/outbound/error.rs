//! Why nothing came back.

use std::time::Duration;

use roost_secret_broker::outbound::Refused;

/// What went wrong outside. Texts are for logs and for whoever configured the address; no answer's body is in them.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    #[error("the address of {host} cannot be used: {why}")]
    BadAddress { host: String, why: &'static str },
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("{host} cannot be reached, or broke off: {cause}")]
    Unreachable { host: String, cause: String },
    #[error("{host} did not answer within {within:?}")]
    TooSlow { host: String, within: Duration },
    #[error("{host} answered {status}")]
    Status { host: String, status: u16 },
    #[error("{host} answered more than {most} bytes")]
    TooLarge { host: String, most: usize },
    #[error("{host} did not answer the JSON that was expected: {cause}")]
    NotJson { host: String, cause: String },
}

impl OutboundError {
    /// Whether the remote said that there is nothing of that name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { status: 404, .. })
    }
}
