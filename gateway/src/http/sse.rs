//! Server-sent events on the wire: frames, and the answer around a stream of them. Who makes streams is `domains/live`.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::{HeaderValue, header};

/// A page cannot see SSE comments, so a stream says that it lives with an event.
pub const BEAT_EVERY: Duration = Duration::from_secs(10);
/// A connection lives so long at most; the client comes back and is authorised anew.
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

/// The answer around a stream of frames.
pub fn response(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let body = Body::from_stream(frames.map(Ok::<_, Infallible>));
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
