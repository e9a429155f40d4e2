//! Holds one request of a remote still, until a test lets it go.

use std::sync::Arc;

use tokio::sync::Notify;

/// A gate. Cheap to clone; each request that passes it is let through once.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    arrived: Arc<Notify>,
    go: Arc<Notify>,
}

impl Gate {
    /// For the remote: says that it is here, and waits.
    pub async fn pass(&self) {
        self.arrived.notify_one();
        self.go.notified().await;
    }

    /// For the test: until a request is here.
    pub async fn arrived(&self) {
        self.arrived.notified().await;
    }

    /// For the test: lets it go.
    pub fn open(&self) {
        self.go.notify_one();
    }
}
