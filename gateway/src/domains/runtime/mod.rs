//! The built-in runtime: agents that think with a model and work with tools, one session a step of a run.
//!
//! Invariants:
//! * Nothing is done before what led to it is in the journal: a session that is cut off goes on in the middle.
//! * What an agent may use is decided at each call, from its team's effective profile and bundles.
//! * The gateway never holds a model's key. Rules stand last in what an agent is told, after skills and memory.
//!
//! Tables: none of its own (`runs` keeps the journal, `teams` the record of an agent). In the tree: a session is a job below
//! its run's actor; `runs/telemetry` tells what workspaces use.

pub mod dto;
pub mod models;
pub mod routes;
mod session;
mod show;
mod staff;
mod talk;
pub mod telemetry;
mod voice;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use sea_orm::DbErr;

use self::models::scripted::Scripted;
use self::models::{Model, ModelError};
use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::entity::run;
use crate::domains::runs::{Effect, End, Job, Perform};
use crate::domains::sandboxes::SandboxesHandle;
use crate::domains::tools::{EffectKey, Toolbox};
use crate::events::EventLog;
use crate::ids::SharedIds;
use crate::supervision::KillPoints;

/// A model that can be asked.
#[derive(Clone)]
pub struct Resolved {
    /// As people call it.
    pub name: String,
    /// As its provider calls it.
    pub called: String,
    pub model: Arc<dyn Model>,
}

/// Where models come from.
#[derive(Clone)]
pub struct Models {
    scripted: Scripted,
}

impl Models {
    /// Those of workspaces, and the scripted one.
    pub fn new(scripted: Scripted) -> Self {
        Self { scripted }
    }

    /// The model of a binding; without one the workspace's own, and without that the script.
    ///
    /// # Errors
    /// When the binding names none.
    pub async fn resolve(
        &self,
        _scope: WorkspaceScope,
        _binding: Option<&str>,
    ) -> Result<Resolved, ModelError> {
        Ok(Resolved {
            name: models::scripted::NAME.to_owned(),
            called: models::scripted::NAME.to_owned(),
            model: Arc::new(self.scripted.clone()),
        })
    }
}

/// The agents of the built-in runtime.
#[derive(Clone)]
pub struct Agents {
    pub db: Db,
    pub ids: SharedIds,
    pub events: EventLog,
    pub tools: Toolbox,
    pub sandboxes: SandboxesHandle,
    pub models: Models,
    pub kill_points: KillPoints,
}

impl Agents {
    /// Whether the workspace may spend more just now.
    async fn within_budget(&self, _scope: WorkspaceScope) -> Result<bool, DbErr> {
        Ok(true)
    }
}

#[async_trait]
impl Perform for Agents {
    async fn perform(&self, job: Job) -> End {
        let begun = Instant::now();
        let staffed = match staff::staff(self, &job).await {
            Ok(staffed) => staffed,
            Err(end) => return end,
        };
        let scope = job.journal.fence.scope();
        show::task(self, &job, &staffed, 0).await;
        let (voice, telling) = voice::voice(&self.events, scope, staffed.may.agent, job.run.id);
        let session = session::Session {
            agents: self,
            job: &job,
            staffed: staffed.clone(),
            voice,
        };
        // The voice ends with the session, and the telling with the voice.
        let (end, ()) = futures::join!(session.work(), telling.tell());
        let elapsed = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        show::task(self, &job, &staffed, elapsed).await;
        end
    }

    async fn abandon(&self, run: &run::Model, effects: Vec<Effect>) {
        let scope = WorkspaceScope::of_row(run.workspace_id);
        for effect in effects {
            let stopped = async {
                let may = staff::capability(self, scope, run, effect.agent).await?;
                self.tools.cancel(&may, EffectKey(effect.key)).await
            };
            if let Err(error) = stopped.await {
                let error: &dyn std::error::Error = &error;
                tracing::info!(error, run = %run.id, "a command of a cancelled run goes on until its deadline");
            }
        }
    }
}
