//! Reads server-sent events in tests. Everything from a stream is checked against its schema and the specification.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use serde_json::Value;

use crate::{Request, schema, specification};

/// One received event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: Option<String>,
    pub kind: String,
    pub data: Value,
    /// The line `about:`; null without one.
    pub about: Value,
}

/// An open stream.
pub struct Stream {
    body: Pin<Box<dyn futures::Stream<Item = reqwest::Result<Bytes>> + Send>>,
    rest: Vec<u8>,
    ready: VecDeque<Event>,
    schema: &'static Value,
}

impl Stream {
    /// Opens it; waits until the answer has begun.
    ///
    /// # Panics
    /// When the answer is not an event stream.
    pub async fn open(request: Request) -> Self {
        let path = request.path();
        let response = request.open().await;
        assert_eq!(response.status().as_u16(), 200, "{response:?}");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self::of(response, &path)
    }

    /// Opens it at a gateway that may be dead; `None` when the gateway is dead or refuses.
    pub async fn try_open(request: Request) -> Option<Self> {
        let path = request.path();
        let response = request.try_open().await.ok()?;
        response
            .status()
            .is_success()
            .then(|| Self::of(response, &path))
    }

    fn of(response: reqwest::Response, path: &str) -> Self {
        Self {
            schema: schema::stream_at(path),
            body: Box::pin(response.bytes_stream()),
            rest: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// The next event except heartbeats; `None` when the stream ended.
    ///
    /// # Panics
    /// When nothing arrives for 20 s.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if event.kind == "beat" {
                    continue;
                }
                return Some(event);
            }
            let piece = tokio::time::timeout(Duration::from_secs(20), self.body.next())
                .await
                .expect("a stream brings something within 20 s");
            match piece {
                Some(Ok(bytes)) => self.push(&bytes),
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// The next `count` events.
    ///
    /// # Panics
    /// When the stream ends before.
    pub async fn take(&mut self, count: usize) -> Vec<Event> {
        let mut events = Vec::with_capacity(count);
        while events.len() < count {
            events.push(self.next().await.expect("the stream goes on"));
        }
        events
    }

    fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
            let block: Vec<u8> = self.rest.drain(..end + 2).collect();
            let block = String::from_utf8(block).expect("events are UTF-8");
            let field = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            };
            if let Some(data) = field("data") {
                let kind = field("event").unwrap_or("message").to_owned();
                let data = serde_json::from_str(data).expect("the data of an event is JSON");
                if let Err(wrong) = schema::check_event(self.schema, &kind, &data) {
                    panic!("an event is not as the document says: {wrong}: {data}");
                }
                if let Err(wrong) = specification::events::check(&kind, &data) {
                    panic!("an event is not as specified: {wrong}: {data}");
                }
                let about = field("about").map_or(Value::Null, |about| {
                    serde_json::from_str(about).expect("the line is JSON")
                });
                self.ready.push_back(Event {
                    about,
                    id: field("id").map(str::to_owned),
                    kind,
                    data,
                });
            }
        }
    }
}
