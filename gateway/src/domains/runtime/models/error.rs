//! Why a model gave no answer, and whether to ask again.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::request::Usage;

/// What whoever asked can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Ask again after a while.
    Retryable,
    /// Ask again, not before this; where nothing is said, after a while.
    RateLimited { after: Option<Duration> },
    /// The account has no credit left: a person must see to it.
    Quota,
    /// The key is missing, wrong or may not do this: a person must see to it.
    NeedsAuth,
    /// The same request will never work.
    Terminal,
    /// The conversation, or the answer, is longer than can be.
    TooBig,
}

/// A failed turn.
#[derive(Debug)]
pub struct ModelError {
    pub kind: ErrorKind,
    /// For a person: what happened and what to do.
    pub message: String,
    /// What it will cost all the same: the answer had begun.
    pub spent: Option<Spent>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What a turn used that came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// As the provider counted by then, else as estimated from the bytes that went and came.
    pub usage: Usage,
    /// Millionths of a dollar; none where the price is not known.
    pub cost_microusd: Option<u64>,
}

impl ModelError {
    /// A failure without a deeper cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            spent: None,
            source: None,
        }
    }

    /// With what caused it.
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whether asking again can help.
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
