//! The begin of a phase: its input, and a run for each of its teams.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::{Done, Driver, Ready, branches};
use crate::artifacts;
use crate::missions::decide::Next;
use crate::missions::entity::{mission_team, phase, phase_run};
use crate::missions::facts::{Loaded, kind_of};
use crate::missions::input::{self, Earlier, OpenTask};
use crate::missions::model::{PhaseKind, PhaseStatus};
use crate::missions::touch::touch;
use crate::missions::{plan, store};
use crate::tasks::{self, TaskStatus};
use roost_connections::checkouts::RunRepo;
use roost_connections::repos;
use roost_execution::runs::{Origin, RunError, RunLimits, RunRow, begin_as};
use roost_organisation::teams::{self, RunTeam, TeamError, Work};
use roost_platform::ids::{MissionPhaseId, RunId, TeamId, fresh};
use roost_platform::supervision::{Failure, JobContext};
use roost_tenancy::change::Change;
use roost_web::error::ApiError;

/// Why a phase could not begin, for people.
pub(super) struct Refused(pub(super) String);

impl Driver {
    /// Begins the phase. A phase that cannot begin fails with the reason.
    pub(super) async fn begin(
        &mut self,
        cx: &JobContext,
        next: Next,
        id: MissionPhaseId,
    ) -> Result<Done, Failure> {
        let (mut change, loaded) = match self.change_for(&next).await? {
            Ready::Now(change, loaded) => (*change, *loaded),
            Ready::Otherwise => return Ok(Done::Changed),
            Ready::Lost => return Ok(Done::Lost),
        };
        let Some(phase) = loaded.phase(id) else {
            return Ok(Done::Changed);
        };
        match self.start(&mut change, &loaded, phase).await? {
            Ok(()) => {
                touch(&mut change, loaded.mission).await?;
                self.commit(cx, change).await
            }
            Err(Refused(why)) => {
                // Some of its runs may be in the transaction already.
                drop(change);
                self.fail_begin(cx, next, id, &why).await
            }
        }
    }

