//! The end of a phase: its tasks, its artifacts, its card, and what follows for the mission.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use super::{Done, Driver, Ready};
use crate::artifacts::{self, ArtifactKind, ArtifactRow, ArtifactStatus};
use crate::cards::{self, Counted, ToolUse, model::TaskFact};
use crate::missions::decide::Next;
use crate::missions::entity::phase;
use crate::missions::facts::{Loaded, kind_of};
use crate::missions::model::{PhaseKind, PhaseStatus, Reason, Status};
use crate::missions::store;
use crate::missions::touch::touch;
use crate::tasks::{self, Marker, TaskStatus};
use roost_connections::checkouts::{self, CheckoutError};
use roost_execution::runs::{self, ListedRun, RunRow};
use roost_execution::topology::Checked;
use roost_platform::ids::{MissionPhaseId, RunId, fresh};
use roost_platform::supervision::{Failure, JobContext};
use roost_tenancy::change::Change;
use roost_web::error::ApiError;

/// The runs of a mission whose work a card counts.
const MOST_RUNS: u64 = 20_000;
/// The tools and models that a card names.
const MOST_TOOLS: u64 = 40;

/// What the runs of a phase left.
#[derive(Default)]
pub(super) struct Left {
    pub(super) drafts: Vec<Draft>,
    commits: u32,
    checks: u32,
    failed_checks: u32,
    /// What the commands of a phase without teams used.
    pub(super) tooling: Vec<ToolUse>,
    /// The figures of a phase without teams.
    pub(super) counted: Option<Counted>,
    /// The end of a phase without teams, from what its commands wrote.
    pub(super) verdict: Option<(PhaseStatus, String)>,
}

/// An artifact to write.
pub(super) struct Draft {
    pub(super) run: RunId,
    pub(super) kind: ArtifactKind,
    pub(super) title: String,
    pub(super) content: Result<String, String>,
}

impl Driver {
    /// Reads what the runs of a phase left. The broker answers here, before the transaction.
    pub(super) async fn left_by(&self, loaded: &Loaded, id: MissionPhaseId) -> Result<Left, DbErr> {
        let mut left = Left::default();
        let Some(phase) = loaded.phase(id) else {
            return Ok(left);
        };
        if !kind_of(phase).has_teams() {
            self.left_by_probe(loaded, phase, &mut left).await?;
            return Ok(left);
        }
        let db = self.state.db.read();
        for run in loaded.runs_of(phase) {
            let team = loaded.worker_of(run);
            let Some(row) = runs::find(db, self.scope, run.run_id).await? else {
                continue;
            };
            if let Some(text) = runs::result_text(&row).filter(|text| !text.trim().is_empty()) {
                left.drafts.push(Draft {
                    run: row.id,
                    kind: ArtifactKind::Markdown,
                    title: format!("Result of {team}"),
                    content: Ok(text),
                });
            }
            for step in runs::steps(db, row.id).await? {
                let checks: Vec<Checked> = step
                    .checks
                    .as_deref()
                    .and_then(|json| serde_json::from_str(json).ok())
                    .unwrap_or_default();
                let failed = checks.iter().filter(|check| !check.passed()).count();
                left.checks += u32::try_from(checks.len()).unwrap_or(u32::MAX);
                left.failed_checks += u32::try_from(failed).unwrap_or(u32::MAX);
            }
            self.left_in_branches(loaded, phase, &row, (&team, &mut left))
                .await?;
        }
        Ok(left)
    }

    /// The commits of a run in each of its branches. What an earlier phase committed does not count again.
    async fn left_in_branches(
        &self,
        loaded: &Loaded,
        phase: &phase::Model,
        row: &RunRow,
        (team, left): (&str, &mut Left),
    ) -> Result<(), DbErr> {
        let db = self.state.db.read();
        let standing = checkouts::standing(db, self.scope, row.id).await?;
        let start = standing.and_then(|standing| standing.start);
        let earlier = self.branches_before(db, loaded, phase).await?;
        let before = earlier
            .iter()
            .find(|one| Some(&one.received.head) == start.as_ref())
            .map_or(0, |one| one.received.commits);
        let branches = checkouts::branches(db, self.scope, row.id).await?;
        let own: Vec<_> = branches
            .into_iter()
            .filter(|branch| branch.commits > before)
            .collect();
        let is_one = own.len() == 1;
        for received in own {
            left.commits += u32::try_from(received.commits - before).unwrap_or(u32::MAX);
            let state = &self.state.teams.checkouts;
            let diff = checkouts::own_diff(state, self.scope, row.id, &received.branch);
            let content = match diff.await {
                Ok(diff) if diff.cut => Ok(format!("{}\n[The rest was left out.]\n", diff.text)),
                Ok(diff) => Ok(diff.text),
                Err(CheckoutError::Db(error)) => return Err(error),
                Err(error) => Err(ApiError::from(error).detail_text()),
            };
            left.drafts.push(Draft {
                run: row.id,
                kind: ArtifactKind::Diff,
                title: match is_one {
                    true => format!("Changes of {team}"),
                    false => format!("Changes of {team} in {}", received.branch),
                },
                content,
            });
        }
        Ok(())
    }

