//! A client that follows all events of a workspace by the last id seen, like a page, even while gateways are killed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::{Client, Stream};

/// Follows in the background until it is dropped.
#[derive(Debug)]
pub struct Follower {
    seen: Arc<Mutex<Vec<i64>>>,
    task: JoinHandle<()>,
}

impl Follower {
    /// Follows from the beginning of the log. Each new connection uses the next of these gateways.
    pub fn start(clients: Vec<Client>) -> Self {
        let seen = Arc::<Mutex<Vec<i64>>>::default();
        let mine = seen.clone();
        let task = tokio::spawn(async move {
            for client in clients.iter().cycle() {
                let last = lock(&mine).last().copied().unwrap_or(0);
                let request = client.get("/api/events");
                let request = request.header("last-event-id", &format!("1.{last}"));
                if let Some(mut stream) = Stream::try_open(request).await {
                    while let Some(event) = stream.next().await {
                        let id = event.id.expect("only beats have no id");
                        let seq = id.strip_prefix("1.").expect("the log was not restored");
                        lock(&mine).push(seq.parse().expect("a number"));
                    }
                }
                sleep(Duration::from_millis(20)).await;
            }
        });
        Self { seen, task }
    }

    /// The events seen so far, in order of arrival.
    pub fn seen(&self) -> Vec<i64> {
        lock(&self.seen).clone()
    }

    /// Waits until the event `head` arrived; then checks that all earlier events arrived once, in order.
    ///
    /// # Panics
    /// When an event is missing, double or out of order.
    pub async fn saw_all(&self, head: i64) {
        crate::eventually("the follower saw the newest event", async || {
            assert!(!self.task.is_finished(), "the follower failed");
            (self.seen().last() >= Some(&head)).then_some(())
        })
        .await;
        // An event that arrived after the head was read is fine, if it is in order.
        let seen = self.seen();
        let last = seen.last().copied().unwrap_or(0);
        assert_eq!(seen, (1..=last).collect::<Vec<_>>());
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(seen: &Mutex<Vec<i64>>) -> std::sync::MutexGuard<'_, Vec<i64>> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
