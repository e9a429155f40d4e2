//! `GET /api/fleet/reserved`: what sandboxes were promised of each machine.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::domains::auth::{Scoped, can};
use crate::domains::fleet::{self, Capacity};
use crate::domains::sandboxes::dto::LimitsDto;
use crate::domains::sandboxes::{SandboxesHandle, model, store};
use crate::error::ApiResult;
use crate::http::problem::Problem;
use crate::ids::NodeId;

/// States in which a sandbox holds what it was promised.
const HOLDING: [model::State; 4] = [
    model::State::Provisioning,
    model::State::Running,
    model::State::Stopped,
    model::State::Destroying,
];

/// What is promised on one machine.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ReservedOn {
    /// The machine, or `local`.
    pub node_id: String,
    pub sandboxes: u32,
    pub memory_bytes: u64,
    /// Billionths of a cpu.
    pub nano_cpus: u64,
    /// Of the machine's memory, percent; absent when it never said how much it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_pct: Option<f64>,
    /// Of the machine's processors, percent.
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

/// What is promised, machine by machine; one that is not listed has promised nothing.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reserved {
    pub items: Vec<ReservedOn>,
}

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(reserved))
}

/// What the sandboxes of the workspace were promised of each machine, used or not. Lost ones hold nothing.
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
