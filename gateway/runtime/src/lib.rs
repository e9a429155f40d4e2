//! The built-in runtime: agents that think with a model and work with tools. Each step of a run has one session.
//!
//! Invariants:
//! * The journal records a cause before its effect. An interrupted session continues from its journal.
//! * A conversation stays within its model's window. The journal keeps all of it, with the summaries that replace turns.
//! * The gateway decides at each call what an agent may use, from its team's effective profile and bundles.
//! * The gateway never holds a model's key. The rules are the last part of the system prompt, after skills and
//!   memory.
//!
//! Tables: none (`runs` keeps the journal, `claws` keeps an agent's record). In the tree: a session is a job below
//! its run's actor. The worker `runs/telemetry` publishes what workspaces use.

pub use context::RuntimeContext;
pub use error::RuntimeError;
pub use routes::router;
pub use runtime_steps::{MissionRuntimes, RuntimePlace};

use std::sync::Mutex;
use std::time::Instant;

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_connections::checkouts::CheckoutsContext;
use roost_execution::models::{Ceilings, Resolver, ceilings};
use roost_execution::runs::{Effect, RunRow, StepExecutor, StepJob, StepResult, spent_lately};
use roost_execution::tools::{EffectKey, Toolbox};
use roost_execution::topology::NodeKind;
use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::db::Db;
use roost_platform::events::EventLog;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::KillPoints;
use roost_tenancy::auth::WorkspaceScope;

use self::progress_events::Ended;

mod a2a;
mod agent_context;
mod checkout;
mod checks;
mod command_steps;
mod commands;
mod compaction;
mod context;
mod dto;
mod error;
mod model_turn;
mod progress_events;
mod progress_stream;
mod read_result;
mod routes;
mod runtime_steps;
mod sandbox;
mod session;
pub mod spending;
pub mod telemetry;
mod tool_names;
mod transcript;
mod waiting;
mod window;

/// The agents of the built-in runtime.
#[derive(Clone)]
pub struct Agents {
    pub db: Db,
    pub ids: SharedIds,
    pub events: EventLog,
    pub tools: Toolbox,
    pub checkouts: CheckoutsContext,
    pub sandboxes: SandboxesHandle,
    pub models: Resolver,
    pub spending: spending::Spending,
    /// A step ends after this many turns of its model: a guard against an agent that never finishes.
    pub max_turns: usize,
    pub kill_points: KillPoints,
    /// Finds the runtimes of missions.
    pub mission_runtimes: MissionRuntimes,
}

impl Agents {
    /// What the workspace allows its runs to spend.
    async fn ceilings(&self, scope: WorkspaceScope) -> Result<Ceilings, DbErr> {
        ceilings(self.db.read(), scope).await
    }

    /// The cost of the workspace's runs in the last thirty days, in millionths of a US dollar.
    async fn spent_lately(&self, scope: WorkspaceScope) -> Result<u64, DbErr> {
        let spent = spent_lately(self.db.read(), scope).await?;
        Ok(u64::try_from(spent).unwrap_or(0))
    }
}

#[async_trait]
impl StepExecutor for Agents {
    async fn execute(&self, job: StepJob) -> StepResult {
        if job.node.kind == NodeKind::Commands {
            return command_steps::execute(self, &job).await;
        }
        let begun = Instant::now();
        let (mut context, mind) = match agent_context::load(self, &job).await {
            Ok(context) => context,
            Err(end) => return end,
        };
        let place = match runtime_steps::of_run(self, &job.run).await {
            Ok(place) => place,
            Err(error) => return agent_context::again(error),
        };
        if let Some(place) = &place {
            context.may = runtime_steps::in_sandbox_of(place, context.may);
            (context.seat, context.machine) = (None, None);
        }
        let scope = job.journal.fence.scope();
        // Do not publish an update for every poll of an absent machine.
        if !job.journal.waited {
            progress_events::task_update(self, &job, mind.agent, 0, None).await;
        }
        let (progress, publisher) =
            progress_stream::channel(&self.events, scope, mind.agent, job.journal.fence.about);
        let agent = mind.agent;
        let session = session::Session {
            agents: self,
            job: &job,
            context,
            who: session::Agent { mind, progress },
            checkout: Mutex::default(),
        };
        // Dropping the session closes the voice, and the closed voice ends the telling.
        let work = async {
            match &place {
                Some(place) => session.work_through(place).await,
                None => session.work().await,
            }
        };
        let (end, ()) = futures::join!(work, publisher.run());
        let elapsed = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        if !end.waits() {
            let ended = Ended::of(&end, job.attempt);
            progress_events::task_update(self, &job, agent, elapsed, ended).await;
        }
        end
    }

    async fn abandon(&self, run: &RunRow, effects: Vec<Effect>) {
        let scope = WorkspaceScope::of_row(run.workspace_id);
        let place = match runtime_steps::of_run(self, run).await {
            Ok(place) => place,
            Err(error) => {
                tracing::info!(%error, run = %run.id, "the gateway cannot find the runtime of a cancelled run");
                None
            }
        };
        if let (Some(place), Some(may)) = (&place, command_steps::capability(scope, run))
            && let Err(error) = runtime_steps::abandon(self, run, &may, place).await
        {
            let error: &dyn std::error::Error = &error;
            tracing::info!(error, run = %run.id, "the gateway cannot cancel a task of a cancelled run; its runtime continues until the mission ends");
        }
        for effect in effects {
            let stopped = async {
                let may = match effect.agent {
                    Some(agent) => {
                        let may = agent_context::capability(self, scope, run, agent).await?;
                        match &place {
                            Some(place) => runtime_steps::in_sandbox_of(place, may),
                            None => may,
                        }
                    }
                    None => match command_steps::capability(scope, run) {
                        Some(may) => may,
                        None => return Ok(()),
                    },
                };
                self.tools.cancel(&may, EffectKey(effect.key)).await
            };
            if let Err(error) = stopped.await {
                let error: &dyn std::error::Error = &error;
                tracing::info!(error, run = %run.id, "the gateway cannot stop a command of a cancelled run; it continues until its deadline");
            }
        }
    }
}
