//! Logs, metrics and traces of the process.

pub mod otlp;
pub mod recent;
mod redact;
mod settings;

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::fmt::writer::MakeWriterExt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use otlp::Traces;
pub use redact::Redactor;
pub use settings::{Log, LogFormat, Otlp};

/// Starts logging to standard error, and the export of traces if `traces` is given. Only the first call of a process
/// has an effect.
pub fn log(config: &Log, traces: Option<&Traces>) {
    let filter = EnvFilter::try_new(&config.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr.and(recent::Recent));
    let lines = match config.format {
        LogFormat::Pretty => lines.with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let outcome = tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(traces.map(Traces::layer))
        .try_init();
    // Only tests start several gateways in one process. The first one's subscriber serves all.
    drop(outcome);
}

/// The metrics of the process. They are described once.
pub fn metrics() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let recorder = PrometheusBuilder::new()
                .set_buckets_for_metric(
                    Matcher::Suffix("_seconds".to_owned()),
                    &[
                        0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
                    ],
                )
                .expect("the buckets are a constant list that is not empty")
                .build_recorder();
            let handle = recorder.handle();
            // Another recorder in the same process (a bench) stays in place; this one then stays empty.
            drop(metrics::set_global_recorder(recorder));
            describe();
            handle
        })
        .clone()
}

fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_counter!(
        "roost_http_requests_total",
        "Requests answered, by method, route and status."
    );
    describe_histogram!(
        "roost_http_request_duration_seconds",
        "How long requests took, by route."
    );
    describe_counter!(
        "roost_live_queue_overflows_total",
        "Times a live subscriber fell behind and read the store."
    );
    describe_gauge!("roost_live_subscribers", "Open event streams.");
    describe_gauge!("roost_actors", "Actors, supervisors and jobs that live.");
    describe_counter!(
        "roost_actors_killed_total",
        "Actors that did not stop in time and were killed."
    );
    describe_counter!(
        "roost_promise_watch_total",
        "Times a promise was defended or broken, by promise and watch."
    );
    describe_counter!(
        "roost_events_appended_total",
        "Ephemeral events appended by group commits."
    );
    describe_counter!(
        "roost_events_dropped_total",
        "Ephemeral events dropped because the log could not keep up."
    );
}
