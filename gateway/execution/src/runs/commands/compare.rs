//! Compares teams: one input, several teams side by side, and a judge. It is a run like any other, with its own
//! topology.

use super::compare_files as files;
use super::enqueue::{New, start_in};
use crate::runs::comparison::{NewCandidate, NewComparison};
use crate::runs::entity::run;
use crate::runs::model::Tier;
use crate::runs::origin::Origin;
use crate::runs::subjects::Subject;
use crate::runs::{RunError, RunsHandle, store};
use crate::topology::{self, Contender, Graph};
use roost_agents::claws;
use roost_machines::sandboxes::step_files;
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
    let mut teams = Vec::with_capacity(new_comparison.candidates.len());
    for (place, candidate) in new_comparison.candidates.iter().enumerate() {
        match contender(runs, &change, scope, candidate).await? {
            Ok((contender, team)) => {
                contenders.push(contender);
                teams.push(team);
            }
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
    let files = match files::start(&change, scope, &new_comparison, &teams).await? {
        Ok(files) => files,
        Err(error) => {
            wrong.push(error);
            None
        }
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

/// A candidate that can run now, and its team. The inner error names the field and the reason.
async fn contender(
    runs: &RunsHandle,
    tx: &WriteTx,
    scope: WorkspaceScope,
    candidate: &NewCandidate,
) -> Result<Result<(Contender, Subject), (&'static str, String)>, RunError> {
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
    let contender = Contender {
        team: team.id.0,
        label: team.name.clone(),
        topology: candidate.topology,
    };
    Ok(Ok((contender, team)))
}

fn titled(contenders: &[Contender]) -> String {
    let named = contenders.iter().map(|contender| match contender.topology {
        Some(kind) => format!("{} as {kind}", contender.label),
        None => contender.label.clone(),
    });
    let names: Vec<String> = named.collect();
    names.join(" or ").chars().take(200).collect()
}
