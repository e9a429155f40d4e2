//! The JSON of what people say to runs at work.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::dto::at;
use super::entity::{call, message};
use super::entry::Entry;
use super::messages::LONGEST;
use roost_platform::ids::{ClawId, RunId, RunMessageId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// Which part of a step.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StepPartQuery {
    /// 1 when absent.
    pub lap: Option<u32>,
    /// 0 when absent.
    pub shard: Option<u32>,
}

/// A message to a run at work.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRunMessage {
    /// What its agents hear before their next turn.
    #[schema(min_length = 1, max_length = 8_000)]
    pub text: String,
    /// Only this agent hears it. All agents of the run, and of the runs that it starts, hear it when this is absent.
    pub agent_id: Option<ClawId>,
}

impl Check for NewRunMessage {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/text", &self.text, 1, LONGEST);
    }
}

/// What a person said to a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunMessage {
    pub id: RunMessageId,
    pub run_id: RunId,
    pub text: String,
    /// The agent that it is for. Absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    /// Absent when the account was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    /// The steps of this run that heard it. Empty while no agent has taken a turn since.
    pub heard: Vec<RunMessageHeard>,
}

/// A step that heard a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunMessageHeard {
    pub step: String,
    pub lap: u32,
    pub shard: u32,
    pub at: DateTime<Utc>,
}

impl RunMessage {
    /// From its row, its author, and the notes in the journals of its run.
    pub(super) fn new(row: message::Model, by: Option<UserBrief>, notes: &[call::Model]) -> Self {
        let heard = notes.iter().filter(|note| hears(note, row.id));
        Self {
            id: row.id,
            run_id: row.run_id,
            text: row.text,
            agent_id: row.agent_id,
            by,
            created_at: at(row.created_ms),
            heard: heard
                .map(|note| RunMessageHeard {
                    step: note.step_key.clone(),
                    lap: u32::try_from(note.lap).unwrap_or(0),
                    shard: u32::try_from(note.shard).unwrap_or(0),
                    at: at(note.ended_ms),
                })
                .collect(),
        }
    }
}

fn hears(note: &call::Model, message: RunMessageId) -> bool {
    match Entry::parse(note) {
        Ok(Entry::Note(note)) => note.message.is_some_and(|said| said.id == message),
        _ => false,
    }
}
