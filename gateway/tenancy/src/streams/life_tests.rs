//! Streams in a tree of their own, without HTTP and without a database.

use std::time::Duration;

use axum::body::Body;
use futures::StreamExt;
use sea_orm::DbErr;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::phase::Input;
use super::{Feed, Limits, LiveHandle, Opening, SendQueue, Wire};
use crate::auth::OpenStreams;
use roost_platform::ids::CountingIds;
use roost_platform::supervision::{SupervisorHandle, SupervisorSpec, Tree, TreeOptions};
use roost_web::sse;

/// Sends one frame, then waits for ever.
struct Once(&'static str);

impl Feed for Once {
    async fn run(self, queue: SendQueue) -> Result<(), DbErr> {
        let _ = queue.send(self.0.into()).await;
        std::future::pending().await
    }
}

struct Streams {
    tree: Tree,
    live: LiveHandle,
    actors: SupervisorHandle,
    draining: CancellationToken,
}

impl Streams {
    async fn start() -> Self {
        let (branch, actors) = SupervisorSpec::new("live").with_handle();
        let root = SupervisorSpec::new("roost").child(branch);
        let tree = Tree::start(TreeOptions::default(), root).await.unwrap();
        let draining = CancellationToken::new();
        let limits = Limits {
            a_user: 9,
            a_workspace: 9,
        };
        let live = LiveHandle::new(
            limits,
            OpenStreams::default(),
            std::sync::Arc::new(CountingIds::default()),
            actors.clone(),
            draining.clone(),
        );
        Self {
            tree,
            live,
            actors,
            draining,
        }
    }

    async fn open(&self) -> Body {
        self.open_with_queue().await.1
    }

    async fn open_with_queue(&self) -> (SendQueue, Body) {
        let admission = self.live.admit(Opening {
            what: "test",
            authority: None,
            workspace: None,
            serves: "a test".to_owned(),
            wire: Wire::http_server(),
        });
        let (admission, feed) = (admission.unwrap(), Once("event: x\ndata: {}\n\n"));
        let queue = admission.queue().clone();
        (queue, admission.open(feed).await.unwrap().into_body())
    }

    /// Moves the timer of the streams.
    fn tick(&self, after: Duration) {
        self.live.stream_clock().tick(Instant::now() + after);
    }

    async fn none_lives(&self) {
        while !self.actors.is_empty() {
            tokio::task::yield_now().await;
        }
    }

    async fn end(self) {
        self.tree.shutdown(Duration::from_secs(5)).await;
    }
}

async fn all(body: Body) -> String {
    let mut pieces = body.into_data_stream();
    let mut text = String::new();
    while let Some(piece) = pieces.next().await {
        text.push_str(std::str::from_utf8(&piece.unwrap()).unwrap());
    }
    text
}

#[tokio::test]
async fn stream_beats_and_ends_when_its_time_is_over() {
    let streams = Streams::start().await;
    let mut body = streams.open().await.into_data_stream();
    let mut text = String::new();
    while !text.contains("event: x") {
        text.push_str(std::str::from_utf8(&body.next().await.unwrap().unwrap()).unwrap());
    }
    assert!(text.starts_with("retry: 2000\n\n"), "{text}");
    streams.tick(sse::BEAT_EVERY / 2);
    streams.tick(sse::BEAT_EVERY);
    // The next one is due ten seconds later.
    streams.tick(sse::BEAT_EVERY + Duration::from_secs(5));
    assert_eq!(body.next().await.unwrap().unwrap(), sse::beat());
    streams.tick(sse::ROTATE_AFTER);
    let rest = body.next().await.map(|piece| piece.unwrap());
    assert_eq!(rest, Some(sse::beat()), "one beat, and then the end");
    assert!(body.next().await.is_none());
    drop(body);
    streams.none_lives().await;
    streams.end().await;
}

#[tokio::test]
async fn client_that_does_not_take_the_last_frames_is_cut_off() {
    let streams = Streams::start().await;
    let (queue, body) = streams.open_with_queue().await;
    streams.tick(sse::ROTATE_AFTER);
    assert!(queue.lag().bytes > 0, "the last frames wait");
    streams.tick(sse::ROTATE_AFTER + Duration::from_secs(40));
    while queue.lag().bytes > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(all(body).await, "");
    streams.none_lives().await;
    streams.end().await;
}

#[tokio::test]
async fn gateway_that_stops_ends_its_streams_and_does_not_wait_for_their_readers() {
    let streams = Streams::start().await;
    let before = streams.open().await;
    streams.draining.cancel();
    streams.live.stream_clock().tell_all(Input::GatewayStops);
    let after = streams.open().await;
    streams.none_lives().await;
    // The feed may have sent a frame before. Nothing follows it.
    for body in [before, after] {
        assert!(!all(body).await.contains("beat"));
    }
    streams.end().await;
}

#[tokio::test]
async fn stream_whose_reader_went_away_is_over() {
    let streams = Streams::start().await;
    let body = streams.open().await;
    drop(body);
    streams.none_lives().await;
    // Its slot is free again, and its place in the timer.
    for _ in 0..20 {
        drop(streams.open().await);
        streams.none_lives().await;
    }
    assert_eq!(streams.live.stream_clock().len(), 0);
    streams.end().await;
}
