//! The use of runs in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::Keyed;
use roost_execution::runs::Sums;
use roost_platform::ids::TeamId;

/// What a row sums up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseBy {
    Team,
    /// The templates of teams.
    Template,
    Mission,
    /// Who started the runs.
    Person,
    /// The models of the steps.
    Model,
    /// The days in UTC on which the runs were created.
    Day,
}

/// `GET /api/runs/use`
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct UseQuery {
    #[param(inline)]
    pub by: UseBy,
    /// Only runs that were created at this time or later. Thirty days before `to` when it is absent.
    pub from: Option<DateTime<Utc>>,
    /// Only runs that were created before this time: at most 366 days after `from`. Now when it is absent.
    pub to: Option<DateTime<Utc>>,
    /// Only runs of this team.
    pub team_id: Option<TeamId>,
}

/// What runs used.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct UseSums {
    /// Runs that no other run started. What such a run started is a part of it.
    pub runs: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
    /// The time from the start of each of these runs to its end, or to now. For a model, the time of its turns.
    pub seconds: i64,
}

impl From<Sums> for UseSums {
    fn from(sums: Sums) -> Self {
        Self {
            runs: sums.runs,
            input_tokens: sums.tokens_in,
            output_tokens: sums.tokens_out,
            cost_microusd: sums.cost_microusd,
            seconds: sums.ms / 1_000,
        }
    }
}

/// A row of the sums.
#[derive(Debug, Serialize, ToSchema)]
pub struct UseRow {
    /// An id, the name of a model, or a day such as `2026-11-28`. Absent in the row of what has none: runs without a team, a
    /// template or a mission; and turns without a model, because they failed or their journal was deleted long ago.
    pub key: Option<String>,
    /// What people call it. Absent when it is deleted.
    pub name: Option<String>,
    #[serde(flatten)]
    pub sums: UseSums,
}

/// What the runs of a time used.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunsUse {
    pub by: UseBy,
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    /// The largest cost first, and at most 500. Days are in their order.
    pub rows: Vec<UseRow>,
    /// The sums of what has no room in `rows`.
    pub others: Option<UseSums>,
}

impl UseRow {
    /// A row with its name.
    pub fn new(row: Keyed, name: Option<String>) -> Self {
        Self {
            key: row.key.map(|key| key.to_string()),
            name,
            sums: row.sums.into(),
        }
    }
}
