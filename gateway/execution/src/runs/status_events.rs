//! The visible state of a run's agents and its topology. An agent is `working` while one of its steps is at work, and
//! rests afterwards. The change is in the same transaction as the step's. The topology is published
//! with the first steps.

use sea_orm::DbErr;

use super::entity::run;
use crate::topology::{self, Graph};
use roost_agents::claws::status;
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, Formation, Stamped, WorldNodeId};
use roost_platform::ids::ClawId;

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

/// The topology of a run that begins.
pub(super) fn topology(row: &run::Model, graph: &Graph) -> Stamped {
    let root = match row.team_id {
        Some(team) => WorldNodeId::Team(team),
        None => WorldNodeId::run(row.id),
    };
    let shown = topology::world(root, &row.title, graph, Formation::Live);
    Event::TopologyUpdate(shown).about(row.about())
}