    /// Ends the phase. A phase that failed pauses its mission.
    pub(super) async fn end(
        &mut self,
        cx: &JobContext,
        next: Next,
        (id, status, reason): (MissionPhaseId, PhaseStatus, &str),
        left: Left,
    ) -> Result<Done, Failure> {
        let (mut change, loaded) = match self.change_for(&next).await? {
            Ready::Now(change, loaded) => (*change, *loaded),
            Ready::Otherwise => return Ok(Done::Changed),
            Ready::Lost => return Ok(Done::Lost),
        };
        let Some(phase) = loaded.phase(id).cloned() else {
            return Ok(Done::Changed);
        };
        // A run of commands has no verdict: what they wrote decides. A run that failed stays failed.
        let own = left
            .verdict
            .clone()
            .filter(|_| status == PhaseStatus::Completed);
        let (status, reason) = match &own {
            Some((status, reason)) => (*status, reason.as_str()),
            None => (status, reason),
        };
        self.close(&mut change, loaded, phase, (status, reason), left)
            .await?;
        self.commit(cx, change).await
    }

    /// Fails a phase that could not begin.
    pub(super) async fn fail_begin(
        &mut self,
        cx: &JobContext,
        next: Next,
        id: MissionPhaseId,
        why: &str,
    ) -> Result<Done, Failure> {
        let (mut change, loaded) = match self.change_for(&next).await? {
            Ready::Now(change, loaded) => (*change, *loaded),
            Ready::Otherwise => return Ok(Done::Changed),
            Ready::Lost => return Ok(Done::Lost),
        };
        let Some(phase) = loaded.phase(id) else {
            return Ok(Done::Changed);
        };
        let phase = phase::Model {
            attempt: phase.attempt + 1,
            started_at: Some(change.now()),
            ..phase.clone()
        };
        let end = (PhaseStatus::Failed, why);
        self.close(&mut change, loaded, phase, end, Left::default())
            .await?;
        self.commit(cx, change).await
    }

    async fn close(
        &self,
        change: &mut Change,
        loaded: Loaded,
        phase: phase::Model,
        (status, reason): (PhaseStatus, &str),
        left: Left,
    ) -> Result<(), DbErr> {
        let (now, scope) = (change.now(), self.scope);
        // What was said last counts for the card too.
        let since = phase.started_at.map_or(0, |at| at.timestamp_millis());
        let scan = tasks::scan(change.tx(), scope, self.id, since).await?;
        let applied = tasks::apply(change, self.id, scan.found, &self.state.ids).await?;
        super::moves::record_dropped(change, scope, self.id, &applied).await?;
        let dropped = applied.dropped.get(&phase.id).copied();
        let row = phase::Model {
            dropped_tasks: dropped.map_or(phase.dropped_tasks, |dropped| {
                i32::try_from(dropped).unwrap_or(i32::MAX)
            }),
            status: status.as_str().to_owned(),
            reason: Some(reason.to_owned()),
            ended_at: Some(now),
            ..phase
        };
        store::replace_phase(change, &row).await?;
        let rows = left.drafts.iter().map(|draft| ArtifactRow {
            id: fresh(&self.state.ids),
            workspace_id: scope.workspace(),
            mission_id: self.id,
            phase_id: Some(row.id),
            attempt: row.attempt,
            kind: draft.kind.as_str().to_owned(),
            title: draft.title.clone(),
            status: match draft.content {
                Ok(_) => ArtifactStatus::Ready.as_str().to_owned(),
                Err(_) => ArtifactStatus::Failed.as_str().to_owned(),
            },
            path: None,
            error: draft.content.as_ref().err().cloned(),
            content: draft.content.as_ref().ok().cloned(),
            run_id: Some(draft.run),
            created_at: now,
            updated_at: now,
        });
        artifacts::insert(change, rows.collect()).await?;
        self.put_card(change, &loaded, &row, (status, reason), &left)
            .await?;
        let details = serde_json::json!({
            "phase": row.id, "kind": row.kind, "attempt": row.attempt, "reason": reason,
        });
        let action = match status {
            PhaseStatus::Completed => "mission.phase_completed",
            _ => "mission.phase_failed",
        };
        change.record(action, ("mission", &self.id), details);
        let running = loaded.status() == Status::Running;
        let mut mission = loaded.mission;
        if status == PhaseStatus::Failed && !loaded_is_final(&mission.status) {
            if running {
                Status::Paused.as_str().clone_into(&mut mission.status);
            }
            // A deleted node stays the reason: a retry would not help.
            if mission.status_reason.as_deref() != Some(Reason::NodeDeleted.as_str()) {
                mission.status_reason = Some(Reason::PhaseFailed.as_str().to_owned());
                mission.status_detail = Some(reason.to_owned());
            }
        }
        touch(change, mission).await?;
        Ok(())
    }

