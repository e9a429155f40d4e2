//! Comparing teams: one input, several teams side by side, and a judge. A run like any other, of a topology of its own.

use super::enqueue::{New, start_in};
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::domains::runs::comparison::{NewCandidate, NewComparison};
use crate::domains::runs::entity::run;
use crate::domains::runs::model::{Kind, Tier};
use crate::domains::runs::{RunError, RunsHandle, store};
use crate::domains::teams;
use crate::domains::topology::{self, Contender, Graph};
use crate::http::problem::FieldError;
use crate::ids::{RunId, UserId};

/// Enqueues the comparison `id`. Repeated with the same id it answers what is there.
///
/// # Errors
/// [`RunError::Wrong`] with the place of each mistake.
pub async fn compare(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
    asked: NewComparison,
) -> Result<run::Model, RunError> {
    let mut tx = runs.inner.db.write().await?;
    if let Some(present) = store::get(&*tx, scope, id).await? {
        return Ok(present);
    }
    let mut wrong = Vec::new();
    let mut contenders = Vec::with_capacity(asked.candidates.len());
    for (place, candidate) in asked.candidates.iter().enumerate() {
        match contender(&tx, scope, candidate).await? {
            Ok(contender) => contenders.push(contender),
            Err((field, detail)) => wrong.push(FieldError {
                pointer: format!("/candidates/{place}/{field}"),
                detail,
            }),
        }
    }
    if let Some(judge) = asked.judge_agent_id {
        let claw = claws::store::get(&*tx, scope, judge).await?;
        if claw.is_none_or(|claw| claw.deleted_at.is_some()) {
            wrong.push(FieldError {
                pointer: "/judge_agent_id".to_owned(),
                detail: "is no agent of this workspace".to_owned(),
            });
        }
    }
    if !wrong.is_empty() {
        return Err(RunError::Wrong(wrong));
    }
    let title = asked.title.unwrap_or_else(|| titled(&contenders));
    let judge = asked.judge_agent_id.map(|judge| judge.0);
    let new = New {
        id,
        kind: Kind::Compare,
        tier: Tier::Team,
        title: title.trim().to_owned(),
        graph: topology::comparison(&contenders, judge, id.0),
        input: asked.input,
        team: None,
        parent: None,
        forked: None,
        ceiling: asked.cost_ceiling_microusd,
    };
    let row = start_in(runs, &mut tx, scope, user, new).await?;
    tx.commit().await?;
    runs.nudge();
    Ok(row)
}

/// A candidate that can run now; the inner error names the field and says why it cannot.
async fn contender(
    tx: &WriteTx,
    scope: WorkspaceScope,
    candidate: &NewCandidate,
) -> Result<Result<Contender, (&'static str, String)>, RunError> {
    let Some(team) = teams::store::held(tx, scope, candidate.team_id).await? else {
        return Ok(Err(("team_id", "is no team of this workspace".to_owned())));
    };
    if teams::is_going(&team) {
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

fn titled(contenders: &[Contender]) -> String {
    let named = contenders.iter().map(|contender| match contender.topology {
        Some(kind) => format!("{} as {kind}", contender.label),
        None => contender.label.clone(),
    });
    let names: Vec<String> = named.collect();
    names.join(" or ").chars().take(200).collect()
}
