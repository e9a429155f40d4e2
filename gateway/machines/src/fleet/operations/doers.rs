//! Who ran a command in a sandbox, and for which work: names for people.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use utoipa::ToSchema;

use super::entity::Model;
use roost_agents::claws;
use roost_platform::ids::{ClawId, RunId, UserId};
use roost_tenancy::auth::{self, UserBrief, WorkspaceScope};

/// Who ran a command. Other operations, and commands of older gateways, have none of these fields.
#[derive(Debug, Default, Clone, Serialize, ToSchema)]
pub struct CommandDoer {
    /// The person who ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<UserBrief>,
    /// The agent that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<CommandAgent>,
    /// The run that it was work for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The step of that run, as `coder#1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

/// The agent that ran a command. `name` is absent when the agent is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CommandAgent {
    pub id: ClawId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The names of those who ran some commands.
#[derive(Debug, Default)]
pub struct Doers {
    agents: HashMap<ClawId, String>,
    people: HashMap<UserId, UserBrief>,
}

impl Doers {
    /// Reads the names of those who ran these commands.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of(
        db: &impl ConnectionTrait,
        scope: WorkspaceScope,
        rows: &[Model],
    ) -> Result<Self, DbErr> {
        let agents: Vec<ClawId> = rows.iter().filter_map(|row| row.agent_id).collect();
        let agents = claws::find_some(db, scope, agents).await?;
        let people = auth::users_by_id(db, rows.iter().filter_map(|row| row.user_id)).await?;
        Ok(Self {
            agents: agents
                .into_iter()
                .map(|claw| (claw.id, claw.name))
                .collect(),
            people: people
                .into_iter()
                .map(|user| (user.id, user.into()))
                .collect(),
        })
    }

    /// Who ran this one.
    pub fn doer(&self, row: &Model) -> CommandDoer {
        CommandDoer {
            user: row.user_id.and_then(|id| self.people.get(&id).cloned()),
            agent: row.agent_id.map(|id| CommandAgent {
                name: self.agents.get(&id).cloned(),
                id,
            }),
            run_id: row.run_id,
            step: row.step.clone(),
        }
    }
}
