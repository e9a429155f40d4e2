//! Edge: the HTTP server, TLS, an agent's history, the operators' view.

mod activity;
mod http;
mod operator;
mod public_address;
mod slow_connections;
mod specification;
mod tls;
