//! How a run's agents and its topology show: `working` while a step of theirs is at work, resting afterwards, in the
//! transaction that makes it so; the topology when the run begins.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::run;
use super::handle::RunsHandle;
use super::store;
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::{status, store as claws};
use crate::domains::sandboxes::model::State;
use crate::domains::sandboxes::store as sandboxes;
use crate::domains::topology::{EdgeKind, Graph, NodeKind};
use crate::events::{
    AgentState, Event, Formation, Stamped, TopologyUpdate, WorldEdge, WorldEdgeKind, WorldNode,
    WorldTier,
};
use crate::ids::{ClawId, RunId};

/// One step of a run ended, of the agent `rests`, and others begin, of `work`; the events of it, for the caller to append.
///
/// # Errors
/// When the database fails.
pub(super) async fn turn(
    tx: &WriteTx,
    scope: WorkspaceScope,
    rests: Option<ClawId>,
    work: &[ClawId],
    now: DateTime<Utc>,
) -> Result<Vec<Stamped>, DbErr> {
    // Another run of them may begin or end in the same moment: the later one sees what the earlier wrote.
    claws::hold(tx, rests.into_iter().chain(work.iter().copied())).await?;
    let mut told = Vec::new();
    if let Some(agent) = rests {
        told.extend(resting(tx, scope, agent, now).await?);
    }
    for &agent in work {
        told.extend(status::change(tx, scope, agent, AgentState::Working, now).await?);
    }
    Ok(told)
}

/// An agent's step has ended: it rests, unless another step of it is at work.
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

/// All agents of runs that ended rest; the events of it, for the caller to append.
///
/// # Errors
/// When the database fails.
pub(super) async fn all_resting(
    tx: &WriteTx,
    scope: WorkspaceScope,
    runs: &[RunId],
    now: DateTime<Utc>,
) -> Result<Vec<Stamped>, DbErr> {
    // Those whose steps ended before rest already.
    let agents = store::who_works(&**tx, runs).await?;
    claws::hold(tx, agents.iter().copied()).await?;
    let mut told = Vec::new();
    for agent in agents {
        told.extend(resting(tx, scope, agent, now).await?);
    }
    Ok(told)
}

/// Tells who works with whom in a run that begins.
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