    /// Writes the card of the phase, from facts.
    async fn put_card(
        &self,
        change: &Change,
        loaded: &Loaded,
        phase: &phase::Model,
        (status, reason): (PhaseStatus, &str),
        left: &Left,
    ) -> Result<(), DbErr> {
        let (db, scope, kind) = (change.tx(), self.scope, kind_of(phase));
        let board = tasks::of_phase(db, scope, phase.id).await?;
        let all = runs::of_mission(db, scope, self.id, MOST_RUNS).await?;
        let of_attempt =
            with_descendants(loaded.runs_of(phase).map(|run| run.run_id).collect(), &all);
        let ids: Vec<RunId> = of_attempt.iter().copied().collect();
        let said = tasks::marker_counts(db, scope, &ids).await?;
        let count = |wanted: &[Marker]| {
            let said = wanted.iter().filter_map(|marker| said.get(marker.as_str()));
            u32::try_from(said.sum::<u64>()).unwrap_or(u32::MAX)
        };
        let used = runs::used_in(db, &ids, MOST_TOOLS).await?;
        let texts = left.drafts.iter().filter_map(|draft| match draft.kind {
            ArtifactKind::Markdown => draft.content.as_ref().ok().cloned(),
            _ => None,
        });
        let teams = loaded.runs_of(phase).map(|run| loaded.worker_of(run));
        let counted = match kind {
            PhaseKind::Research => Counted::Research,
            PhaseKind::Coding => Counted::Coding {
                commits: left.commits,
                checks: left.checks,
                failed_checks: left.failed_checks,
                test_verdicts: count(&[Marker::TestPass, Marker::TestFail]),
                rejections: count(&[Marker::TestFail, Marker::ReviewBlock]),
            },
            PhaseKind::Benchmark => left.counted.clone().unwrap_or(Counted::NotMeasured),
            PhaseKind::SecurityScan => left.counted.clone().unwrap_or(Counted::NotScanned),
        };
        let seconds = phase
            .started_at
            .map_or(0, |began| (change.now() - began).num_seconds());
        let card = cards::card(&cards::Facts {
            noun: kind.noun(),
            completed: status == PhaseStatus::Completed,
            reason: reason.to_owned(),
            attempt: phase.attempt,
            seconds,
            teams: teams.collect(),
            tasks: board
                .into_iter()
                .map(|task| TaskFact {
                    external_id: task.external_id,
                    title: task.title,
                    status: TaskStatus::from_stored(&task.status).as_str(),
                })
                .collect(),
            results: texts.collect(),
            artifacts: u32::try_from(left.drafts.len()).unwrap_or(u32::MAX),
            tooling: used
                .into_iter()
                .map(tool_use)
                .chain(left.tooling.iter().cloned())
                .collect(),
            counted,
        });
        let row = cards::CardRow {
            phase_id: phase.id,
            workspace_id: scope.workspace(),
            mission_id: self.id,
            attempt: phase.attempt,
            card: serde_json::to_string(&card).expect("a card of texts and numbers encodes"),
            model: None,
            created_at: change.now(),
            narrative_due_ms: self
                .state
                .summarizer
                .is_some()
                .then(|| change.now().timestamp_millis()),
            narrative_tries: 0,
            narrative_error: None,
            narrative_cost_microusd: 0,
        };
        cards::put(change, row).await
    }
}

/// These runs, and all runs that their steps started. A run is listed after the one that started it.
fn with_descendants(mut runs: BTreeSet<RunId>, all: &[ListedRun]) -> BTreeSet<RunId> {
    for run in all {
        if run
            .parent_run_id
            .is_some_and(|parent| runs.contains(&parent))
        {
            runs.insert(run.id);
        }
    }
    runs
}

fn loaded_is_final(status: &str) -> bool {
    Status::parse(status).is_some_and(Status::is_final)
}

fn tool_use(used: runs::UsedInRuns) -> ToolUse {
    let whole = |number: i64| u64::try_from(number).unwrap_or(0);
    ToolUse {
        kind: used.kind,
        name: used.name,
        calls: whole(used.calls),
        failed: whole(used.failed),
        tokens: whole(used.tokens),
        cost_microusd: whole(used.cost_microusd),
    }
}
