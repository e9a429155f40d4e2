//! Failures of supervision: an actor's failure, a child's failed start, a missing answer.

use std::error::Error;
use std::time::Duration;

/// A failure of an actor's start, handler or job: any error, so that `?` works on each domain's own.
pub type Failure = Box<dyn Error + Send + Sync + 'static>;

/// The roster keeps at most so many bytes of a failure's text.
pub const FAILURE_TEXT_LIMIT: usize = 2_000;

/// Why an actor did not answer. Domains map this to their own error and to HTTP 504 or 503.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// No actor lives at this address.
    #[error("{path}: no such actor")]
    NoSuchActor {
        /// The actor's path.
        path: String,
    },
    /// It starts, or it failed and waits for its restart. A retry helps.
    #[error("{path} is restarting; try again")]
    Restarting {
        /// The actor's path.
        path: String,
    },
    /// It failed more often than allowed and stays down until an operator restarts it.
    #[error("{path} has failed for good: {failure}")]
    Failed {
        /// The actor's path.
        path: String,
        /// Its last failure.
        failure: String,
    },
    /// Its mailbox is full. It did not take the message.
    #[error("the mailbox of {path} is full ({bound} messages)")]
    Full {
        /// The actor's path.
        path: String,
        /// The bound.
        bound: usize,
    },
    /// The actor took the message but did not answer in time. The message may still have an effect.
    #[error("{path} did not answer within {within:?}")]
    Timeout {
        /// The actor's path.
        path: String,
        /// How long the caller waited.
        within: Duration,
    },
    /// The actor took the message and ended before it answered. The message may still have had an effect.
    #[error("{path} ended before it answered")]
    Died {
        /// The actor's path.
        path: String,
    },
}

/// Why a child was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its name is not valid in a path.
    #[error("{name:?} cannot name an actor: use 1 to 160 visible characters without `/`")]
    BadName {
        /// The name.
        name: String,
    },
    /// A sibling has the same name.
    #[error("{path} already exists")]
    NameTaken {
        /// The path in use.
        path: String,
    },
    /// Its start returned an error or panicked. The first start is never repeated, because a bad configuration stays
    /// bad.
    #[error("{path} did not start")]
    Failed {
        /// The child.
        path: String,
        /// The cause.
        #[source]
        source: Failure,
    },
    /// Its start did not finish in time.
    #[error("{path} did not start within {within:?}")]
    TooSlow {
        /// The child.
        path: String,
        /// Its limit.
        within: Duration,
    },
    /// The former actor of this path is still alive (most likely it blocks its thread).
    #[error("the previous {path} is still alive after {waited:?}; it seems to block its thread")]
    StillAlive {
        /// The child.
        path: String,
        /// How long the supervisor waited.
        waited: Duration,
    },
    /// No child has this name, or it cannot be started again.
    #[error("{path} cannot be restarted: {why}")]
    NotRestartable {
        /// The child.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// The parent did not answer.
    #[error("the supervisor did not answer")]
    NoAnswer(#[from] NoAnswer),
}

impl StartError {
    /// Converts ractor's error and drops ractor's text around the cause.
    pub(super) fn from_spawn(path: String, error: ractor::SpawnErr) -> Self {
        match error {
            ractor::SpawnErr::StartupFailed(source) => Self::Failed { path, source },
            other => Self::Failed {
                path,
                source: other.to_string().into(),
            },
        }
    }
}

/// An error and all its sources in one line, cut at [`FAILURE_TEXT_LIMIT`].
pub(super) fn chain_text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(": ");
        text.push_str(&source.to_string());
        next = source.source();
    }
    bounded(text)
}

/// The text, cut at [`FAILURE_TEXT_LIMIT`] on a character border.
pub(super) fn bounded(mut text: String) -> String {
    if text.len() > FAILURE_TEXT_LIMIT {
        let mut end = FAILURE_TEXT_LIMIT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The text of a caught panic.
pub(super) fn panic_text(payload: Box<dyn std::any::Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&'static str>().map_or_else(
            |_| "a panic without words".to_owned(),
            |text| (*text).to_owned(),
        ),
    }
}
