//! Wiring of agents at work: tools, models, runs, and what they get from other domains.

use std::sync::Arc;

use super::ends::Ends;
use super::links::Teams;
use super::{Shared, StartupError, hosts};
use roost_connections::checkouts::CheckoutsContext;
use roost_execution::models::Resolver;
use roost_execution::providers::scripted::{Script, Scripted};
use roost_execution::runs::{self, Parts, RunsHandle, StepExecutor};
use roost_execution::tools::{EffectiveSkills, SkillText, SkillTexts, Toolbox};
use roost_machines::sandboxes::SandboxesHandle;
use roost_missions::missions::{self, MissionsHandle};
use roost_missions::routines::RoutinesHandle;
use roost_organisation::{agent_skills, skills};
use roost_platform::supervision::{AnyChild, SupervisorSpec};
use roost_runtime::spending::Spending;
use roost_runtime::{self as runtime, Agents, MissionRuntimes, RuntimePlace};

/// The wired parts.
pub(super) struct Work {
    pub runs: RunsHandle,
    pub agents: Agents,
    /// The branch `runs`.
    pub branch: SupervisorSpec,
    pub missions: MissionsHandle,
    pub routines: RoutinesHandle,
    /// The supervisor of the actors of missions.
    pub live_missions: AnyChild,
}

/// Wires agents and the runs that they work on. `replica` is the name of this process in the rows of runs and machines. In load programs, `step_executor` replaces the agents.
pub(super) fn work(
    shared: &Shared<'_>,
    sandboxes: SandboxesHandle,
    replica: String,
    step_executor: Option<Arc<dyn StepExecutor>>,
) -> Result<Work, StartupError> {
    let script = match &shared.config.runs.script {
        Some(path) => Script::read(path)?,
        None => Script::demonstration(),
    };
    let checkouts = hosts::checkouts(shared, sandboxes.clone());
    let agents = Agents {
        db: shared.db.for_work(),
        ids: shared.ids.clone(),
        events: shared.events.clone(),
        tools: toolbox(shared, sandboxes.clone(), checkouts.clone()),
        checkouts,
        sandboxes,
        models: Resolver {
            db: shared.db.for_work(),
            broker: shared.broker.clone(),
            clock: shared.clock.clone(),
            scripted_window: script.window,
            scripted: Arc::new(Scripted::new(Arc::new(script))),
        },
        spending: Spending::default(),
        max_turns: shared.config.runs.max_turns,
        kill_points: shared.kill_points.clone(),
        mission_runtimes: mission_runtimes(shared),
    };
    let (live_missions, handle) = SupervisorSpec::new("live")
        .serves("missions at work")
        .with_handle();
    let routines = RoutinesHandle::new(&replica);
    let missions = MissionsHandle::new(missions::Parts {
        owner: replica.clone(),
        live: handle,
    });
    let (live, handle) = SupervisorSpec::new("live")
        .serves("runs at work")
        .with_handle();
    let runs = RunsHandle::new(Parts {
        owner: replica,
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        step_executor: step_executor.unwrap_or_else(|| Arc::new(agents.clone())),
        subjects: Arc::new(Teams),
        after: Arc::new(Ends {
            ids: shared.ids.clone(),
            clock: shared.clock.clone(),
            sagas: shared.saga_nudge.clone(),
            missions: missions.clone(),
            routines: routines.clone(),
        }),
        live: handle,
        at_once: shared.config.runs.at_once,
        lease: shared.config.runs.lease,
        machine_wait: shared.config.runs.machine_wait,
        ceiling: shared.config.runs.ceiling,
        wakes: shared.wakes.clone(),
    });
    let branch = runs::branch(&runs, live).child(runtime::telemetry::child(&agents));
    Ok(Work {
        runs,
        agents,
        branch,
        missions,
        routines,
        live_missions,
    })
}

/// The runtimes of missions, for the steps of their agents.
fn mission_runtimes(shared: &Shared<'_>) -> MissionRuntimes {
    let db = shared.db.for_work();
    Arc::new(move |scope, mission| {
        let db = db.clone();
        Box::pin(async move {
            let found = missions::runtime_of(db.read(), scope, mission).await?;
            Ok(found.map(|found| RuntimePlace {
                mission,
                is_ready: found.state == missions::RuntimeState::Ready,
                port: found.port,
                path: found.path,
            }))
        })
    })
}

/// The tools, for callers in this process.
fn toolbox(
    shared: &Shared<'_>,
    sandboxes: SandboxesHandle,
    checkouts: CheckoutsContext,
) -> Toolbox {
    let db = shared.db.for_work();
    let skills: EffectiveSkills = Arc::new(move |scope, agent| {
        let db = db.clone();
        Box::pin(async move {
            let skills = agent_skills::effective(db.read(), scope, agent).await?;
            let in_context = skills::prompt::framed(&skills);
            let text = |skill: skills::EffectiveSkill| SkillText {
                text: skills::prompt::read(&skill),
                name: skill.name,
                summary: skill.when_to_use,
                pinned: skill.pinned,
            };
            Ok(SkillTexts {
                each: skills.into_iter().map(text).collect(),
                in_context,
            })
        })
    });
    Toolbox::new(
        sandboxes,
        shared.db.for_work(),
        skills,
        hosts::doors(shared, checkouts),
    )
}
