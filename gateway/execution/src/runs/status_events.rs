//! The visible state of a run's agents and its topology. An agent is `working` while one of its steps is at work, and
//! rests afterwards. The change is in the same transaction as the step's. The topology is published when the run
//! begins.

use sea_orm::DbErr;

use super::entity::run;
use super::handle::RunsHandle;
use crate::topology::{self, Graph};
use roost_agents::claws::status;
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, Formation, Stamped, WorldNodeId};
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
    Ok(events.into_iter().map(|(.., event)| event).collect())
}

/// Publishes the topology of a run that begins.
pub(super) async fn topology(runs: &RunsHandle, row: &run::Model, graph: &Graph) {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let root = match row.team_id {
        Some(team) => WorldNodeId::Team(team),
        None => WorldNodeId::run(row.id),
    };
    let shown = topology::world(root, &row.title, graph, Formation::Live);
    let event = Event::TopologyUpdate(shown);
    let event = event.about(row.about());
    runs.inner.events.emit(scope, event).await;
}
