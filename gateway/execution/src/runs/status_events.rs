//! The visible state of a run's agents and its topology. An agent is `working` while one of its steps is at work, and
//! rests afterwards. The change is in the same transaction as the step's. The topology is published when the run
//! begins.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::run;
use super::handle::RunsHandle;
use super::store;
use crate::topology::{EdgeKind, Graph, NodeKind};
use roost_agents::claws::{self, status};
use roost_machines::sandboxes::{self, State};
use roost_platform::db::WriteTx;
use roost_platform::events::{
    AgentState, Event, Formation, Stamped, TopologyUpdate, WorldEdge, WorldEdgeKind, WorldNode,
    WorldTier,
};
use roost_platform::ids::{ClawId, RunId};
use roost_tenancy::auth::WorkspaceScope;

/// A step of the agent `rests` ended, and steps of the agents `work` begin. Returns the events, which the caller
/// appends.
///
/// # Errors
/// When the database fails.
pub(super) async fn change_agents(
    tx: &WriteTx,
    scope: WorkspaceScope,
    rests: Option<ClawId>,
    work: &[ClawId],
    now: DateTime<Utc>,
) -> Result<Vec<Stamped>, DbErr> {
    // Another run of these agents may begin or end at the same moment. With the lock, the later transaction reads
    // what the earlier one wrote.
    claws::lock(tx, rests.into_iter().chain(work.iter().copied())).await?;
    let mut events = Vec::new();
    if let Some(agent) = rests {
        events.extend(resting(tx, scope, agent, now).await?);
    }
    for &agent in work {
        events.extend(status::change(tx, scope, agent, AgentState::Working, now).await?);
    }
    Ok(events)
}

/// An agent's step has ended. The agent rests, unless another of its steps is at work.
async fn resting(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agent: ClawId,
    now: DateTime<Utc>,
) -> Result<Option<Stamped>, DbErr> {
    if store::at_work(&**tx, agent).await? > 0 {
        return Ok(None);
    }
    let sandbox = sandboxes::current(&**tx, scope, agent).await?;
    let runs = sandbox.is_some_and(|row| State::parse(&row.state) == Some(State::Running));
    let state = match runs {
        true => AgentState::Idle,
        false => AgentState::Offline,
    };
    status::change(tx, scope, agent, state, now).await
}

/// All agents of runs that ended rest. Returns the events, which the caller appends.
///
/// # Errors
/// When the database fails.
pub(super) async fn rest_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    runs: &[RunId],
    now: DateTime<Utc>,
) -> Result<Vec<Stamped>, DbErr> {
    // Agents whose steps ended before already rest.
    let agents = store::working_agents(&**tx, runs).await?;
    claws::lock(tx, agents.iter().copied()).await?;
    let mut events = Vec::new();
    for agent in agents {
        events.extend(resting(tx, scope, agent, now).await?);
    }
    Ok(events)
}

/// Publishes the topology of a run that begins.
pub(super) async fn topology(runs: &RunsHandle, row: &run::Model, graph: &Graph) {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let event = Event::TopologyUpdate(update(row, graph));
    runs.inner.events.emit(scope, event.in_run(row.id)).await;
}

fn update(row: &run::Model, graph: &Graph) -> TopologyUpdate {
    let of_run = format!("run:{}", row.id);
    let id = |node: &str| -> String {
        match graph
            .node(node)
            .and_then(|node| node.attributes.agent.or(node.attributes.team))
        {
            Some(id) => id.to_string(),
            None => format!("{of_run}/{node}"),
        }
    };
    let mut nodes = vec![WorldNode {
        id: of_run.clone(),
        tier: WorldTier::Team,
        label: Some(row.title.clone()),
        parent_id: None,
    }];
    nodes.extend(graph.nodes.iter().map(|node| WorldNode {
        id: id(&node.id),
        tier: match node.kind {
            NodeKind::Agent => WorldTier::Agent,
            NodeKind::Team | NodeKind::Run => WorldTier::Team,
            NodeKind::Company => WorldTier::Company,
        },
        label: Some(node.name().to_owned()),
        parent_id: Some(of_run.clone()),
    }));
    let edges = graph.edges.iter().map(|edge| WorldEdge {
        from: id(&edge.from),
        to: id(&edge.to),
        kind: Some(match edge.kind {
            EdgeKind::Parent => WorldEdgeKind::Parent,
            EdgeKind::Peer => WorldEdgeKind::Peer,
            EdgeKind::Flow => WorldEdgeKind::Flow,
        }),
    });
    TopologyUpdate {
        formation: Formation::Live,
        nodes,
        edges: edges.collect(),
    }
}
