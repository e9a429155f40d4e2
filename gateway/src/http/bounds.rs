//! What a request may cost before anybody looks at it: how long its address is, and how slowly its body may come. How many
//! headers it has and how large they are, hyper bounds itself (`serve.rs`).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::error::{ApiError, Code};

/// Bytes of a path with its query.
const LONGEST_ADDRESS: usize = 8 << 10;
/// For each so many bytes a body may take a second more than its grace.
const BODY_PACE: u64 = 4 << 10;

/// Refuses what is too long, and sees to it that a body does not come slower than its pace. `grace`: how long any body
/// may take.
pub async fn bounded(State(grace): State<Duration>, request: Request, next: Next) -> Response {
    let address = request.uri().path_and_query();
    if address.is_some_and(|address| address.as_str().len() > LONGEST_ADDRESS) {
        return ApiError::new(Code::UriTooLong).into_response();
    }
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        Body::new(Paced {
            body,
            grace,
            received: 0,
            begun: None,
            late: None,
        })
    });
    next.run(request).await
}

/// A body that came too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the body came slower than {BODY_PACE} bytes a second")]
struct TooSlow;

struct Paced {
    body: Body,
    grace: Duration,
    received: u64,
    /// Set when somebody first waits for it.
    begun: Option<Instant>,
    late: Option<Pin<Box<Sleep>>>,
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(frame) = frame {
            if let Some(Ok(frame)) = &frame {
                self.received += frame.data_ref().map_or(0, Bytes::len) as u64;
                self.late = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let until = begun + self.grace + Duration::from_secs(self.received / BODY_PACE);
        let late = self
            .late
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        match late.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Some(Err(TooSlow.into()))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}
