//! The gateway: HTTP API, actors, web UI, operator's command line.

pub mod clock;
pub mod supervision;
