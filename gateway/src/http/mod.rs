//! Everything about HTTP that is not a domain: problems, request ids and logs, validated JSON, idempotency keys,
//! pagination, cross-site checks, the web UI, OpenAPI, and the listeners with what a request may cost.

pub mod bounds;
pub mod certificate;
pub mod client_address;
pub mod docs;
pub mod hang_up;
pub mod idempotency;
pub mod json;
pub mod observe;
pub mod older;
pub mod origin;
pub mod pages;
pub mod pagination;
pub mod patience;
pub mod problem;
pub mod router;
pub mod serve;
pub mod sse;
pub mod ui;
