//! Traces by OTLP, read by a collector that decodes them with OpenTelemetry's own types.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use roost_tests::{Client, Collector, Process, Store};

const KEY: &str = "Bearer of-the-collector";

fn attribute(span: &Span, key: &str) -> Option<Value> {
    let found = span.attributes.iter().find(|pair| pair.key == key)?;
    found.value.as_ref()?.value.clone()
}

#[tokio::test]
async fn requests_are_traced_below_their_callers_and_sent_at_the_latest_when_it_stops() {
    let collector = Collector::default();
    let endpoint = collector.start().await;
    let folder = tempfile::tempdir().unwrap();
    let set = [
        ("otlp.endpoint", endpoint.as_str()),
        ("otlp.authorization", KEY),
    ];
    let mut gateway = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = "00f067aa0ba902b7";
    let secret = "rst_a-token-that-nobody-has";
    Client::new(&gateway.url())
        .with_token(secret)
        .get("/api/claws")
        .header("traceparent", &format!("00-{trace}-{parent}-01"))
        .refused(401, "unauthenticated")
        .await;
    gateway.terminate().await;
    let spans = collector.spans();
    let ours = spans
        .iter()
        .find(|span| hex::encode(&span.trace_id) == trace);
    let ours = ours.unwrap_or_else(|| panic!("{spans:?}\n{}", gateway.log()));
    assert_eq!(hex::encode(&ours.parent_span_id), parent);
    assert_eq!(ours.name, "GET /api/claws");
    assert_eq!(ours.kind, 2, "a server span");
    assert_eq!(
        attribute(ours, "http.response.status_code"),
        Some(Value::IntValue(401))
    );
    assert!(attribute(ours, "id").is_some(), "the request's id");
    assert!(spans.iter().any(|span| span.name == "actor"));
    for (headers, body) in collector.batches() {
        assert_eq!(headers["authorization"], KEY);
        let body = String::from_utf8_lossy(&body);
        assert!(body.contains("roost") && !body.contains(secret));
    }
}

#[tokio::test]
async fn a_collector_that_is_not_there_costs_nothing_but_its_spans() {
    let folder = tempfile::tempdir().unwrap();
    // Nobody listens on the discard port of loopback.
    let set = [("otlp.endpoint", "http://127.0.0.1:9")];
    let mut gateway = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    Client::new(&gateway.url())
        .get("/healthz")
        .expect(200)
        .await;
    gateway.terminate().await;
    let log = gateway.log();
    assert!(log.contains("telemetry data will be lost"), "{log}");
}
