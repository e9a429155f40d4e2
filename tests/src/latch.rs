//! A latch that holds one request of a remote until a test releases it.

use std::sync::Arc;

use tokio::sync::Notify;

/// A latch. Cheap to clone; it holds each request until one release.
#[derive(Debug, Clone, Default)]
pub struct Latch {
    arrived: Arc<Notify>,
    go: Arc<Notify>,
}

impl Latch {
    /// For the remote: reports its arrival and waits.
    pub async fn pass(&self) {
        self.arrived.notify_one();
        self.go.notified().await;
    }

    /// For the test: waits until a request has arrived.
    pub async fn arrived(&self) {
        self.arrived.notified().await;
    }

    /// For the test: releases the request.
    pub fn open(&self) {
        self.go.notify_one();
    }
}
