//! `/api/ops/*`, `/healthz`, `/readyz`, `/metrics`.

mod actors;
mod broker;
mod chaos;
mod log;
mod promises;
mod sign_in;
mod tree;

use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::health;
use super::lately::Lately;
use crate::broker::BrokerHandle;
use crate::clock::SharedClock;
use crate::config::HostedIdentity;
use crate::db::Db;
use crate::domains::live::LiveHandle;
use crate::error::{ApiError, ApiResult, Code};
use crate::ids::SharedIds;
use crate::supervision::{KillPoints, SupervisorHandle, TreeView};

/// What the routes need.
#[derive(Clone)]
pub struct OperatorState {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub metrics: PrometheusHandle,
    pub draining: CancellationToken,
    /// Below which restarts run: the listener that took the request may be what restarts.
    pub jobs: SupervisorHandle,
    /// Shared with the streams of events: a person's streams are counted together.
    pub live: LiveHandle,
    pub lately: Lately,
    pub broker: BrokerHandle,
    /// Whether the configuration says that there is one.
    pub needs_broker: bool,
    /// Who vouches for people beside local accounts.
    pub hosted: Option<Arc<HostedIdentity>>,
    /// Those of the tree; armed only where the configuration allows it.
    pub kill_points: KillPoints,
    /// Set once the tree is up; the listeners, which are in the tree, are made before it.
    pub view: Arc<OnceLock<TreeView>>,
}

impl OperatorState {
    /// The tree; the first requests may come before `app` has stored it.
    pub(super) fn tree(&self) -> ApiResult<&TreeView> {
        self.view
            .get()
            .ok_or_else(|| ApiError::new(Code::Unavailable).retry_after(1))
    }
}

/// The routes.
pub fn router() -> OpenApiRouter<OperatorState> {
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
