//! A collector of traces: accepts OTLP over HTTP and decodes it with OpenTelemetry's own types.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use http::{HeaderMap, StatusCode};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// The received batches, in order.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    batches: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

impl Collector {
    /// Starts it on a free loopback port; returns the address.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let router = axum::Router::new()
            .route("/v1/traces", post(take))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}")
    }

    /// The headers and bodies as received.
    pub fn batches(&self) -> Vec<(HeaderMap, Bytes)> {
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        batches.clone()
    }

    /// All spans.
    ///
    /// # Panics
    /// When a body is not valid OTLP.
    pub fn spans(&self) -> Vec<Span> {
        self.batches()
            .into_iter()
            .map(|(_, body)| ExportTraceServiceRequest::decode(body).expect("OTLP"))
            .flat_map(|batch| batch.resource_spans)
            .flat_map(|resource| resource.scope_spans)
            .flat_map(|scope| scope.spans)
            .collect()
    }
}

async fn take(State(collector): State<Collector>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let mut batches = collector
        .batches
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    batches.push((headers, body));
    StatusCode::OK
}
