//! Platform: the event log, the secret broker, outbound requests, traces.

mod broker;
mod events;
mod outbound;
mod telemetry;
