//! Compares teams: one input, several teams side by side, and a judge. It is a run like any other, with its own
//! topology.

use super::enqueue::{New, start_in};
use crate::runs::comparison::{FilesOf, NewCandidate, NewComparison};
use crate::runs::entity::run;
use crate::runs::model::Tier;
use crate::runs::origin::Origin;
use crate::runs::{RunError, RunsHandle, store};
use crate::topology::{self, Contender, Graph, StepRef};
use roost_agents::claws;
use roost_machines::sandboxes::step_files::{self, Start};
use roost_platform::db::WriteTx;
use roost_platform::ids::{RunId, UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// Enqueues the comparison `id`. A repeat with the same id returns the existing run.
///
/// # Errors
/// [`RunError::Wrong`] with the place of each mistake.
pub async fn compare(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
    new_comparison: NewComparison,
) -> Result<run::Model, RunError> {
    let mut change = Change::begin(runs, scope, user).await?;
    if let Some(present) = store::get(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let mut wrong = Vec::new();
    let mut contenders = Vec::with_capacity(new_comparison.candidates.len());
    for (place, candidate) in new_comparison.candidates.iter().enumerate() {
        match contender(runs, &change, scope, candidate).await? {
            Ok(contender) => contenders.push(contender),
            Err((field, detail)) => wrong.push(FieldError {
                pointer: format!("/candidates/{place}/{field}"),
                detail,
            }),
        }
    }
    if let Some(judge) = new_comparison.judge_agent_id {
        let claw = claws::find(change.tx(), scope, judge).await?;
        if claw.is_none_or(|claw| claw.deleted_at.is_some()) {
            wrong.push(FieldError {
                pointer: "/judge_agent_id".to_owned(),
                detail: "is not an agent of this workspace".to_owned(),
            });
        }
    }
    let files = match &new_comparison.files {
        None => None,
        Some(of) => match same_files(&change, scope, of, &new_comparison.candidates).await? {
            Ok(files) => Some(files),
            Err(error) => {
                wrong.push(error);
                None
            }
        },
    };
    if !wrong.is_empty() {
        return Err(RunError::Wrong(wrong));
    }
    let title = new_comparison.title.unwrap_or_else(|| titled(&contenders));
    let judge = new_comparison.judge_agent_id.map(|judge| judge.0);
    let new = New {
        id,
        origin: Origin::Compare,
        tier: Tier::Team,
        title: title.trim().to_owned(),
        graph: topology::comparison(&contenders, judge, id.0),
        input: new_comparison.input,
        team: None,
        under: None,
        agent: None,
        forked: None,
        ceiling: new_comparison.cost_ceiling_microusd,
        limits: new_comparison.limits,
    };
    let row = start_in(runs, &mut change, new).await?;
    if let Some(start) = files {
        let unused = fresh(&runs.inner.ids);
        step_files::for_each_agent(&change, scope, id, &start, unused).await?;
    }
    change.commit().await?;
    Ok(row)
}

/// A candidate that can run now. The inner error names the field and the reason.
async fn contender(
    runs: &RunsHandle,
    tx: &WriteTx,
    scope: WorkspaceScope,
    candidate: &NewCandidate,
) -> Result<Result<Contender, (&'static str, String)>, RunError> {
    let Some(team) = runs
        .inner
        .subjects
        .lock(tx, scope, candidate.team_id)
        .await?
    else {
        return Ok(Err((
            "team_id",
            "is not a team of this workspace".to_owned(),
        )));
    };
    if team.is_going {
        let detail = "is a team that is being taken down".to_owned();
        return Ok(Err(("team_id", detail)));
    }
    if let Some(kind) = candidate.topology {
        let fits = serde_json::from_str::<Graph>(&team.topology)
            .map_err(|error| error.to_string())
            .and_then(|graph| topology::rearranged(&graph, kind));
        if let Err(why) = fits {
            let detail = format!("its roles do not fit a {kind}: {why}");
            return Ok(Err(("topology", detail)));
        }
    }
    Ok(Ok(Contender {
        team: team.id.0,
        label: team.name,
        topology: candidate.topology,
    }))
}

/// The files that each agent of the candidates begins with. The inner error is for the person who compares.
async fn same_files(
    tx: &WriteTx,
    scope: WorkspaceScope,
    of: &FilesOf,
    candidates: &[NewCandidate],
) -> Result<Result<Start, FieldError>, RunError> {
    let wrong = |pointer: &str, detail: String| {
        Ok(Err(FieldError {
            pointer: pointer.to_owned(),
            detail,
        }))
    };
    for (place, candidate) in candidates.iter().enumerate() {
        let twice = |other: &NewCandidate| other.team_id == candidate.team_id;
        if candidates[..place].iter().any(twice) {
            let detail = "is the same team again, which works in the same sandbox; equal files need different teams";
            return wrong(&format!("/candidates/{place}/team_id"), detail.to_owned());
        }
    }
    if store::get(&**tx, scope, of.run_id).await?.is_none() {
        return wrong("/files/run_id", "is not a run of this workspace".to_owned());
    }
    let step = StepRef {
        key: of.step.clone(),
        lap: of.lap.unwrap_or(1),
        shard: 0,
    };
    let step = step.to_string();
    let Some(row) = step_files::of_step(&**tx, scope, of.run_id, &step).await? else {
        return wrong("/files/step", "has no recorded files".to_owned());
    };
    let files = row.began();
    let is_there = match files.snapshot_id {
        Some(snapshot) => step_files::is_there(&**tx, scope, snapshot).await?,
        None => false,
    };
    if !is_there {
        let why = files.missing.unwrap_or_default();
        return wrong("/files/step", format!("its files are not there. {why}"));
    }
    Ok(Ok(Start {
        owner: row.owner(),
        files,
        step,
    }))
}

fn titled(contenders: &[Contender]) -> String {
    let named = contenders.iter().map(|contender| match contender.topology {
        Some(kind) => format!("{} as {kind}", contender.label),
        None => contender.label.clone(),
    });
    let names: Vec<String> = named.collect();
    names.join(" or ").chars().take(200).collect()
}
