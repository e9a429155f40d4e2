//! How things go wrong here: what an actor may fail with, why a child did not start, why nobody answered.

use std::error::Error;
use std::time::Duration;

/// What an actor's start, handler or job may fail with: any error, so that `?` works on each domain's own.
pub type Failure = Box<dyn Error + Send + Sync + 'static>;

/// The longest text of a failure that the roster keeps, in bytes.
pub const FAILURE_TEXT_LIMIT: usize = 2_000;

/// Why an actor did not answer. Domains map this to their own error and to HTTP 504 or 503.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// Nothing lives at this address (any more).
    #[error("{path}: no such actor")]
    NoSuchActor {
        /// Whom was asked.
        path: String,
    },
    /// It starts, or failed and waits to be started again. Trying again helps.
    #[error("{path} is restarting; try again")]
    Restarting {
        /// Whom was asked.
        path: String,
    },
    /// It failed more often than allowed and stays down until an operator restarts it.
    #[error("{path} has failed for good: {failure}")]
    Failed {
        /// Whom was asked.
        path: String,
        /// Its last failure.
        failure: String,
    },
    /// Its mailbox is at its bound. The message was not taken.
    #[error("the mailbox of {path} is full ({bound} messages)")]
    Full {
        /// Whom was asked.
        path: String,
        /// The bound.
        bound: usize,
    },
    /// The message was taken, the answer did not come in time. It may still have had its effect.
    #[error("{path} gave no answer within {within:?}")]
    Timeout {
        /// Whom was asked.
        path: String,
        /// How long we waited.
        within: Duration,
    },
    /// The message was taken, and the actor ended before it answered. It may still have had its effect.
    #[error("{path} ended before it answered")]
    Died {
        /// Whom was asked.
        path: String,
    },
}

/// Why a child was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its name cannot stand in a path.
    #[error("{name:?} cannot name an actor: use 1 to 160 visible characters without `/`")]
    BadName {
        /// The name.
        name: String,
    },
    /// A sibling has that name.
    #[error("{path} exists already")]
    NameTaken {
        /// The path that is taken.
        path: String,
    },
    /// The parent restarts a chain of children that depend on each other; it takes none while running.
    #[error(
        "{path} is rest-for-one and takes no children at run time; put a one-for-one supervisor below it"
    )]
    FixedChildren {
        /// The parent.
        path: String,
    },
    /// Its start returned an error or panicked. The first start is never repeated: a bad configuration does not
    /// get better by trying.
    #[error("{path} did not start")]
    Failed {
        /// The child.
        path: String,
        /// Why.
        #[source]
        source: Failure,
    },
    /// Its start did not come to an end.
    #[error("{path} did not start within {within:?}")]
    TooSlow {
        /// The child.
        path: String,
        /// Its limit.
        within: Duration,
    },
    /// What lived there before has not gone yet (a blocking call, most likely).
    #[error("the former {path} is still alive after {waited:?}; it seems to block its thread")]
    StillAlive {
        /// The child.
        path: String,
        /// How long we waited.
        waited: Duration,
    },
    /// Nothing of that name, or it cannot be made a second time.
    #[error("{path} cannot be restarted: {why}")]
    NotRestartable {
        /// The child.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// It was stopped, or its parent was, before it was up.
    #[error("{path} was stopped before it was up")]
    Stopped {
        /// The child.
        path: String,
    },
    /// The parent did not answer.
    #[error("the supervisor did not answer")]
    NoAnswer(#[from] NoAnswer),
}

impl StartError {
    /// From ractor's error, without ractor's words around the cause.
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

/// The words of a caught panic.
pub(super) fn panic_text(payload: Box<dyn std::any::Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&'static str>().map_or_else(
            |_| "a panic without words".to_owned(),
            |text| (*text).to_owned(),
        ),
    }
}
