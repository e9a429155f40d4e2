//! Plans: how much of each quota a workspace may take.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::QuotaKind;

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Agents that are not deleted.
    pub agents: u64,
    /// Sandboxes that run at the same time.
    pub live_containers: u64,
}

/// All plans of the deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// What a new workspace gets (the first one of a deployment gets `scale`).
    pub default: String,
    /// By name.
    #[serde(flatten)]
    pub tiers: BTreeMap<String, Plan>,
}

impl Default for Plans {
    fn default() -> Self {
        let plan = |agents, live_containers| Plan {
            agents,
            live_containers,
        };
        Self {
            default: "free".to_owned(),
            tiers: [
                ("free", plan(5, 2)),
                ("team", plan(50, 20)),
                ("scale", plan(1_000, 200)),
            ]
            .map(|(name, plan)| (name.to_owned(), plan))
            .into(),
        }
    }
}

impl Plans {
    /// The limit of a quota under a plan. A plan that the configuration no longer names allows nothing new.
    pub fn limit(&self, plan: &str, kind: QuotaKind) -> u64 {
        self.tiers.get(plan).map_or(0, |plan| match kind {
            QuotaKind::Agents => plan.agents,
            QuotaKind::LiveContainers => plan.live_containers,
        })
    }
}
