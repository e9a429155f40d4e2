//! Platform: the event log, the secret broker, outbound requests, traces.

mod broker;
mod database;
mod events;
mod outbound;
mod retention;
mod telemetry;
