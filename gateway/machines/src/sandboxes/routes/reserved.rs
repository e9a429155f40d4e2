//! `GET /api/fleet/reserved`: what each machine has promised to sandboxes.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::fleet::{self, Capacity};
use crate::sandboxes::dto::LimitsDto;
use crate::sandboxes::{SandboxesHandle, model, store};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::problem::Problem;

/// States in which a sandbox keeps its reservation.
const HOLDING: [model::State; 4] = [
    model::State::Provisioning,
    model::State::Running,
    model::State::Stopped,
    model::State::Destroying,
];

/// The reservations on one machine.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ReservedOn {
    /// The machine's id, or `local`.
    pub node_id: String,
    pub sandboxes: u32,
    pub memory_bytes: u64,
    /// Billionths of a cpu.
    pub nano_cpus: u64,
    /// Percent of the machine's memory; absent if the machine never reported its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_pct: Option<f64>,
    /// Percent of the machine's processors; absent if the machine never reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_pct: Option<f64>,
}

impl ReservedOn {
    fn of(self, capacity: Capacity) -> Self {
        let pct =
            |part: f64, whole: f64| (whole > 0.0).then(|| (part / whole * 1_000.0).round() / 10.0);
        Self {
            memory_pct: capacity
                .memory_bytes
                .and_then(|total| pct(self.memory_bytes as f64, total as f64)),
            cpu_pct: capacity
                .cores
                .and_then(|cores| pct(self.nano_cpus as f64, f64::from(cores) * 1e9)),
            ..self
        }
    }
}

/// The reservations of each machine. A machine that is not listed has none.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reserved {
    pub items: Vec<ReservedOn>,
}

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(reserved))
}

/// What each machine has promised to the sandboxes of the workspace, used or not. Lost sandboxes have no reservation.
#[utoipa::path(get, path = "/api/fleet/reserved", tag = "nodes",
    responses((status = 200, body = Reserved), (status = 401, body = Problem)))]
async fn reserved(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadNodes>,
) -> ApiResult<Json<Reserved>> {
    let rows = store::holding(sandboxes.db.read(), caller.scope(), &HOLDING).await?;
    let mut by_machine: BTreeMap<String, ReservedOn> = BTreeMap::new();
    for (node_id, limits) in rows {
        let limits: LimitsDto = serde_json::from_value(limits).unwrap_or_default();
        let sum = by_machine
            .entry(node_id.clone())
            .or_insert_with(|| ReservedOn {
                node_id,
                ..ReservedOn::default()
            });
        sum.sandboxes += 1;
        sum.memory_bytes += limits.memory_bytes;
        sum.nano_cpus += limits.nano_cpus;
    }
    let ids: Vec<NodeId> = by_machine.keys().filter_map(|id| id.parse().ok()).collect();
    let capacities = fleet::capacities(&sandboxes.db, caller.scope(), &ids).await?;
    let capacity = |id: &str| {
        let id = id.parse::<NodeId>().ok();
        id.and_then(|id| capacities.get(&id).copied())
            .unwrap_or_default()
    };
    let items = by_machine
        .into_values()
        .map(|sum| {
            let capacity = capacity(&sum.node_id);
            sum.of(capacity)
        })
        .collect();
    Ok(Json(Reserved { items }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_known_only_where_the_whole_is() {
        let sum = || ReservedOn {
            memory_bytes: 1 << 30,
            nano_cpus: 1_500_000_000,
            ..ReservedOn::default()
        };
        let known = sum().of(Capacity {
            memory_bytes: Some(4 << 30),
            cores: Some(8),
        });
        assert_eq!((known.memory_pct, known.cpu_pct), (Some(25.0), Some(18.8)));
        let unknown = sum().of(Capacity::default());
        assert_eq!((unknown.memory_pct, unknown.cpu_pct), (None, None));
    }
}
