//! A team in the world view. The event is published when the team is made and when its name or topology changes, so a view
//! shows the structure before a run begins. A run publishes its own topology, in the formation `live`.

use super::entity::team;
use roost_execution::topology::{self, Graph};
use roost_platform::events::{Event, WorldNodeId};

/// The event with the team's topology at rest. `None` when a newer gateway stored a topology that this one does not know.
pub(super) fn layout(row: &team::Model) -> Option<Event> {
    let graph: Graph = serde_json::from_str(&row.topology).ok()?;
    let root = WorldNodeId::Team(row.id);
    let formation = topology::formation(&graph);
    let shown = topology::world(root, &row.name, &graph, formation);
    Some(Event::TopologyUpdate(shown))
}