    async fn start(
        &self,
        change: &mut Change,
        loaded: &Loaded,
        phase: &phase::Model,
    ) -> Result<Result<(), Refused>, DbErr> {
        let kind = kind_of(phase);
        if !kind.has_teams() {
            return self.start_probe(change, loaded, phase).await;
        }
        let there: Vec<&mission_team::Model> = loaded
            .teams
            .iter()
            .filter(|team| loaded.names.contains_key(&team.team_id))
            .collect();
        let teams = plan::teams_of(&there, |team| PhaseKind::parse(&team.purpose), kind);
        if teams.is_empty() {
            let why = "The mission has no team any more: its teams were deleted.";
            return Ok(Err(Refused(why.to_owned())));
        }
        let Some(ceiling) = ceiling(loaded, teams.len()) else {
            let why = "The budget of the mission is used up.";
            return Ok(Err(Refused(why.to_owned())));
        };
        let now = change.now();
        tasks::carry(
            change,
            &self.state.ids,
            self.scope,
            (self.id, phase.id),
            now,
        )
        .await?;
        let input = self.input(change, loaded, phase).await?;
        let row = begun(phase, now, input.clone());
        store::replace_phase(change, &row).await?;
        let earlier = self.with_commits(change, loaded, phase).await?;
        for team in teams {
            let run = self.run(
                change,
                loaded,
                &row,
                team.team_id,
                (&input, ceiling, earlier),
            );
            if let Err(refused) = run.await? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    /// Starts the run of a team.
    async fn run(
        &self,
        change: &mut Change,
        loaded: &Loaded,
        phase: &phase::Model,
        team: TeamId,
        (input, ceiling, earlier): (&str, Option<i64>, Option<RunId>),
    ) -> Result<Result<(), Refused>, DbErr> {
        let id: RunId = fresh(&self.state.ids);
        let mission = &loaded.mission;
        let repo = mission.repo_id.map(|repo| RunRepo {
            repo_id: Some(repo),
            upload_id: None,
            base: mission.base_ref.clone(),
        });
        let work = Work {
            id,
            origin: Origin::MissionPhase {
                mission: self.id,
                phase: phase.id,
                pinned: mission.target_node_id.is_some(),
            },
            title: Some(format!("{} phase", kind_of(phase).noun())),
            earlier,
        };
        let asked = RunTeam {
            input: input.to_owned(),
            repo: Some(repo),
            cost_ceiling_microusd: ceiling,
            limits: RunLimits::default(),
            model: mission.model_binding.clone(),
        };
        let started = teams::run_in(&self.state.teams, change, team, work, asked).await;
        let row = match started {
            Ok(row) => row,
            Err(TeamError::Db(error)) => return Err(error),
            Err(error) => return Ok(Err(Refused(in_words(&loaded.name_of(team), error.into())))),
        };
        let worker = (Some(team), loaded.name_of(team));
        self.taken(change, loaded, phase, &row, worker).await
    }

    /// Records the run of an attempt. A retry gets the files that its first attempt began with.
    pub(super) async fn taken(
        &self,
        change: &Change,
        loaded: &Loaded,
        phase: &phase::Model,
        run: &RunRow,
        (team, name): (Option<TeamId>, String),
    ) -> Result<Result<(), Refused>, DbErr> {
        let before = loaded.phase_runs.iter().filter(|run| {
            run.phase_id == phase.id && run.team_id == team && run.attempt < phase.attempt
        });
        if let Some(first) = before.min_by_key(|run| run.attempt) {
            let given = begin_as(&self.state.teams.runs, change, run, first.run_id).await;
            match given {
                Ok(()) => {}
                Err(RunError::Db(error)) => return Err(error),
                Err(error) => return Ok(Err(Refused(in_words(&name, error.into())))),
            }
        }
        let row = phase_run::Model {
            phase_id: phase.id,
            attempt: phase.attempt,
            team_id: team,
            workspace_id: self.scope.workspace(),
            mission_id: self.id,
            run_id: run.id,
            held: false,
        };
        store::insert_phase_run(change, row).await?;
        Ok(Ok(()))
    }

    /// The input of a phase, from what its mission has now.
    async fn input(
        &self,
        change: &Change,
        loaded: &Loaded,
        phase: &phase::Model,
    ) -> Result<String, DbErr> {
        let (db, scope) = (change.tx(), self.scope);
        let open: Vec<OpenTask> = tasks::of_phase(db, scope, phase.id)
            .await?
            .into_iter()
            .filter_map(|task| {
                let status = TaskStatus::from_stored(&task.status);
                (status != TaskStatus::Complete).then(|| OpenTask {
                    external_id: task.external_id,
                    title: task.title,
                    body: task.body,
                    status: status.as_str(),
                })
            })
            .collect();
        let mut earlier = Vec::new();
        for other in &loaded.phases {
            if other.position >= phase.position {
                break;
            }
            let left = artifacts::of_phase(db, scope, other.id).await?;
            let texts = left.into_iter().filter(|artifact| {
                artifact.kind == "markdown" && artifact.attempt == other.attempt
            });
            earlier.extend(texts.filter_map(|artifact| {
                Some(Earlier {
                    phase: kind_of(other),
                    title: artifact.title,
                    text: artifact.content?,
                })
            }));
        }
        let repository = match loaded.mission.repo_id {
            Some(repo) => repos::upstream(db, scope, repo)
                .await?
                .map(|repo| repo.full_name),
            None => None,
        };
        let branches = self.branches_before(db, loaded, phase).await?;
        let number = usize::try_from(phase.position).unwrap_or(0) + 1;
        Ok(input::input(&input::Parts {
            title: &loaded.mission.title,
            goal: &loaded.mission.goal,
            kind: kind_of(phase),
            number,
            of: loaded.phases.len(),
            attempt: phase.attempt + 1,
            failed: phase.reason.as_deref().filter(|_| phase.attempt > 0),
            repository: repository.as_deref(),
            tasks: &open,
            earlier: &earlier,
            branches: &branches::in_input(&branches),
        }))
    }
}

/// The phase with its next attempt.
pub(super) fn begun(phase: &phase::Model, now: DateTime<Utc>, input: String) -> phase::Model {
    phase::Model {
        status: PhaseStatus::Running.as_str().to_owned(),
        attempt: phase.attempt + 1,
        reason: None,
        input: Some(input),
        started_at: Some(now),
        ended_at: None,
        ..phase.clone()
    }
}

/// What each of so many runs may cost at most. `None` when the budget is used up.
#[expect(clippy::option_option, reason = "no limit is not the end of a limit")]
fn ceiling(loaded: &Loaded, runs: usize) -> Option<Option<i64>> {
    let Some(budget) = loaded.mission.budget_microusd else {
        return Some(None);
    };
    let rest = budget - loaded.spent_microusd();
    let share = rest / i64::try_from(runs.max(1)).unwrap_or(i64::MAX);
    (share > 0).then_some(Some(share))
}

/// An error of a lower wing as people read it.
pub(super) fn in_words(team: &str, error: ApiError) -> String {
    let detail = error.detail_text();
    format!("The run of {team} could not begin. {detail}")
}
