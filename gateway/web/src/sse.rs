//! Server-sent events on the wire: frames, and the answer around a stream of them. `tenancy/streams` makes the streams.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::{HeaderValue, header};

/// The time between two beats. A page cannot see SSE comments, so the beat that shows a live stream is an event.
pub const BEAT_EVERY: Duration = Duration::from_secs(10);
/// The longest life of a connection. The client then reconnects and is authorised again.
pub const ROTATE_AFTER: Duration = Duration::from_secs(600);

/// `event: <kind>` with one line of JSON and no id.
pub fn frame(kind: &str, data: &impl serde::Serialize) -> Bytes {
    let data = serde_json::to_string(data).expect("frames are structs of plain values");
    Bytes::from(format!("event: {kind}\ndata: {data}\n\n"))
}

/// The beat event.
pub fn beat() -> Bytes {
    Bytes::from_static(b"event: beat\ndata: {}\n\n")
}

/// The start of a stream: after how many milliseconds the client reconnects when the stream breaks.
pub fn hello() -> Bytes {
    Bytes::from_static(b"retry: 2000\n\n")
}

/// The answer around a stream of frames.
pub fn response(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    around(Body::from_stream(frames.map(Ok::<_, Infallible>)))
}

/// The answer around a body that is a stream of frames.
pub fn around(body: Body) -> Response {
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
