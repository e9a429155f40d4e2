//! Puts the rows of missions together for their pages.

use std::collections::HashMap;

use chrono::DateTime;
use sea_orm::{ConnectionTrait, DbErr};

use super::dto::{
    Mission, MissionArtifact, MissionDetail, MissionPdf, MissionPhase, MissionRun,
    MissionRuntimeStanding, MissionTask, MissionTaskMark, MissionTeam, PhaseBrief, PhaseSummary,
};
use super::entity::{mission, mission_team, phase};
use super::facts::{self, Loaded, kind_of, status_of};
use super::model::{PhaseKind, Reason, RuntimeKind, RuntimeState, Status, TemplateKind};
use super::{MissionError, report, runtime, store};
use crate::artifacts::pdfs;
use crate::artifacts::{self, ArtifactKind, ArtifactStatus};
use crate::cards;
use crate::pdf::Document;
use crate::tasks::{self, Marker, TaskStatus};
use roost_agents::claws;
use roost_connections::repos;
use roost_execution::runs;
use roost_organisation::teams;
use roost_platform::ids::{
    ClawId, MissionArtifactId, MissionId, MissionPhaseId, RunId, TeamId, UserId,
};
use roost_tenancy::auth::{self, UserBrief, WorkspaceScope};

/// The markers that the page of a mission shows.
const MOST_MARKS: u64 = 5_000;

/// Missions for a list.
///
/// # Errors
/// When the database fails.
pub async fn shown(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    rows: Vec<mission::Model>,
) -> Result<Vec<Mission>, DbErr> {
    let ids: Vec<MissionId> = rows.iter().map(|row| row.id).collect();
    let phases = store::phases(db, scope, &ids).await?;
    let people: Vec<UserId> = rows.iter().map(|row| row.created_by).collect();
    let people = auth::users_by_id(db, people).await?;
    let people: HashMap<UserId, UserBrief> = people
        .into_iter()
        .map(|user| (user.id, UserBrief::from(user)))
        .collect();
    let costs = costs(db, scope, &ids).await?;
    let shown = rows.into_iter().map(|row| {
        let cost = costs.get(&row.id).copied().unwrap_or(0);
        let own = phases.iter().filter(|phase| phase.mission_id == row.id);
        let brief = own.map(|phase| PhaseBrief {
            id: phase.id,
            position: phase.position,
            kind: kind_of(phase),
            status: status_of(phase),
        });
        let (brief, created_by) = (brief.collect(), people.get(&row.created_by).cloned());
        one(row, brief, created_by, cost)
    });
    Ok(shown.collect())
}

/// What each of these missions has cost, in millionths of a US dollar.
async fn costs(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[MissionId],
) -> Result<HashMap<MissionId, i64>, DbErr> {
    let mut costs: HashMap<MissionId, i64> = cards::costs(db, scope, ids).await?;
    let begun = store::phase_runs(db, scope, ids).await?;
    let runs: Vec<RunId> = begun.iter().map(|run| run.run_id).collect();
    let of_runs = runs::costs(db, scope, &runs).await?;
    for run in begun {
        let cost = of_runs.get(&run.run_id).copied().unwrap_or(0);
        *costs.entry(run.mission_id).or_default() += cost;
    }
    Ok(costs)
}

#[expect(clippy::cast_precision_loss, reason = "a budget has at most 12 digits")]
fn one(
    row: mission::Model,
    phases: Vec<PhaseBrief>,
    created_by: Option<UserBrief>,
    cost_microusd: i64,
) -> Mission {
    let runtime = runtime::config::of(&row.config).map(|_| MissionRuntimeStanding {
        state: row.runtime_state.as_deref().and_then(RuntimeState::parse),
        detail: row.runtime_detail,
    });
    Mission {
        cost_microusd,
        id: row.id,
        title: row.title,
        goal: row.goal,
        template_kind: TemplateKind::parse(&row.template_kind).unwrap_or(TemplateKind::Custom),
        team_id: row.team_id,
        team_template_id: row.team_template_id,
        routine_id: row.routine_id,
        schedule: row
            .schedule
            .and_then(|json| serde_json::from_str(&json).ok()),
        status: Status::parse(&row.status).unwrap_or(Status::Paused),
        status_reason: row.status_reason.as_deref().and_then(Reason::parse),
        status_detail: row.status_detail,
        config: serde_json::from_str(&row.config).unwrap_or_default(),
        repo_id: row.repo_id,
        base_ref: row.base_ref,
        runtime_kind: RuntimeKind::parse(&row.runtime_kind).unwrap_or(RuntimeKind::Standard),
        target_node_id: row.target_node_id,
        runtime_container_name: row.runtime_container_name,
        runtime_endpoint: row.runtime_endpoint,
        runtime,
        budget_usd: row.budget_microusd.map(|micro| micro as f64 / 1e6),
        model: row.model_binding,
        phases,
        created_by,
        created_at: row.created_at,
        updated_at: row.updated_at,
        launched_at: row.launched_at,
        ended_at: row.ended_at,
        version: row.version,
    }
}

