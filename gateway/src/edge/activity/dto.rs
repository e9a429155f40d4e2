//! An agent's history in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model::{Key, Place, Source};
use roost_machines::fleet::operations::{
    CommandDoer, CommandFacts, Doers, OperationRow, OperationState,
};
use roost_platform::events;
use roost_platform::ids::NodeId;
use roost_tenancy::audit::AuditRow;
use roost_tenancy::auth::UserBrief;
use roost_web::error::{ApiError, ApiResult};
use roost_web::pagination::PageQuery;

/// `GET /api/claws/{id}/activity`
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ActivityQuery {
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Only these sources: `operation`, `event`, `audit`, separated by commas.
    pub sources: Option<String>,
}

/// The checked parameters.
#[derive(Debug)]
pub struct Wanted {
    pub limit: u64,
    pub after: Option<Place>,
    pub sources: Vec<Source>,
}

impl ActivityQuery {
    /// Checks the parameters.
    ///
    /// # Errors
    /// 400 that names the parameter.
    pub fn check(self) -> ApiResult<Wanted> {
        let paging = PageQuery {
            limit: self.limit,
            cursor: None,
        };
        let cursor = |text: &str| {
            Place::from_cursor(text).ok_or_else(|| {
                ApiError::validation("cursor", "must be a next_cursor of this list, unchanged")
            })
        };
        let sources = |text: &str| {
            Source::read_list(text).ok_or_else(|| {
                ApiError::validation("sources", "must be of `operation`, `event` and `audit`")
            })
        };
        Ok(Wanted {
            limit: paging.check()?.limit,
            after: self.cursor.as_deref().map(cursor).transpose()?,
            sources: match self.sources.as_deref() {
                None => Source::ALL.to_vec(),
                Some(text) => sources(text)?,
            },
        })
    }
}

/// One action of an agent, or one action on it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Activity {
    /// Unique within its source.
    pub id: String,
    pub source: Source,
    pub at: DateTime<Utc>,
    /// Kind of the operation (`sb_exec`), type of the event (`agent.status`), or action (`brain.written`).
    pub what: String,
    /// The state of an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<OperationState>,
    /// The machine of an operation; absent on the gateway's own host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// Why the operation failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The user of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UserBrief>,
    /// Who ran a command in the sandbox, and for which run.
    #[serde(flatten)]
    pub doer: CommandDoer,
    /// The facts of a command in a sandbox.
    #[serde(flatten)]
    pub command: CommandFacts,
    /// The content: the operation's request, the event's data, or the audit entry's details.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

impl Activity {
    fn plain(place: Place, what: String, data: serde_json::Value) -> (Place, Self) {
        let activity = Self {
            id: match place.key {
                Key::Id(id) => id.to_string(),
                Key::Number(number) => number.to_string(),
            },
            source: place.source,
            at: place.at,
            what,
            state: None,
            node_id: None,
            finished_at: None,
            duration_ms: None,
            detail: None,
            by: None,
            doer: CommandDoer::default(),
            command: CommandFacts::default(),
            data,
        };
        (place, activity)
    }

    /// From an operation.
    pub fn of_operation(mut row: OperationRow, doers: &Doers) -> (Place, Self) {
        let place = Place {
            at: row.created_at,
            source: Source::Operation,
            key: Key::Id(row.id.0),
        };
        let doer = doers.doer(&row);
        let (state, command) = (row.state(), CommandFacts::take(&mut row));
        let (place, plain) = Self::plain(place, row.kind, row.request);
        let activity = Self {
            state: Some(state),
            node_id: row.node_id,
            finished_at: row.finished_at,
            duration_ms: row.duration_ms,
            detail: row.detail,
            doer,
            command,
            ..plain
        };
        (place, activity)
    }

    /// From an event.
    pub fn of_event(row: events::event_entity::Model) -> (Place, Self) {
        let place = Place {
            at: row.at,
            source: Source::Event,
            key: Key::Number(row.seq),
        };
        let data = serde_json::from_str(&row.data).unwrap_or_default();
        Self::plain(place, row.kind, data)
    }

    /// From an entry of the audit log.
    pub fn of_entry(row: AuditRow, by: Option<UserBrief>) -> (Place, Self) {
        let place = Place {
            at: row.at,
            source: Source::Audit,
            key: Key::Id(row.id.0),
        };
        let (place, plain) = Self::plain(place, row.action, row.details);
        (place, Self { by, ..plain })
    }
}
