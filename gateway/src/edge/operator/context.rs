//! The context of the operators' view: what its handlers and commands need.

use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use super::snapshot_cache::SnapshotCache;
use roost_machines::sandboxes::ChunkStore;
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::{KillPoints, SupervisorHandle, TreeView};
use roost_tenancy::auth::hosted::HostedIdentity;
use roost_tenancy::change::ChangeContext;
use roost_tenancy::streams::LiveHandle;
use roost_web::error::{ApiError, ApiResult, Code};

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct OperatorContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub metrics: PrometheusHandle,
    pub draining: CancellationToken,
    /// The supervisor for restarts: the listener that received the request may itself be restarted.
    pub jobs: SupervisorHandle,
    /// Shared with the streams of events, so that all streams of a person are counted together.
    pub live: LiveHandle,
    pub snapshots: SnapshotCache,
    pub broker: BrokerHandle,
    /// Whether the configuration names a broker.
    pub needs_broker: bool,
    /// A bucket can be away while the gateway works.
    pub chunks: ChunkStore,
    /// The identity issuer beside local accounts.
    pub hosted: Option<Arc<HostedIdentity>>,
    /// The tree's kill points. They can be armed only where the configuration allows it.
    pub kill_points: KillPoints,
    /// Set when the tree is up. The listeners are part of the tree and are created before it.
    pub view: Arc<OnceLock<TreeView>>,
}

impl ChangeContext for OperatorContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

impl OperatorContext {
    /// The tree. The first requests may come before `app` has stored it.
    pub(super) fn tree(&self) -> ApiResult<&TreeView> {
        self.view
            .get()
            .ok_or_else(|| ApiError::new(Code::Unavailable).retry_after(1))
    }
}
