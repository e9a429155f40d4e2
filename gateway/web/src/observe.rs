//! The outermost layer of each listener. It gives a request its id, opens its span, counts and times it, and writes the
//! body of problems (only this layer knows the id). It logs server errors once with their causes.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};
use tracing::{Instrument, Span};

use super::problem::{Code, Problem};
use crate::error::ApiError;
use roost_platform::clock::SharedClock;
use roost_platform::ids::{RequestId, SharedIds, fresh};
use roost_platform::telemetry::otlp;

/// The id of the request, in every answer and in every log line about it.
pub static X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
static ROOST_BUILD: HeaderName = HeaderName::from_static("roost-build");

/// An error whose HTML page is already written. The layer only logs it.
#[derive(Clone)]
pub struct Explained(pub ApiError);

/// What the layer needs.
#[derive(Clone)]
pub struct Observer {
    pub ids: SharedIds,
    pub clock: SharedClock,
}

/// The middleware.
pub async fn observe(
    State(observer): State<Observer>,
    mut request: Request,
    next: Next,
) -> Response {
    let id: RequestId = fresh(&observer.ids);
    request.extensions_mut().insert(id);
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!(
        "request",
        %id,
        %method,
        route,
        otel.kind = tracing::field::Empty,
        otel.name = tracing::field::Empty,
    );
    otlp::begin_request(&span, request.headers(), &method, &route);
    let started = observer.clock.monotonic();
    async move {
        let mut response = next.run(request).await;
        let took = observer.clock.monotonic() - started;
        let status = response.status();
        record(method.as_str(), &route, status, took);
        otlp::end_request(&Span::current(), status);
        let error = response.extensions_mut().remove::<ApiError>().or_else(|| {
            // axum's own refusals (unknown method, too large a body) become problems too.
            bare_refusal(&response).map(ApiError::new)
        });
        if let Some(Explained(error)) = response.extensions_mut().remove() {
            log_failure(&error);
        }
        if let Some(error) = error {
            log_failure(&error);
            response = write_problem(response, &error, id);
        }
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
            headers.insert(X_REQUEST_ID.clone(), value);
        }
        headers.insert(
            ROOST_BUILD.clone(),
            HeaderValue::from_static(roost_platform::BUILD_ID),
        );
        if status.is_server_error() {
            tracing::warn!(
                status = status.as_u16(),
                took_ms = took.as_millis(),
                "answered"
            );
        } else {
            tracing::debug!(
                status = status.as_u16(),
                took_ms = took.as_millis(),
                "answered"
            );
        }
        response
    }
    .instrument(span)
    .await
}

fn record(method: &str, route: &str, status: StatusCode, took: Duration) {
    let labels = [
        ("method", method.to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("roost_http_requests_total", &labels).increment(1);
    metrics::histogram!("roost_http_request_duration_seconds", "route" => route.to_owned())
        .record(took.as_secs_f64());
}

fn bare_refusal(response: &Response) -> Option<Code> {
    if response.headers().contains_key(header::CONTENT_TYPE)
        && !response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes().starts_with(b"text/plain"))
    {
        return None;
    }
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Some(Code::MethodNotAllowed),
        StatusCode::PAYLOAD_TOO_LARGE => Some(Code::PayloadTooLarge),
        StatusCode::INTERNAL_SERVER_ERROR => Some(Code::Internal),
        StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => Some(Code::NoAnswer),
        StatusCode::BAD_REQUEST => Some(Code::Validation),
        _ => None,
    }
}

fn log_failure(error: &ApiError) {
    if !error.code.status().is_server_error() {
        return;
    }
    let mut causes = Vec::new();
    let mut next: Option<&dyn std::error::Error> = error
        .source
        .as_deref()
        .map(|source| source as &dyn std::error::Error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    tracing::error!(
        code = error.code.slug(),
        detail = error.detail,
        causes = causes.join(": "),
        "request failed"
    );
}

fn write_problem(response: Response, error: &ApiError, id: RequestId) -> Response {
    let problem = Problem::of(error, &id.to_string());
    let (mut parts, _) = response.into_parts();
    parts.status = error.code.status();
    parts.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    parts
        .headers
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    parts.headers.remove(header::CONTENT_LENGTH);
    let body = serde_json::to_vec(&problem).expect("a struct of strings and numbers encodes");
    Response::from_parts(parts, Body::from(body))
}
