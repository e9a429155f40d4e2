//! The JSON of lists of runs.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::dto::at;
use super::entity::run;
use super::listed_store::{Order, Wanted};
use super::model::Status;
use super::origin::OriginWord;
use super::outcome::Outcome;
use roost_platform::ids::{ClawId, MissionId, RunId, TeamId, TemplateId, UserId};
use roost_web::error::{ApiError, ApiResult};
use roost_web::pagination::{PageQuery, PageRequest};

/// Filters for a list of runs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunsQuery {
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    pub cursor: Option<String>,
    /// Only runs of this team.
    pub team_id: Option<TeamId>,
    /// Only runs of teams that were made from this template and still exist.
    pub template_id: Option<TemplateId>,
    /// Only runs that used this model, themselves or in a run that they started.
    pub model: Option<String>,
    /// Only runs that give work to this agent alone.
    pub agent_id: Option<ClawId>,
    /// Only runs of this mission.
    pub mission_id: Option<MissionId>,
    /// The children of this run, instead of the runs that people started.
    pub parent_run_id: Option<RunId>,
    /// The runs that were forked from this run.
    pub forked_from: Option<RunId>,
    pub status: Option<Status>,
    /// Only runs that wait for an approval, an answer or a machine. Their status is `running`.
    pub waiting: Option<bool>,
    /// Only runs with this outcome. A run that has not ended has none.
    pub outcome: Option<Outcome>,
    /// Only runs that this person started.
    pub created_by: Option<UserId>,
    /// Only runs that were created at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Only runs that were created before this time.
    pub until: Option<DateTime<Utc>>,
    /// Each of these words is in the title, in any case. At most 200 characters.
    pub q: Option<String>,
    /// Newest first when it is absent.
    #[param(inline)]
    pub sort: Option<Order>,
    /// Only runs of this origin.
    pub origin: Option<OriginWord>,
    /// All runs. When it is absent, the list shows the work of people, teams and missions, and leaves out runs of the
    /// origins `call`, `chat`, `room`, `a2a`, `planner` and `routine`.
    pub all: Option<bool>,
}

/// The longest text of `q`, in characters.
const MOST_OF_Q: usize = 200;

impl RunsQuery {
    /// Checks the parameters.
    ///
    /// # Errors
    /// 400 that names the parameter.
    pub fn check(self) -> ApiResult<(Wanted, PageRequest)> {
        if let (Some(from), Some(until)) = (self.from, self.until)
            && until <= from
        {
            return Err(ApiError::validation("until", "must be later than `from`"));
        }
        let text = self.q.unwrap_or_default();
        if text.chars().count() > MOST_OF_Q {
            let why = format!("must have at most {MOST_OF_Q} characters");
            return Err(ApiError::validation("q", why));
        }
        let paging = PageQuery {
            limit: self.limit,
            cursor: self.cursor,
        };
        let wanted = Wanted {
            team: self.team_id,
            // The route reads the teams of the template.
            teams: None,
            model: self.model,
            agent: self.agent_id,
            mission: self.mission_id,
            parent: self.parent_run_id,
            forked_from: self.forked_from,
            waiting: self.waiting.unwrap_or(false),
            status: self.status,
            outcome: self.outcome,
            created_by: self.created_by,
            from_ms: self.from.map(|at| at.timestamp_millis()),
            until_ms: self.until.map(|at| at.timestamp_millis()),
            words: text.split_whitespace().map(str::to_owned).collect(),
            origin: self.origin,
            all: self.all.unwrap_or(false),
            order: self.sort.unwrap_or_default(),
        };
        Ok((wanted, paging.check()?))
    }
}

/// A run beside the thing that it belongs to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunBrief {
    pub id: RunId,
    pub title: String,
    pub status: Status,
    /// What the run waits for. Absent while it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<String>,
    /// When a person paused the run. Absent while it is not paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<DateTime<Utc>>,
    /// Somebody cancelled the run, and it still ends what it has begun.
    pub cancelling: bool,
    /// Absent until the run has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
}

impl From<run::Listed> for RunBrief {
    fn from(row: run::Listed) -> Self {
        Self {
            status: row.status(),
            waiting_on: row.waits_on(),
            paused_at: row.paused_ms.map(at),
            cancelling: row.is_cancelling(),
            outcome: row.decided(),
            id: row.id,
            title: row.title,
            created_at: at(row.created_ms),
            ended_at: row.ended_ms.map(at),
            cost_microusd: row.cost_microusd,
        }
    }
}
