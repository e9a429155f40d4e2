//! Changes a team, optionally only over the version that the client read. Runs that have begun keep their settings.

use std::collections::BTreeSet;

use crate::teams::dto::{RuntimeConfigChange, TeamChange};
use crate::teams::entity::{member, team};
use crate::teams::layout::layout;
use crate::teams::model::State;
use crate::teams::plan::NO_COMPARISON;
use crate::teams::{TeamError, TeamsContext, nested, store};
use roost_agents::claws;
use roost_execution::models;
use roost_execution::tools::Bundle;
use roost_execution::topology::{self, Graph, NodeKind};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

use super::create::{Places, machines, no_image, no_model, no_repo};

/// Changes the name, description, model, lifecycle, machine, image, limits, repository, topology and sandbox of a team.
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
    wanted: TeamChange,
) -> Result<team::Model, TeamError> {
    let mut change = Change::begin(state, scope, user).await?;
    let mut row = present(&change, scope, id, if_version).await?;
    let present = named(&row);
    let places = Places {
        may: may_place,
        present: &present,
    };
    let mut changed = Vec::new();
    if let Some(name) = wanted.name {
        row.name = name.trim().to_owned();
        changed.push("name");
    }
    if let Some(description) = wanted.description {
        row.description = description;
        changed.push("description");
    }
    if let Some(binding) = wanted.model_binding {
        if let Some(named) = &binding
            && !models::is_there(change.tx(), scope, named).await?
        {
            let wrong = no_model("/model_binding".to_owned(), named);
            return Err(TeamError::Wrong(vec![wrong]));
        }
        let now = change.now();
        let (from, to) = (row.model_binding.as_deref(), binding.as_deref());
        let rebound = store::rebind(&change, scope, id, from, to, now).await?;
        change.events(
            rebound
                .iter()
                .map(|claw| Event::changed(ResourceKind::Claw, claw.id, claw.version)),
        );
        row.model_binding = binding;
        changed.push("model_binding");
    }
    if let Some(lifecycle) = wanted.lifecycle {
        row.lifecycle = lifecycle.as_str().to_owned();
        changed.push("lifecycle");
    }
    if let Some(machine) = wanted.machine_id {
        machines(&change, scope, places, "", machine.as_deref(), None).await?;
        row.machine_id = machine;
        changed.push("machine_id");
    }
    if let Some(image) = wanted.image {
        if let Some(wrong) = no_image(state, image.as_deref()) {
            return Err(TeamError::Wrong(vec![wrong]));
        }
        row.image = image;
        changed.push("image");
    }
    if let Some(limits) = wanted.limits {
        row.limits = limits.stored();
        changed.push("limits");
    }
    if let Some(repo) = wanted.repo {
        if let Some(wrong) = no_repo(&change, scope, repo.as_ref()).await? {
            return Err(TeamError::Wrong(vec![wrong]));
        }
        row.repo_id = repo.as_ref().map(|repo| repo.repo_id);
        row.repo_base = repo.and_then(|repo| repo.base);
        changed.push("repo");
    }
    if let Some(graph) = wanted.topology {
        let seats = seats(&change, scope, (id, &row.name), &graph).await?;
        machines(&change, scope, places, "/topology", None, Some(&graph)).await?;
        row.topology =
            serde_json::to_string(&graph).expect("a graph of strings and numbers encodes");
        store::replace_members(change.tx(), id, seats).await?;
        changed.push("topology");
    }
    if let Some(shared) = wanted.shared_sandbox {
        row.shared_sandbox = shared;
        changed.push("shared_sandbox");
    }
    if changed.contains(&"topology") || changed.contains(&"name") {
        change.events(layout(&row));
    }
    let details = serde_json::json!({ "fields": changed });
    written(change, row, "team.changed", details).await
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
    wanted: RuntimeConfigChange,
) -> Result<team::Model, TeamError> {
    let change = Change::begin(state, scope, user).await?;
    let mut row = present(&change, scope, id, if_version).await?;
    if let Some(profile) = wanted.risk_profile {
        row.risk_profile = profile.map(|profile| profile.as_str().to_owned());
    }
    if let Some(named) = wanted.mcp_bundles {
        row.mcp_bundles = Bundle::stored(named);
    }
    let details =
        serde_json::json!({ "risk_profile": row.risk_profile, "mcp_bundles": row.mcp_bundles });
    written(change, row, "team.configured", details).await
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
    mut change: Change,
    row: team::Model,
    action: &str,
    details: serde_json::Value,
) -> Result<team::Model, TeamError> {
    let from = row.version;
    let row = team::Model {
        updated_at: change.now(),
        version: from + 1,
        ..row
    };
    if !store::replace(change.tx(), &row, from).await? {
        return Err(TeamError::VersionMismatch { current: from + 1 });
    }
    change.record(action, ("team", &row.id), details);
    change.event(Event::changed(ResourceKind::Team, row.id, row.version));
    change.commit().await?;
    Ok(row)
}

/// The seats of a topology that a person edited.
async fn seats(
    tx: &WriteTx,
    scope: WorkspaceScope,
    (team, name): (TeamId, &str),
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
            (NodeKind::Company | NodeKind::Run | NodeKind::Commands, ..) => {
                refuse("a team is made of agents and teams");
            }
        }
    }
    wrong.extend(nested::mistakes(tx, scope, (team, name), graph, "/topology").await?);
    match wrong.is_empty() {
        true => Ok(seats),
        false => Err(TeamError::Wrong(wrong)),
    }
}
