//! Reads a mission with everything that its driver decides on.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::decide::{Facts, PhaseFact, RunFact, RunState};
use super::entity::{mission, mission_team, phase, phase_run};
use super::model::{PhaseKind, PhaseStatus, RuntimeKind, RuntimeState, Status};
use super::{runtime, store};
use roost_execution::runs::{self, ListedRun, Outcome};
use roost_machines::fleet;
use roost_organisation::teams;
use roost_platform::ids::{MissionId, MissionPhaseId, NodeId, RunId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// A mission with its phases, teams and runs.
#[derive(Debug)]
pub struct Loaded {
    pub mission: mission::Model,
    /// In order.
    pub phases: Vec<phase::Model>,
    pub teams: Vec<mission_team::Model>,
    /// The names of the teams that exist.
    pub names: HashMap<TeamId, String>,
    /// Of all attempts.
    pub phase_runs: Vec<phase_run::Model>,
    pub runs: HashMap<RunId, ListedRun>,
    /// The target node, for a mission that works on one node.
    pub node: Option<Node>,
    /// The state of its runtime. `None` when its config names none.
    pub runtime: Option<RuntimeState>,
}

/// The state of the target node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Ready,
    /// It is not connected. Its name.
    Away(String),
    /// It is connected and takes no new work, because it drains or is paused. Its name.
    Closed(String),
    Deleted,
}

/// Reads the mission. `None` when the workspace has no such mission.
///
/// # Errors
/// When the database fails.
pub async fn load(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Option<Loaded>, DbErr> {
    let Some(mission) = store::get(db, scope, id).await? else {
        return Ok(None);
    };
    let phases = store::phases(db, scope, &[id]).await?;
    let minted = store::teams(db, scope, id).await?;
    let ids: Vec<TeamId> = minted.iter().map(|team| team.team_id).collect();
    let names = teams::names(db, scope, &ids).await?;
    let phase_runs = store::phase_runs(db, scope, &[id]).await?;
    let of_phases: Vec<RunId> = phase_runs.iter().map(|run| run.run_id).collect();
    let runs = runs::listed(db, scope, &of_phases).await?;
    let node = match RuntimeKind::parse(&mission.runtime_kind) {
        Some(RuntimeKind::LocalNode) => Some(node_of(db, scope, mission.target_node_id).await?),
        _ => None,
    };
    let runtime = runtime::config::of(&mission.config).map(|_| {
        let state = mission.runtime_state.as_deref();
        state
            .and_then(RuntimeState::parse)
            .unwrap_or(RuntimeState::Gone)
    });
    Ok(Some(Loaded {
        runtime,
        mission,
        phases,
        teams: minted,
        names,
        phase_runs,
        runs: runs.into_iter().map(|run| (run.id, run)).collect(),
        node,
    }))
}

async fn node_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: Option<NodeId>,
) -> Result<Node, DbErr> {
    let Some(id) = id else {
        return Ok(Node::Deleted);
    };
    let found = fleet::availability(db, scope, id).await?;
    Ok(match found {
        None => Node::Deleted,
        Some(node) if node.connected && !node.draining && !node.paused => Node::Ready,
        Some(node) => {
            let of = if node.connected {
                Node::Closed
            } else {
                Node::Away
            };
            of(node.name.unwrap_or_else(|| id.to_string()))
        }
    })
}

impl Loaded {
    /// The facts for [`super::decide`].
    pub fn facts(&self) -> Facts {
        Facts {
            status: self.status(),
            phases: self.phases.iter().map(|row| self.phase_fact(row)).collect(),
            node: self.node.clone(),
            runtime: self.runtime,
        }
    }

    /// The status. A word that this version does not know counts as paused, so that nothing begins.
    pub fn status(&self) -> Status {
        Status::parse(&self.mission.status).unwrap_or(Status::Paused)
    }

