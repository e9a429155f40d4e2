//! How far an actor that feeds a connection is behind. It is read from outside, for each snapshot of the tree.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

/// The backlog between an actor and the connection that it feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Lag {
    /// Events between the newest of the log and the last that the connection received.
    pub events: u64,
    /// Frames that wait for the connection.
    pub waiting: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Reads a lag.
#[derive(Clone)]
pub(super) struct LagReader(Arc<dyn Fn() -> Lag + Send + Sync>);

impl LagReader {
    pub(super) fn new(read: impl Fn() -> Lag + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(super) fn read(&self) -> Lag {
        (self.0)()
    }
}

impl fmt::Debug for LagReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LagReader").field(&self.read()).finish()
    }
}
