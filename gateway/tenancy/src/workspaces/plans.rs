//! Plans: how much of each quota a workspace may use.

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
    /// The most workspaces that a person may own if one of them has this plan.
    #[serde(default = "few_workspaces")]
    pub workspaces: u64,
}

/// The value of `free`, for an operator's own plan without this field.
fn few_workspaces() -> u64 {
    5
}

/// All plans of the deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// The plan of the deployment's first workspace, and of every workspace that people create later.
    pub default: String,
    /// The plan of workspaces that the issuer's people get by themselves (`auth.per_signup_workspace`).
    pub signup: String,
    /// The plans by name.
    #[serde(flatten)]
    pub tiers: BTreeMap<String, Plan>,
}

impl Default for Plans {
    fn default() -> Self {
        let plan = |agents, live_containers, workspaces| Plan {
            agents,
            live_containers,
            workspaces,
        };
        Self {
            default: "scale".to_owned(),
            signup: "free".to_owned(),
            tiers: [
                ("free", plan(5, 2, few_workspaces())),
                ("team", plan(50, 20, 20)),
                ("scale", plan(1_000, 200, 100)),
            ]
            .map(|(name, plan)| (name.to_owned(), plan))
            .into(),
        }
    }
}

impl Plans {
    /// The most workspaces for a person that owns workspaces with these plans and wants one with the plan `wanted`. The
    /// most generous plan counts.
    pub fn most_workspaces<'a>(
        &self,
        owned: impl IntoIterator<Item = &'a str>,
        wanted: &str,
    ) -> u64 {
        let most = |plan: &str| self.tiers.get(plan).map_or(0, |plan| plan.workspaces);
        owned.into_iter().map(most).fold(most(wanted), u64::max)
    }

    /// The limit of a quota under a plan. A plan that is not in the configuration any more allows nothing new.
    pub fn limit(&self, plan: &str, kind: QuotaKind) -> u64 {
        self.tiers.get(plan).map_or(0, |plan| match kind {
            QuotaKind::Agents => plan.agents,
            QuotaKind::LiveContainers => plan.live_containers,
        })
    }
}