    /// What its runs have cost, in millionths of a US dollar.
    pub fn spent_microusd(&self) -> i64 {
        self.runs.values().map(|run| run.cost_microusd).sum()
    }

    /// The name of the target node, while the mission can only wait for it. The work of a phase goes on where it began on a
    /// node that takes no new work.
    pub fn waits_for(&self) -> Option<&str> {
        let current = self.phases.iter().find(|row| !status_of(row).is_past());
        let at_work = current.is_some_and(|row| status_of(row) == PhaseStatus::Running);
        match &self.node {
            Some(Node::Away(name)) if self.status() == Status::Running => Some(name),
            Some(Node::Closed(name)) if self.status() == Status::Running && !at_work => Some(name),
            _ => None,
        }
    }

    /// The name of a team, for people.
    pub fn name_of(&self, team: TeamId) -> String {
        match self.names.get(&team) {
            Some(name) => name.clone(),
            None => "a deleted team".to_owned(),
        }
    }

    /// Who works in a run, for people.
    pub fn worker_of(&self, run: &phase_run::Model) -> String {
        match run.team_id {
            Some(team) => self.name_of(team),
            None => "Roost".to_owned(),
        }
    }

    /// The runs of the present attempt of a phase.
    pub fn runs_of<'a>(
        &'a self,
        phase: &'a phase::Model,
    ) -> impl Iterator<Item = &'a phase_run::Model> {
        let same =
            move |run: &&phase_run::Model| run.phase_id == phase.id && run.attempt == phase.attempt;
        self.phase_runs.iter().filter(same)
    }

    /// The phase with this id.
    pub fn phase(&self, id: MissionPhaseId) -> Option<&phase::Model> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    fn phase_fact(&self, row: &phase::Model) -> PhaseFact {
        PhaseFact {
            id: row.id,
            kind: kind_of(row),
            status: status_of(row),
            runs: self.runs_of(row).map(|run| self.run_fact(run)).collect(),
        }
    }

    fn run_fact(&self, run: &phase_run::Model) -> RunFact {
        let row = self.runs.get(&run.run_id);
        RunFact {
            run: run.run_id,
            team: self.worker_of(run),
            state: row.map_or(RunState::Gone, state_of),
            is_paused: row.is_some_and(|row| row.paused_ms.is_some()),
            held: run.held,
            cancel_requested: row.is_some_and(|row| row.cancel_requested_ms.is_some()),
        }
    }
}

/// The kind of a phase. A word that this version does not know counts as research, which reads only.
pub fn kind_of(row: &phase::Model) -> PhaseKind {
    PhaseKind::parse(&row.kind).unwrap_or(PhaseKind::Research)
}

/// The status of a phase. A word that this version does not know counts as failed, so that a person decides.
pub fn status_of(row: &phase::Model) -> PhaseStatus {
    PhaseStatus::parse(&row.status).unwrap_or(PhaseStatus::Failed)
}

fn state_of(run: &ListedRun) -> RunState {
    use runs::RunStatus;
    match run.status() {
        RunStatus::Queued | RunStatus::Running => RunState::Open,
        RunStatus::Cancelled => RunState::Cancelled,
        RunStatus::Failed => {
            let why = run.error.clone();
            RunState::Failed(why.unwrap_or_else(|| "it has no error.".to_owned()))
        }
        RunStatus::Completed => {
            let outcome = run.decided().unwrap_or(Outcome::Undecided);
            let why = run.outcome_reason.clone();
            RunState::Completed(
                outcome,
                why.unwrap_or_else(|| "No step gave a verdict.".to_owned()),
            )
        }
    }
}

/// The kind of a phase. `None` when it does not exist.
///
/// # Errors
/// When the database fails.
pub async fn phase_kind(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    id: MissionPhaseId,
) -> Result<Option<PhaseKind>, DbErr> {
    let found = store::phase(db, scope, mission, id).await?;
    Ok(found.map(|phase| kind_of(&phase)))
}
