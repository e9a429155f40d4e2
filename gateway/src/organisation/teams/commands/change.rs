//! Changes a team, optionally only over the version that the client read. Runs that have begun keep their settings.

use std::collections::BTreeSet;

use crate::agents::claws;
use crate::execution::models;
use crate::execution::topology::{self, Graph, NodeKind};
use crate::organisation::teams::dto::{RuntimeConfigChange, TeamChange};
use crate::organisation::teams::entity::{member, team};
use crate::organisation::teams::model::State;
use crate::organisation::teams::plan::NO_COMPARISON;
use crate::organisation::teams::{TeamError, TeamsContext, nested, store};
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{ClawId, TeamId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;
use crate::web::problem::FieldError;

use super::create::{Places, bundles, machines, no_model};

/// Changes the name, description, model, lifecycle, machine, topology and sandbox of a team.
///
/// # Errors
/// [`TeamError::NotFound`], [`TeamError::Going`], [`TeamError::VersionMismatch`], [`TeamError::MayNotPlace`],
/// [`TeamError::Wrong`].
pub async fn change(
    state: &TeamsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: TeamId,
    if_version: Option<i64>,
    may_place: bool,
    change: TeamChange,
) -> Result<team::Model, TeamError> {
    let tx = state.db.write().await?;
    let mut row = present(&tx, scope, id, if_version).await?;
    let present = named(&row);
    let places = Places {
        may: may_place,
        present: &present,
    };
    let mut changed = Vec::new();
    if let Some(name) = change.name {
        row.name = name.trim().to_owned();
        changed.push("name");
    }
    if let Some(description) = change.description {
        row.description = description;
        changed.push("description");
    }
    let mut rebound = Vec::new();
    if let Some(binding) = change.model_binding {
        if let Some(named) = &binding
            && !models::is_there(&*tx, scope, named).await?
        {
            let wrong = no_model("/model_binding".to_owned(), named);
            return Err(TeamError::Wrong(vec![wrong]));
        }
        let now = state.claws.clock.now();
        let (from, to) = (row.model_binding.as_deref(), binding.as_deref());
        rebound = store::rebind(&tx, scope, id, from, to, now).await?;
        row.model_binding = binding;
        changed.push("model_binding");
    }
    if let Some(lifecycle) = change.lifecycle {
        row.lifecycle = lifecycle.as_str().to_owned();
        changed.push("lifecycle");
    }
    if let Some(machine) = change.machine_id {
        machines(&tx, scope, places, "", machine.as_deref(), None).await?;
        row.machine_id = machine;
        changed.push("machine_id");
    }
    if let Some(graph) = change.topology {
        let seats = seats(&tx, scope, id, &graph).await?;
        machines(&tx, scope, places, "/topology", None, Some(&graph)).await?;
        if row
            .workbench_id
            .is_some_and(|agent| seats.iter().all(|seat| seat.agent_id != agent))
        {
            row.workbench_id = seats.first().map(|seat| seat.agent_id);
        }
        row.topology =
            serde_json::to_string(&graph).expect("a graph of strings and numbers encodes");
        store::replace_members(&*tx, id, seats).await?;
        changed.push("topology");
    }
    if let Some(shared) = change.shared_sandbox {
        let members = store::members(&*tx, &[id]).await?;
        row.workbench_id = match shared {
            true => row
                .workbench_id
                .or_else(|| members.first().map(|seat| seat.agent_id)),
            false => None,
        };
        changed.push("shared_sandbox");
    }
    let details = serde_json::json!({ "fields": changed });
    let rebound = rebound.iter();
    let events = rebound.map(|claw| Event::changed(ResourceKind::Claw, claw.id, claw.version));
    let what = ("team.changed", details, events.collect());
    written(state, tx, scope, user, row, what).await
}

/// Sets the permissions of the team's agents.
///
/// # Errors
/// As [`change`].
pub async fn configure(
    state: &TeamsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: TeamId,
    if_version: Option<i64>,
    change: RuntimeConfigChange,
) -> Result<team::Model, TeamError> {
    let tx = state.db.write().await?;
    let mut row = present(&tx, scope, id, if_version).await?;
    if let Some(profile) = change.risk_profile {
        row.risk_profile = profile.map(|profile| profile.as_str().to_owned());
    }
    if let Some(wanted) = change.mcp_bundles {
        row.mcp_bundles = bundles(&wanted);
    }
    let details =
        serde_json::json!({ "risk_profile": row.risk_profile, "mcp_bundles": row.mcp_bundles });
    let what = ("team.configured", details, Vec::new());
    written(state, tx, scope, user, row, what).await
}

/// The machines that a team names.
fn named(row: &team::Model) -> BTreeSet<String> {
    let graph = serde_json::from_str::<Graph>(&row.topology).ok();
    let nodes = graph.into_iter().flat_map(|graph| graph.nodes);
    nodes
        .filter_map(|node| node.attributes.machine)
        .chain(row.machine_id.clone())
        .collect()
}

async fn present(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: TeamId,
    if_version: Option<i64>,
) -> Result<team::Model, TeamError> {
    let row = store::get(&**tx, scope, id)
        .await?
        .ok_or(TeamError::NotFound)?;
    if State::from_stored(&row.state) == State::Going {
        return Err(TeamError::Going);
    }
    if if_version.is_some_and(|version| version != row.version) {
        return Err(TeamError::VersionMismatch {
            current: row.version,
        });
    }
    Ok(row)
}

async fn written(
    state: &TeamsContext,
    mut tx: WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    row: team::Model,
    (action, details, mut events): (&'static str, serde_json::Value, Vec<Event>),
) -> Result<team::Model, TeamError> {
    let now = state.claws.clock.now();
    let from = row.version;
    let row = team::Model {
        updated_at: now,
        version: from + 1,
        ..row
    };
    if !store::replace(&*tx, &row, from).await? {
        return Err(TeamError::VersionMismatch { current: from + 1 });
    }
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        action,
        ("team", &row.id),
        details,
    )
    .await?;
    events.push(Event::changed(ResourceKind::Team, row.id, row.version));
    events::append(&mut tx, scope.workspace(), now, events).await?;
    tx.commit().await?;
    Ok(row)
}

/// The seats of a topology that a person edited.
async fn seats(
    tx: &WriteTx,
    scope: WorkspaceScope,
    team: TeamId,
    graph: &Graph,
) -> Result<Vec<member::Model>, TeamError> {
    topology::check(graph).map_err(TeamError::BadGraph)?;
    let mut seats = Vec::new();
    let mut wrong = Vec::new();
    if graph.kind == topology::Kind::Compare {
        wrong.push(FieldError {
            pointer: "/topology/kind".to_owned(),
            detail: NO_COMPARISON.to_owned(),
        });
    }
    for (place, node) in graph.nodes.iter().enumerate() {
        let mut refuse = |detail: &str| {
            wrong.push(FieldError {
                pointer: format!("/topology/nodes/{place}/attributes"),
                detail: detail.to_owned(),
            });
        };
        match (
            node.kind,
            node.attributes.agent.map(ClawId),
            node.attributes.team,
        ) {
            (NodeKind::Agent, Some(agent), _) => {
                let claw = claws::find(&**tx, scope, agent).await?;
                match claw.filter(|claw| claw.deleted_at.is_none()) {
                    Some(_) => seats.push(member::Model {
                        team_id: team,
                        node: node.id.clone(),
                        agent_id: agent,
                        slot: node.role.clone().unwrap_or_else(|| node.id.clone()),
                        position: i32::try_from(place).unwrap_or(i32::MAX),
                    }),
                    None => refuse("names no agent of this workspace"),
                }
            }
            (NodeKind::Agent, None, _) => refuse("must name the agent that works here"),
            (NodeKind::Team, _, Some(_)) => {}
            (NodeKind::Team, _, None) => refuse("must name the team that works here"),
            (NodeKind::Company | NodeKind::Run, ..) => refuse("a team is made of agents and teams"),
        }
    }
    wrong.extend(nested::mistakes(tx, scope, team, graph, "/topology").await?);
    match wrong.is_empty() {
        true => Ok(seats),
        false => Err(TeamError::Wrong(wrong)),
    }
}
