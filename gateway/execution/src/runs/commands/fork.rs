//! Forks a run: a new run of the same topology and input. It keeps the outputs of the steps before a given step, and
//! repeats that step and all later ones. The original run stays unchanged.

use super::enqueue::{Fork, New, start_in};
use crate::runs::dto_fork::ForkFrom;
use crate::runs::entity::{message, run, step};
use crate::runs::message_store::{self, Mark};
use crate::runs::model::{Kind, Status, StepStatus, Tier, titled};
use crate::runs::origin::Origin;
use crate::runs::progress::ref_of;
use crate::runs::step_files::Tree;
use crate::runs::{RunError, RunsHandle, comparison, retention, store};
use crate::topology::{Graph, NodeKind};
use roost_agents::claws;
use roost_connections::checkouts;
use roost_machines::sandboxes::step_files::{self, Start};
use roost_platform::ids::{RunId, SharedIds, UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// Enqueues the fork from a step.
///
/// # Errors
/// [`RunError::NotFound`], [`RunError::StillGoing`], [`RunError::NoStep`], [`RunError::Deleted`],
/// [`RunError::NoFiles`], [`RunError::TeamGoing`], [`RunError::AgentGone`], [`RunError::Wrong`] for instructions of a step
/// without an agent.
pub async fn fork(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: RunId,
    from: RunId,
    wanted: &ForkFrom,
) -> Result<run::Model, RunError> {
    let (key, lap) = (wanted.step.as_str(), wanted.lap.unwrap_or(1));
    let db = runs.inner.db.read();
    if let Some(present) = store::get(db, scope, id).await? {
        return Ok(present);
    }
    let origin = store::get(db, scope, from)
        .await?
        .ok_or(RunError::NotFound)?;
    if !Status::parse(&origin.status).is_some_and(Status::is_final) {
        return Err(RunError::StillGoing);
    }
    let steps = store::steps(db, from).await?;
    let same = |row: &&step::Model| {
        row.step_key == key && u32::try_from(row.lap) == Ok(lap) && row.shard == 0
    };
    let cut = steps.iter().find(same).ok_or(RunError::NoStep)?;
    let tree = Tree::read(db, scope, &origin).await?;
    let starts = match wanted.without_files {
        true => Vec::new(),
        false => tree.starts(&steps, cut),
    };
    let (node, cut) = (cut.node.clone(), cut.position);
    let kept: Vec<_> = steps
        .into_iter()
        .filter(|row| {
            row.position < cut && StepStatus::parse(&row.status) == Some(StepStatus::Done)
        })
        .map(|row| step::Model {
            run_id: id,
            // The original run paid for these steps.
            tokens_in: 0,
            tokens_out: 0,
            cost_microusd: 0,
            ..row
        })
        .collect();
    // In a comparison, the kept step refers to the original's child run, which has the candidate's details.
    let mut links = Vec::new();
    if Kind::parse(&origin.kind) == Some(Kind::Compare) {
        links = store::children(db, from).await?;
        links.retain(|link| kept.iter().any(|step| comparison::is_of(link, step)));
        links.iter_mut().for_each(|link| link.run_id = id);
    }
    if retention::outputs_are_deleted(&kept) {
        return Err(RunError::Deleted);
    }
    let starts = there(runs, scope, starts).await?;
    let kept_steps: Vec<String> = kept.iter().map(|row| ref_of(row).to_string()).collect();
    let graph: Graph = serde_json::from_str(&origin.graph).map_err(|_| RunError::NoStep)?;
    // Nothing of a kept step runs again, so each node may have it.
    let graph = match &wanted.model {
        Some(model) => graph.with_model(model),
        None => graph,
    };
    let graph = match &wanted.instructions {
        Some(text) if graph.node(&node).map(|node| node.kind) == Some(NodeKind::Agent) => {
            graph.with_instructions(&node, text)
        }
        Some(_) => {
            return Err(RunError::Wrong(vec![FieldError {
                pointer: "/instructions".to_owned(),
                detail: "no agent works on this step".to_owned(),
            }]));
        }
        None => graph,
    };
    let new = New {
        id,
        origin: Origin::Fork { of: from },
        tier: Tier::parse(&origin.tier).unwrap_or(Tier::Team),
        title: match &wanted.goal {
            Some(goal) => retitled(&origin.title, goal),
            None => origin.title.clone(),
        },
        graph,
        input: wanted.goal.clone().unwrap_or_else(|| origin.input.clone()),
        team: origin.team_id,
        agent: origin.agent_id,
        under: Some(&origin),
        forked: Some(Fork {
            run: from,
            step: format!("{key}#{lap}"),
            kept: i32::try_from(kept.len()).unwrap_or(i32::MAX),
        }),
        ceiling: origin.cost_ceiling_microusd,
        limits: wanted.limits.or(origin.limits()),
    };
    let mut change = Change::begin(runs, scope, user).await?;
    if let Some(team) = origin.team_id {
        let team = runs.inner.subjects.lock(&change, scope, team).await?;
        if team.is_some_and(|team| team.is_going) {
            return Err(RunError::TeamGoing);
        }
    }
    if let Some(agent) = origin.agent_id
        && !claws::lock_living(change.tx(), scope, agent).await?
    {
        return Err(RunError::AgentGone);
    }
    let row = start_in(runs, &mut change, new).await?;
    checkouts::fork(&mut change, (from, origin.root_run_id), id, &kept_steps).await?;
    for start in starts {
        let sandbox = fresh(&runs.inner.ids);
        step_files::give(&change, scope, id, &start, sandbox).await?;
    }
    let files = tree.own().filter(|row| kept_steps.contains(&row.step));
    for row in files {
        let row = step_files::StepFilesRow {
            run_id: id,
            root_run_id: id,
            ..row.clone()
        };
        step_files::keep(&change, row).await?;
    }
    let more = wanted.message.as_deref();
    if heard(&change, &origin, &row, more, &runs.inner.ids).await? {
        message_store::mark(&change, id, Mark::Message).await?;
    }
    store::insert_steps(&change, kept).await?;
    store::insert_children(&change, links).await?;
    change.commit().await?;
    Ok(row)
}

/// Gives the fork what was said to the original and what is said to it now. Returns whether there is something to hear.
async fn heard(
    change: &Change,
    origin: &run::Model,
    row: &run::Model,
    more: Option<&str>,
    ids: &SharedIds,
) -> Result<bool, RunError> {
    let scope = change.scope();
    let mut messages = message_store::of_run(change.tx(), scope, origin.id).await?;
    if let Some(text) = more {
        messages.push(message::Model {
            id: fresh(ids),
            workspace_id: row.workspace_id,
            root_run_id: row.id,
            run_id: row.id,
            agent_id: None,
            user_id: change.actor(),
            text: text.to_owned(),
            created_ms: change.now().timestamp_millis(),
        });
    }
    let any = !messages.is_empty();
    for message in messages {
        let message = message::Model {
            id: fresh(ids),
            root_run_id: row.root_run_id,
            run_id: row.id,
            ..message
        };
        message_store::insert(change, message).await?;
    }
    Ok(any)
}

/// The title of a fork with another goal, for the same team or agent.
fn retitled(title: &str, goal: &str) -> String {
    let name = title.split_once(": ").map_or(title, |(name, _)| name);
    titled(name, goal)
}

/// The starts, if each of them has its files.
pub(super) async fn there(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    starts: Vec<Start>,
) -> Result<Vec<Start>, RunError> {
    let db = runs.inner.db.read();
    for start in &starts {
        let lacks = match start.files.snapshot_id {
            Some(snapshot) if step_files::is_there(db, scope, snapshot).await? => continue,
            Some(_) => "the snapshot was deleted.".to_owned(),
            None => start.files.missing.clone().unwrap_or_default(),
        };
        let why = format!("step {}: {lacks}", start.step);
        return Err(RunError::NoFiles(why));
    }
    Ok(starts)
}
