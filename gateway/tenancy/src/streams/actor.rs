//! One open stream of any kind. The actor sends heartbeats, and ends the stream when its time or its authority ends.
//!
//! Parent: `live`. Children: none. Restart: temporary; the client reconnects, with its cursor where there is one.

use std::time::Duration;

use sea_orm::DbErr;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::handle::Feed;
use super::send_queue::SendQueue;
use crate::auth::StreamHold;
use roost_web::sse;

/// The stream's intervals.
pub(super) struct Pace {
    pub(super) beat: Duration,
    pub(super) rotate: Duration,
}

/// Everything that a stream needs.
pub(super) struct StreamActor<F> {
    pub(super) feed: F,
    pub(super) queue: SendQueue,
    /// Resolves when the authority that opened the stream has ended.
    pub(super) hold: Option<StreamHold>,
    /// Cancelled when the gateway stops.
    pub(super) draining: CancellationToken,
    pub(super) pace: Pace,
}

impl<F: Feed> StreamActor<F> {
    /// Runs until the connection is gone.
    pub(super) async fn run(self) -> Result<(), DbErr> {
        let queue = self.queue;
        // The connection ends however this actor ends.
        let _end = EndWhenDropped(queue.clone());
        let revoked = async {
            match &self.hold {
                Some(hold) => hold.over().await,
                None => std::future::pending().await,
            }
        };
        let outcome = tokio::select! {
            outcome = self.feed.run(queue.clone()) => outcome,
            () = send_heartbeats(&queue, self.pace.beat) => Ok(()),
            () = queue.gone() => return Ok(()),
            () = revoked => {
                queue.discard();
                Ok(())
            }
            () = self.draining.cancelled() => Ok(()),
            () = tokio::time::sleep(self.pace.rotate) => Ok(()),
        };
        queue.end();
        // The client may still take waiting frames. Until it is gone, this actor stands for
        // the memory that it holds.
        tokio::select! {
            () = queue.gone() => {}
            () = self.draining.cancelled() => {}
        }
        outcome
    }
}

async fn send_heartbeats(queue: &SendQueue, every: Duration) {
    let mut beat = interval_at(Instant::now() + every, every);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        queue.offer_heartbeat(sse::beat());
    }
}

struct EndWhenDropped(SendQueue);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;
    use crate::streams::send_queue;

    /// Sends one frame, then waits for ever.
    struct Once(&'static str);

    impl Feed for Once {
        async fn run(self, queue: SendQueue) -> Result<(), DbErr> {
            let _ = queue.send(self.0.into()).await;
            std::future::pending().await
        }
    }

    fn stream(
        beat: Duration,
        rotate: Duration,
    ) -> (StreamActor<Once>, send_queue::SendQueueReader) {
        let (queue, reader) = send_queue::pair();
        let actor = StreamActor {
            feed: Once("event: x\ndata: {}\n\n"),
            queue,
            hold: None,
            draining: CancellationToken::new(),
            pace: Pace { beat, rotate },
        };
        (actor, reader)
    }

    const NEVER: Duration = Duration::from_secs(3_600);

    async fn all(mut reader: send_queue::SendQueueReader) -> String {
        let mut text = String::new();
        while let Some(bytes) = reader.next().await {
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        text
    }

    #[tokio::test]
    async fn a_stream_beats_and_ends_when_its_time_is_over() {
        let (actor, reader) = stream(Duration::from_millis(20), Duration::from_millis(500));
        let (outcome, text) = tokio::join!(actor.run(), all(reader));
        outcome.unwrap();
        assert!(
            text.starts_with("event: x\ndata: {}\n\nevent: beat\ndata: {}\n\n"),
            "{text}"
        );
        assert!(text.matches("event: beat").count() > 1, "{text}");
    }

    #[tokio::test]
    async fn a_gateway_that_stops_ends_its_streams_and_does_not_wait_for_their_readers() {
        let (actor, reader) = stream(NEVER, NEVER);
        actor.draining.cancel();
        actor.run().await.unwrap();
        // The feed may have sent a frame before. Nothing follows it, and the actor does not wait for a beat.
        assert!(!all(reader).await.contains("beat"));
    }

    #[test]
    fn a_stream_that_waits_is_small() {
        let (actor, _intake) = stream(NEVER, NEVER);
        let size = size_of_val(&actor.run());
        assert!(size <= 1_536, "{size} bytes, ten thousand times");
    }

    #[tokio::test]
    async fn a_stream_whose_reader_went_away_is_over() {
        let (actor, reader) = stream(NEVER, NEVER);
        drop(reader);
        actor.run().await.unwrap();
    }
}
