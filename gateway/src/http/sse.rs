//! Server-sent events on the wire: frames, the answer around a stream of them, and how many streams a user may hold.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use http::{HeaderValue, header};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::error::{ApiError, ApiResult, Code};
use crate::ids::UserId;

/// A page cannot see SSE comments, so a stream says that it lives with an event.
pub const BEAT_EVERY: Duration = Duration::from_secs(10);
/// A connection lives so long; the client comes back and is authorised anew.
pub const ROTATE_AFTER: Duration = Duration::from_secs(600);

/// `event: <kind>` with one line of JSON and no id.
pub fn frame(kind: &str, data: &impl serde::Serialize) -> Bytes {
    let data = serde_json::to_string(data).expect("frames are structs of plain values");
    Bytes::from(format!("event: {kind}\ndata: {data}\n\n"))
}

/// The beat.
pub fn beat() -> Bytes {
    Bytes::from_static(b"event: beat\ndata: {}\n\n")
}

/// What a stream begins with: how soon to come back when it breaks, in milliseconds.
pub fn hello() -> Bytes {
    Bytes::from_static(b"retry: 2000\n\n")
}

/// The answer whose body is what is sent into the channel's other end. It ends when that is dropped.
pub fn response(frames: mpsc::Receiver<Bytes>) -> Response {
    let body = Body::from_stream(ReceiverStream::new(frames).map(Ok::<_, Infallible>));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Counts the open streams of each user.
#[derive(Debug, Clone)]
pub struct Streams {
    open: Arc<Mutex<HashMap<UserId, usize>>>,
    most: usize,
}

/// One open stream; closed when dropped.
#[derive(Debug)]
pub struct StreamSlot {
    streams: Streams,
    user: UserId,
}

impl Streams {
    /// `most` a user.
    pub fn new(most: usize) -> Self {
        Self {
            open: Arc::default(),
            most,
        }
    }

    /// Takes one of the user's slots.
    ///
    /// # Errors
    /// 429 when all are taken.
    pub fn open(&self, user: UserId) -> ApiResult<StreamSlot> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= self.most {
            return Err(ApiError::new(Code::TooManyStreams).retry_after(5));
        }
        *count += 1;
        metrics::gauge!("roost_live_subscribers").increment(1.0);
        Ok(StreamSlot {
            streams: self.clone(),
            user,
        })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self
            .streams
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.user) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&self.user);
            }
        }
        metrics::gauge!("roost_live_subscribers").decrement(1.0);
    }
}
