//! Traces by OTLP over HTTP, if a collector is configured: one trace per request, and the work of actors. A separate
//! thread sends the batches. If the collector does not answer, spans are lost, but requests are not affected.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Status, TracerProvider};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use secrecy::ExposeSecret;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use super::Otlp;

/// A batch is dropped when the collector takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

static ON: AtomicBool = AtomicBool::new(false);

/// The trace exporter. `end` sends the remaining spans.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts the export.
    ///
    /// # Errors
    /// When the exporter cannot be created, for example because of an invalid header.
    pub fn start(config: &Otlp) -> anyhow::Result<Self> {
        let endpoint = format!(
            "{}/v1/traces",
            config.endpoint.as_str().trim_end_matches('/')
        );
        let headers: HashMap<_, _> = config
            .authorization
            .iter()
            .map(|value| ("authorization".to_owned(), value.expose_secret().to_owned()))
            .collect();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(endpoint)
            .with_timeout(PATIENCE)
            .with_headers(headers)
            .build()?;
        let sampler = Sampler::TraceIdRatioBased(f64::from(config.sample_percent) / 100.0);
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(
                Resource::builder()
                    .with_service_name("roost")
                    .with_attribute(opentelemetry::KeyValue::new(
                        "service.version",
                        env!("CARGO_PKG_VERSION"),
                    ))
                    .build(),
            )
            .build();
        ON.store(true, Ordering::Relaxed);
        Ok(Self(provider))
    }

    /// The layer that exports spans. It leaves out the exporter's own messages, which stay in the log.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("roost"))
            .with_location(false)
            .with_threads(false)
            .with_filter(filter_fn(|meta| {
                !meta.target().starts_with("opentelemetry")
            }))
    }

    /// Sends the remaining spans. It waits as long as one batch may take.
    pub fn end(self) {
        if let Err(error) = self.0.shutdown_with_timeout(PATIENCE) {
            tracing::warn!(%error, "the last traces did not reach the collector");
        }
    }
}

/// Makes a request's span a server span of its caller's trace.
pub fn begin_request(span: &Span, headers: &HeaderMap, method: &http::Method, route: &str) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    // It fails only for a span that has already begun or is not traced.
    drop(span.set_parent(parent));
    span.record("otel.kind", "server");
    span.record("otel.name", format!("{method} {route}"));
    span.set_attribute("http.request.method", method.to_string());
    span.set_attribute("http.route", route.to_owned());
}

/// Records the status of a request's answer.
pub fn end_request(span: &Span, status: StatusCode) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.set_status(Status::error(""));
    }
}
