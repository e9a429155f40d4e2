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
pub mod spending;
mod staff;
mod talk;
pub mod telemetry;
mod voice;

use std::time::Instant;

use async_trait::async_trait;
use sea_orm::DbErr;

use crate::db::Db;
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::Resolver;
use crate::domains::models::model::Ceilings;
use crate::domains::models::store::ceilings;
use crate::domains::runs::entity::run;
use crate::domains::runs::store::spent_lately;
use crate::domains::runs::{Effect, End, Job, Perform};
use crate::domains::sandboxes::SandboxesHandle;
use crate::domains::tools::{EffectKey, Toolbox};
use crate::events::EventLog;
use crate::ids::SharedIds;
use crate::supervision::KillPoints;

/// The agents of the built-in runtime.
#[derive(Clone)]
pub struct Agents {
    pub db: Db,
    pub ids: SharedIds,
    pub events: EventLog,
    pub tools: Toolbox,
    pub sandboxes: SandboxesHandle,
    pub models: Resolver,
    pub spending: spending::Spending,
    pub kill_points: KillPoints,
}

impl Agents {
    /// What the workspace lets its runs spend.
    async fn ceilings(&self, scope: WorkspaceScope) -> Result<Ceilings, DbErr> {
        ceilings(self.db.read(), scope).await
    }

    /// What the workspace's runs cost within thirty days, millionths of a US dollar.
    async fn spent_lately(&self, scope: WorkspaceScope) -> Result<u64, DbErr> {
        let spent = spent_lately(self.db.read(), scope).await?;
        Ok(u64::try_from(spent).unwrap_or(0))
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
        // Each look for a machine that is away is no news.
        if !job.journal.waited {
            show::task(self, &job, &staffed, 0, false).await;
        }
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
        if !end.waits() {
            let over = matches!(end, End::Done(_));
            show::task(self, &job, &staffed, elapsed, over).await;
        }
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
