//! The operator's settings for logs and traces.

/// The log settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub format: LogFormat,
    /// The syntax of `RUST_LOG`.
    pub filter: String,
}

/// One line per event, for people or for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Pretty,
    Json,
}

/// The export of traces by OTLP over HTTP.
#[derive(Debug, Clone)]
pub struct Otlp {
    /// The collector's base URL; `/v1/traces` is added.
    pub endpoint: url::Url,
    /// The `Authorization` header for the collector.
    pub authorization: Option<secrecy::SecretString>,
    /// The percentage of traces that are kept, for traces that begin here. A caller's own decision is followed.
    pub sample_percent: u8,
}
