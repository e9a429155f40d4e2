//! Limits of a request before its handler: the length of its address, and the pace of its body. hyper limits the number
//! and size of the headers (`serve.rs`).

use std::borrow::Cow;
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
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, Sleep, sleep_until};

use roost_web::error::{ApiError, Code};

/// The most bytes of a path with its query.
const MAX_URI_BYTES: usize = 8 << 10;
/// For each so many bytes, a body may take one second more than its grace.
const MIN_BODY_RATE: u64 = 4 << 10;

/// Refuses an address that is too long, and ends a body that is slower than its pace. `grace`: the time that any body
/// may take.
pub async fn enforce_limits(
    State(grace): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let address = request.uri().path_and_query();
    if address.is_some_and(|address| address.as_str().len() > MAX_URI_BYTES) {
        return ApiError::new(Code::UriTooLong).into_response();
    }
    if let Some(address) = address
        && let Err(why) = is_text(address.path()).and(address.query().map_or(Ok(()), is_text))
    {
        return ApiError::validation("", why).into_response();
    }
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        Body::new(PacedBody {
            body,
            grace,
            received: 0,
            begun: None,
            late: None,
        })
    });
    next.run(request).await
}

/// Whether a part of an address is text after its percent-escapes are decoded. PostgreSQL does not accept NUL, and
/// Roost's ids and words are always UTF-8.
fn is_text(part: &str) -> Result<(), &'static str> {
    let bytes: Cow<'_, [u8]> = percent_decode_str(part).into();
    match std::str::from_utf8(&bytes) {
        Err(_) => Err("the address must be UTF-8 when its percent-escapes are decoded"),
        Ok(text) if text.contains('\0') => Err("the address must not contain NUL (%00)"),
        Ok(_) => Ok(()),
    }
}

/// The body was too slow.
#[derive(Debug, thiserror::Error)]
#[error("the request body arrives slower than {MIN_BODY_RATE} bytes a second")]
struct TooSlow;

struct PacedBody {
    body: Body,
    grace: Duration,
    received: u64,
    /// Set when a reader first waits for the body.
    begun: Option<Instant>,
    late: Option<Pin<Box<Sleep>>>,
}

impl HttpBody for PacedBody {
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
        let until = begun + self.grace + Duration::from_secs(self.received / MIN_BODY_RATE);
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
