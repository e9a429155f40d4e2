//! `/api/ops/*`, `/healthz`, `/readyz`, `/metrics`.

mod actors;
mod broker;
mod chaos;
mod log;
mod promises;
mod sign_in;
mod tree;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{OperatorContext, health};

/// The routes.
pub fn router() -> OpenApiRouter<OperatorContext> {
    OpenApiRouter::new()
        .routes(routes!(tree::tree))
        .routes(routes!(tree::stream))
        .routes(routes!(actors::restart))
        .routes(routes!(actors::explain))
        .routes(routes!(promises::promises))
        .routes(routes!(broker::broker))
        .routes(routes!(sign_in::sign_in))
        .routes(routes!(log::log))
        .routes(routes!(chaos::points, chaos::arm, chaos::disarm))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
}
