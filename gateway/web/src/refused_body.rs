//! The answer to an upload that is refused before its body was read.
//!
//! A server that answers and closes the connection while the client still sends can lose the answer: the client's next write
//! fails, and it never reads why. So the rest of a small body is read and dropped first.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use futures::{Stream, StreamExt};

/// Most bytes that are read and dropped. A larger upload is cut off.
const MOST: usize = 32 << 20;
/// How long the rest may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// A middleware for routes that take uploads: after the answer is known, reads what the route left of the body.
pub async fn read_rest(request: Request, next: Next) -> Response {
    let left = Left::default();
    let lent = left.clone();
    let response = next.run(request.map(|body| lent.lend(body))).await;
    if let Some(rest) = left.take() {
        // The answer matters more than the rest, so a body that comes too slowly is given up.
        let _ = tokio::time::timeout(PATIENCE, dropped(rest)).await;
    }
    response
}

async fn dropped(mut rest: BodyDataStream) {
    let mut bytes = 0;
    while let Some(Ok(piece)) = rest.next().await {
        bytes += piece.len();
        if bytes > MOST {
            return;
        }
    }
}

/// What a route left of a body.
#[derive(Clone, Default)]
struct Left(Arc<Mutex<Option<BodyDataStream>>>);

impl Left {
    fn lend(&self, body: Body) -> Body {
        Body::from_stream(Lent {
            body: Some(body.into_data_stream()),
            left: self.clone(),
        })
    }

    fn take(&self) -> Option<BodyDataStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A body that a route reads. What it does not read comes back.
struct Lent {
    body: Option<BodyDataStream>,
    left: Left,
}

impl Stream for Lent {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let piece = std::task::ready!(body.poll_next_unpin(context));
        if !matches!(piece, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(piece)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut left = self.left.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = self.body.take();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use axum::Router;
    use axum::routing::post;
    use http::StatusCode;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn client_that_sends_everything_first_reads_why_it_was_refused() {
        let refusal = || async { (StatusCode::FORBIDDEN, "the reason") };
        let read = |body: Bytes| async move { body.len().to_string() };
        let routes = Router::new()
            .route("/refused", post(refusal))
            .route("/read", post(read))
            .layer(axum::middleware::from_fn(read_rest));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let clients = async move {
            for (path, status, text) in
                [("refused", "403", "the reason"), ("read", "200", "1048576")]
            {
                let answer = tokio::task::spawn_blocking(move || {
                    let mut client = TcpStream::connect(address).unwrap();
                    let length = match path {
                        "refused" => 8 << 20,
                        _ => 1 << 20,
                    };
                    let head = format!(
                        "POST /{path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
                    );
                    client.write_all(head.as_bytes()).unwrap();
                    client.write_all(&vec![7; length]).unwrap();
                    let mut answer = String::new();
                    client.read_to_string(&mut answer).unwrap();
                    answer
                });
                let answer = answer.await.unwrap();
                assert!(
                    answer.starts_with(&format!("HTTP/1.1 {status}")),
                    "{answer}"
                );
                assert!(answer.ends_with(text), "{answer}");
            }
        };
        tokio::select! {
            served = async { axum::serve(listener, routes).await } => panic!("the server ended: {served:?}"),
            () = clients => {}
        }
    }
}