/// A mission with its phases, tasks and artifacts.
///
/// # Errors
/// [`MissionError::NotFound`].
pub async fn detail(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<MissionDetail, MissionError> {
    let loaded = facts::load(db, scope, id).await?;
    let loaded = loaded.ok_or(MissionError::NotFound)?;
    let repo_full_name = match loaded.mission.repo_id {
        Some(repo) => repos::upstream(db, scope, repo)
            .await?
            .map(|repo| repo.full_name),
        None => None,
    };
    let cards = cards::of_mission(db, scope, id).await?;
    let has_card = |phase: MissionPhaseId| cards.iter().any(|card| card.phase_id == phase);
    let phases = loaded
        .phases
        .iter()
        .map(|phase| phase_of(&loaded, phase, has_card(phase.id)));
    let waits_for_node = loaded.waits_for().map(str::to_owned);
    let phase_details = phases.collect();
    let tasks = tasks_of(db, scope, id).await?;
    let teams = loaded.teams.iter().map(|row| team_of(row, &loaded.names));
    let teams = teams.collect();
    let artifacts = artifacts::of_mission(db, scope, id).await?;
    let mut pdfs = pdfs::of_mission(db, scope, id).await?;
    let mission = shown(db, scope, vec![loaded.mission]).await?.pop();
    Ok(MissionDetail {
        mission: mission.ok_or(MissionError::NotFound)?,
        teams,
        phase_details,
        tasks,
        artifacts: artifacts
            .into_iter()
            .map(|row| {
                let pdf = pdfs.remove(&row.id);
                artifact_of(row, pdf)
            })
            .collect(),
        repo_full_name,
        waits_for_node,
    })
}

fn phase_of(loaded: &Loaded, phase: &phase::Model, has_card: bool) -> MissionPhase {
    let own = loaded
        .phase_runs
        .iter()
        .filter(|run| run.phase_id == phase.id);
    let runs = own.map(|run| {
        let row = loaded.runs.get(&run.run_id);
        MissionRun {
            run_id: run.run_id,
            attempt: run.attempt,
            team_id: run.team_id,
            team_name: run
                .team_id
                .and_then(|team| loaded.names.get(&team).cloned()),
            status: row.map(runs::ListedRun::status),
            outcome: row.and_then(runs::ListedRun::decided),
            is_paused: row.is_some_and(|row| row.paused_ms.is_some()),
            waiting_on: row.and_then(runs::ListedRun::waits_on),
            cancelling: row.is_some_and(runs::ListedRun::is_cancelling),
            steps_done: row.map_or(0, |row| row.steps_done),
            steps_most: row.map_or(0, |row| row.steps_most),
            cost_microusd: row.map_or(0, |row| row.cost_microusd),
            created_at: row.and_then(|row| DateTime::from_timestamp_millis(row.created_ms)),
            ended_at: row.and_then(|row| DateTime::from_timestamp_millis(row.ended_ms?)),
        }
    });
    MissionPhase {
        id: phase.id,
        mission_id: phase.mission_id,
        position: phase.position,
        kind: kind_of(phase),
        status: status_of(phase),
        attempt: phase.attempt,
        reason: phase.reason.clone(),
        input: phase.input.clone(),
        dropped_tasks: phase.dropped_tasks,
        has_card,
        runs: runs.collect(),
        started_at: phase.started_at,
        ended_at: phase.ended_at,
    }
}

async fn tasks_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<MissionTask>, DbErr> {
    let rows = tasks::of_mission(db, scope, mission).await?;
    let marks = tasks::marks_of(db, scope, mission, MOST_MARKS).await?;
    let agents: Vec<ClawId> = marks.iter().filter_map(|mark| mark.agent_id).collect();
    let names = claws::find_some(db, scope, agents).await?;
    let names: HashMap<ClawId, String> =
        names.into_iter().map(|claw| (claw.id, claw.name)).collect();
    let mut by_task: HashMap<(MissionPhaseId, String), Vec<MissionTaskMark>> = HashMap::new();
    for mark in marks {
        let Some(marker) = Marker::parse(&mark.marker) else {
            continue;
        };
        let shown = MissionTaskMark {
            marker,
            run_id: mark.run_id,
            step: mark.step,
            agent_id: mark.agent_id,
            agent_name: mark.agent_id.and_then(|agent| names.get(&agent).cloned()),
            applied: mark.applied,
            at: mark.at,
        };
        let key = (mark.phase_id, mark.external_id);
        by_task.entry(key).or_default().push(shown);
    }
    let shown = rows.into_iter().map(|task| {
        let key = (task.phase_id, task.external_id);
        let marks = by_task.remove(&key).unwrap_or_default();
        MissionTask {
            id: task.id,
            mission_id: task.mission_id,
            phase_id: key.0,
            external_id: key.1,
            title: task.title,
            body: task.body,
            status: TaskStatus::from_stored(&task.status),
            assigned_agent_id: task.assigned_agent_id,
            ignored_marks: task.ignored_marks,
            marks,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    });
    Ok(shown.collect())
}

/// An artifact without its content.
pub fn artifact_of(row: artifacts::Brief, pdf: Option<pdfs::Shown>) -> MissionArtifact {
    MissionArtifact {
        id: row.id,
        phase_id: row.phase_id,
        attempt: row.attempt,
        kind: ArtifactKind::from_stored(&row.kind),
        title: row.title,
        status: ArtifactStatus::from_stored(&row.status),
        path: row.path,
        error: row.error,
        pdf: pdf.map(|pdf| MissionPdf {
            source_id: pdf.source_id,
            pages: pdf.pages,
            bytes: pdf.size,
        }),
        run_id: row.run_id,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

/// An artifact, and its text.
///
/// # Errors
/// [`MissionError::NoArtifact`].
pub async fn artifact(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    id: MissionArtifactId,
) -> Result<(MissionArtifact, Option<String>), MissionError> {
    let row = artifacts::content(db, scope, mission, id).await?;
    let mut row = row.ok_or(MissionError::NoArtifact)?;
    let content = row.content.take();
    let pdf = match ArtifactKind::from_stored(&row.kind) {
        ArtifactKind::Pdf => pdfs::of_mission(db, scope, mission).await?.remove(&id),
        _ => None,
    };
    Ok((artifact_of(row.into(), pdf), content))
}

/// The file of an artifact.
///
/// # Errors
/// [`MissionError::NoArtifact`], [`MissionError::PdfNotReady`].
pub async fn artifact_file(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    id: MissionArtifactId,
) -> Result<(ArtifactKind, Vec<u8>), MissionError> {
    let row = artifacts::content(db, scope, mission, id).await?;
    let row = row.ok_or(MissionError::NoArtifact)?;
    let kind = ArtifactKind::from_stored(&row.kind);
    let file = match kind {
        ArtifactKind::Pdf => {
            let file = pdfs::file(db, scope, id).await?;
            file.ok_or(MissionError::PdfNotReady(row.error))?
        }
        _ => row.content.ok_or(MissionError::NoArtifact)?.into_bytes(),
    };
    Ok((kind, file))
}

/// The teams of a mission, oldest first.
///
/// # Errors
/// [`MissionError::NotFound`].
pub async fn teams_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Vec<MissionTeam>, MissionError> {
    let found = store::get(db, scope, id).await?;
    found.ok_or(MissionError::NotFound)?;
    let rows = store::teams(db, scope, id).await?;
    let ids: Vec<TeamId> = rows.iter().map(|row| row.team_id).collect();
    let names = teams::names(db, scope, &ids).await?;
    Ok(rows.iter().map(|row| team_of(row, &names)).collect())
}

fn team_of(row: &mission_team::Model, names: &HashMap<TeamId, String>) -> MissionTeam {
    MissionTeam {
        team_id: row.team_id,
        purpose: PhaseKind::parse(&row.purpose).unwrap_or(PhaseKind::Coding),
        team_name: names.get(&row.team_id).cloned(),
    }
}

/// The summary card of a phase.
///
/// # Errors
/// [`MissionError::NotFound`], [`MissionError::NoPhase`], [`MissionError::NoCard`].
pub async fn summary(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    phase: MissionPhaseId,
) -> Result<PhaseSummary, MissionError> {
    let found = store::get(db, scope, mission).await?;
    found.ok_or(MissionError::NotFound)?;
    let found = store::phase(db, scope, mission, phase).await?;
    found.ok_or(MissionError::NoPhase)?;
    let row = cards::get(db, scope, phase).await?;
    let row = row.ok_or(MissionError::NoCard)?;
    let card = serde_json::from_str(&row.card).map_err(|_| MissionError::NoCard)?;
    Ok(PhaseSummary {
        phase_id: phase,
        attempt: row.attempt,
        card,
        narrative_model: row.model,
        narrative_is_due: row.narrative_due_ms.is_some(),
        narrative_error: row.narrative_error,
        created_at: row.created_at,
    })
}

/// The report of a mission.
///
/// # Errors
/// [`MissionError::NotFound`].
pub async fn report(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<String, MissionError> {
    let (mission, cards, left) = parts(db, scope, id).await?;
    Ok(report::report(&mission, &cards, &left))
}

/// The report of a mission, to typeset.
///
/// # Errors
/// [`MissionError::NotFound`].
pub async fn printed_report(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Document, MissionError> {
    let (mission, cards, left) = parts(db, scope, id).await?;
    Ok(report::document(&mission, &cards, &left))
}

/// A mission, the cards of its phases, and what these left.
type Parts = (
    MissionDetail,
    Vec<PhaseSummary>,
    Vec<artifacts::ArtifactRow>,
);

async fn parts(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Parts, MissionError> {
    let mission = detail(db, scope, id).await?;
    let (mut cards, mut left) = (Vec::new(), Vec::new());
    for phase in &mission.phase_details {
        if phase.has_card {
            cards.push(summary(db, scope, id, phase.id).await?);
        }
        left.extend(artifacts::of_phase(db, scope, phase.id).await?);
    }
    Ok((mission, cards, left))
}
