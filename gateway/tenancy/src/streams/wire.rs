//! How the bytes of a stream reach the client: by the HTTP server (TLS, HTTP/2, HTTP/1.0), or on the connection's own
//! socket, which the sender writes to (`sender.rs`). Both begin with the same head, written by the HTTP server.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::FromRequestParts;
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Version, header};
use hyper::body::Frame;

use super::send_queue::SendQueueReader;
use super::sender::StreamSender;
use roost_web::connections::Connection;
use roost_web::sse;

/// The connection of a request, if its answer may take the socket.
pub struct Wire(Option<Connection>);

impl<S: Sync> FromRequestParts<S> for Wire {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // An older client does not know chunks, and several streams of HTTP/2 share a socket. A HEAD gets no body.
        let fits = parts.version == Version::HTTP_11 && parts.method == Method::GET;
        let connection = parts.extensions.get::<Connection>();
        Ok(Self(
            connection
                .filter(|connection| fits && connection.can_be_taken())
                .cloned(),
        ))
    }
}

impl Wire {
    /// By the HTTP server.
    #[cfg(test)]
    pub(super) fn http_server() -> Self {
        Self(None)
    }

    /// The answer whose body is this stream.
    pub(super) fn answer(self, reader: SendQueueReader, sender: &StreamSender) -> Response {
        let Some(connection) = self.0 else {
            return sse::response(reader);
        };
        let mut response = sse::around(Body::new(TakenBody {
            connection,
            reader: Some(reader),
            sender: sender.clone(),
        }));
        // The HTTP server reads no further request from this connection.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        response
    }
}

/// A body that takes the socket when the head is written. It sends nothing itself.
struct TakenBody {
    connection: Connection,
    /// Absent after the sender has it.
    reader: Option<SendQueueReader>,
    sender: StreamSender,
}

/// The end of a body whose socket was taken. The HTTP server drops its connection when it gets this.
#[derive(Debug, thiserror::Error)]
#[error("the stream continues on its own socket")]
struct Taken;

impl HttpBody for TakenBody {
    type Data = Bytes;
    type Error = Taken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Taken>>> {
        match self.connection.take_socket(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(socket) => {
                if let Some(reader) = self.reader.take() {
                    self.sender.add(socket, self.connection.clone(), reader);
                }
                Poll::Ready(Some(Err(Taken)))
            }
        }
    }
}

impl Drop for TakenBody {
    fn drop(&mut self) {
        if self.reader.is_some() {
            self.connection.leave_socket();
        }
    }
}
