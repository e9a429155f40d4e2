//! The visible state of a run's agents and its topology. An agent is `working` while one of its steps is at work, and
//! rests afterwards. The change is in the same transaction as the step's. The topology is published when the run
//! begins.

use sea_orm::DbErr;

use super::entity::run;
use super::handle::RunsHandle;
use crate::topology::{EdgeKind, Graph, NodeKind};
use roost_agents::claws::status;
use roost_platform::db::WriteTx;
use roost_platform::events::{
    Event, Formation, Stamped, TopologyUpdate, WorldEdge, WorldEdgeKind, WorldNode, WorldTier,
};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// Steps of these agents ended and began, with one entry for each step. Returns the events, which the caller appends.
///
/// # Errors
/// When the database fails.
pub(super) async fn change_agents(
    tx: &WriteTx,
    ended: &[ClawId],
    begun: &[ClawId],
) -> Result<Vec<Stamped>, DbErr> {
    let ended = ended.iter().map(|agent| (*agent, -1));
    let begun = begun.iter().map(|agent| (*agent, 1));
    let events = status::work(tx, ended.chain(begun)).await?;
    Ok(events.into_iter().map(|(_, event)| event).collect())
}

/// Publishes the topology of a run that begins.
pub(super) async fn topology(runs: &RunsHandle, row: &run::Model, graph: &Graph) {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let event = Event::TopologyUpdate(update(row, graph));
    runs.inner
        .events
        .emit(scope, event.about(row.about()))
        .await;
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
