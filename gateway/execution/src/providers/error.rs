//! Why a model gave no answer, and whether a retry can help.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::request::Usage;

/// What the caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Retry after a while.
    Retryable,
    /// Retry, but not before this time. When it is absent, after a while.
    RateLimited { after: Option<Duration> },
    /// The account has no credit left. A person must add some.
    Quota,
    /// The key is missing, wrong or lacks permission. A person must store another one.
    NeedsAuth,
    /// The same request will never work.
    Terminal,
    /// The conversation, or the answer, exceeds a limit.
    TooBig,
}

/// A failed turn.
#[derive(Debug)]
pub struct ModelError {
    pub kind: ErrorKind,
    /// For a person: what happened and what to do.
    pub message: String,
    /// What the turn costs although it failed. Set when the answer had begun.
    pub spent: Option<Spent>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What a failed turn used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// The provider's count up to then, else an estimate from the sent and received bytes.
    pub usage: Usage,
    /// Millionths of a dollar. Absent when the price is not known.
    pub cost_microusd: Option<u64>,
}

impl ModelError {
    /// An error without a cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            spent: None,
            source: None,
        }
    }

    /// Adds the cause.
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whether a retry can help.
    pub fn may_be_retried(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Retryable | ErrorKind::RateLimited { .. }
        )
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| &**source as &(dyn Error + 'static))
    }
}
