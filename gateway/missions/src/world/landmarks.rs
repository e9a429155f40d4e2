//! The landmarks of a workspace as nodes and edges. Pure code.

use std::collections::{HashMap, HashSet};

use roost_platform::events::{
    Formation, TopologyUpdate, WorldEdge, WorldEdgeKind, WorldNode, WorldNodeId,
};
use roost_platform::ids::{ClawId, MissionId, NodeId, TeamId};

/// A mission in flight: it is launched and has not ended.
#[derive(Debug, Clone)]
pub(super) struct MissionMark {
    pub(super) id: MissionId,
    pub(super) title: String,
    /// The teams that were minted for it.
    pub(super) teams: Vec<TeamId>,
    /// The machine that it is pinned to.
    pub(super) machine: Option<NodeId>,
}

/// A thing with a name.
#[derive(Debug, Clone)]
pub(super) struct Named<T> {
    pub(super) id: T,
    pub(super) name: String,
}

/// What there is in a workspace.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) missions: Vec<MissionMark>,
    pub(super) machines: Vec<Named<NodeId>>,
    pub(super) teams: Vec<Named<TeamId>>,
    pub(super) agents: Vec<Named<ClawId>>,
    /// Who sits in which team, in the order of the seats.
    pub(super) seats: Vec<(TeamId, ClawId)>,
    /// Whose sandbox runs where. `None` is the gateway's own host.
    pub(super) places: Vec<(WorldNodeId, Option<NodeId>)>,
    /// The names of the models.
    pub(super) models: Vec<String>,
    /// Which agent is connected to which app.
    pub(super) apps: Vec<(ClawId, String)>,
}

/// The landmarks. An agent hangs on the first of its teams, and an edge leads to it from each other one. A team hangs on the
/// mission in flight that it was minted for. An edge of flow leads from the owner of a running sandbox to its machine, and from
/// a mission to the machine that it is pinned to. The gateway's own host is a landmark while a sandbox runs there. Models are
/// landmarks, and so are the apps that agents are connected to: an edge of flow leads from the agent to its app.
pub(super) fn landmarks(facts: &Facts) -> TopologyUpdate {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    let mut of_mission: HashMap<TeamId, WorldNodeId> = HashMap::new();
    let machines: HashSet<NodeId> = facts.machines.iter().map(|machine| machine.id).collect();
    for mission in &facts.missions {
        let mark = WorldNodeId::Mission(mission.id.0);
        nodes.push(WorldNode::new(mark.clone(), &mission.title, None));
        for team in &mission.teams {
            of_mission.insert(*team, mark.clone());
        }
        if let Some(machine) = mission.machine.filter(|machine| machines.contains(machine)) {
            edges.push(WorldEdge {
                from: mark,
                to: WorldNodeId::Machine(Some(machine)),
                kind: Some(WorldEdgeKind::Flow),
            });
        }
    }
    if facts.places.iter().any(|(_, machine)| machine.is_none()) {
        let mark = WorldNodeId::Machine(None);
        nodes.push(WorldNode::new(mark, "This gateway", None));
    }
    for machine in &facts.machines {
        let mark = WorldNodeId::Machine(Some(machine.id));
        nodes.push(WorldNode::new(mark, &machine.name, None));
    }
    for team in &facts.teams {
        let mark = WorldNodeId::Team(team.id);
        let parent = of_mission.get(&team.id).cloned();
        edges.extend(parent.clone().map(|parent| below(parent, mark.clone())));
        nodes.push(WorldNode::new(mark, &team.name, parent));
    }
    let teams: HashSet<TeamId> = facts.teams.iter().map(|team| team.id).collect();
    let agents: HashSet<ClawId> = facts.agents.iter().map(|agent| agent.id).collect();
    let mut first: HashMap<ClawId, WorldNodeId> = HashMap::new();
    for (team, agent) in &facts.seats {
        if teams.contains(team) && agents.contains(agent) {
            let team = WorldNodeId::Team(*team);
            edges.push(below(team.clone(), WorldNodeId::Agent(*agent)));
            first.entry(*agent).or_insert(team);
        }
    }
    for agent in &facts.agents {
        let mark = WorldNodeId::Agent(agent.id);
        nodes.push(WorldNode::new(mark, &agent.name, first.remove(&agent.id)));
    }
    let known: HashSet<WorldNodeId> = nodes.iter().map(|node| node.id.clone()).collect();
    for (owner, machine) in &facts.places {
        let machine = WorldNodeId::Machine(*machine);
        let edge = WorldEdge {
            from: owner.clone(),
            to: machine,
            kind: Some(WorldEdgeKind::Flow),
        };
        // A mission that is pinned to the machine has the edge already.
        let is_drawn = edges
            .iter()
            .any(|drawn| drawn.from == edge.from && drawn.to == edge.to);
        if known.contains(&edge.from) && known.contains(&edge.to) && !is_drawn {
            edges.push(edge);
        }
    }
    services(facts, &agents, (&mut nodes, &mut edges));
    TopologyUpdate {
        formation: Formation::Live,
        nodes,
        edges,
    }
}

/// The models and the apps. Each is drawn once.
fn services(
    facts: &Facts,
    agents: &HashSet<ClawId>,
    (nodes, edges): (&mut Vec<WorldNode>, &mut Vec<WorldEdge>),
) {
    let mut drawn = HashSet::new();
    let mut draw = |mark: &WorldNodeId, name: &str| {
        if drawn.insert(mark.clone()) {
            nodes.push(WorldNode::new(mark.clone(), name, None));
        }
    };
    for model in &facts.models {
        draw(&WorldNodeId::model(model), model);
    }
    for (agent, app) in facts
        .apps
        .iter()
        .filter(|(agent, _)| agents.contains(agent))
    {
        let mark = WorldNodeId::app(app);
        draw(&mark, app);
        edges.push(WorldEdge {
            from: WorldNodeId::Agent(*agent),
            to: mark,
            kind: Some(WorldEdgeKind::Flow),
        });
    }
}

fn below(from: WorldNodeId, to: WorldNodeId) -> WorldEdge {
    WorldEdge {
        from,
        to,
        kind: Some(WorldEdgeKind::Parent),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn named<T>(id: impl Fn(Uuid) -> T, numbers: &[u8]) -> Vec<Named<T>> {
        let of = |number: &u8| Named {
            id: id(Uuid::from_u128((*number).into())),
            name: format!("n{number}"),
        };
        numbers.iter().map(of).collect()
    }

    #[test]
    fn mission_stands_above_its_teams_and_they_above_their_agents() {
        let team = TeamId(Uuid::from_u128(1));
        let other = TeamId(Uuid::from_u128(2));
        let agent = ClawId(Uuid::from_u128(3));
        let machine = NodeId(Uuid::from_u128(4));
        let mission = MissionMark {
            id: MissionId(Uuid::from_u128(5)),
            title: "Faster".to_owned(),
            teams: vec![team],
            machine: Some(machine),
        };
        let facts = Facts {
            missions: vec![mission],
            machines: named(NodeId, &[4]),
            teams: named(TeamId, &[1, 2]),
            agents: named(ClawId, &[3, 6]),
            seats: vec![(team, agent), (other, agent)],
            ..Facts::default()
        };
        let drawn = serde_json::to_value(landmarks(&facts)).unwrap();
        assert_eq!(drawn["formation"], "live");
        let at = |number: u128| Uuid::from_u128(number).to_string();
        let parents: Vec<_> = drawn["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| (node["id"].as_str().unwrap(), node["parentId"].as_str()))
            .collect();
        let mission = format!("mission:{}", at(5));
        let team = format!("team:{}", at(1));
        assert_eq!(
            parents,
            [
                (mission.as_str(), None),
                (format!("machine:{}", at(4)).as_str(), None),
                (team.as_str(), Some(mission.as_str())),
                (format!("team:{}", at(2)).as_str(), None),
                (format!("agent:{}", at(3)).as_str(), Some(team.as_str())),
                (format!("agent:{}", at(6)).as_str(), None),
            ]
        );
        let flows = drawn["edges"].as_array().unwrap().iter();
        assert_eq!(flows.filter(|edge| edge["kind"] == "flow").count(), 1);
    }

    #[test]
    fn running_sandbox_leads_from_its_owner_to_its_machine_once() {
        let (agent, machine) = (ClawId(Uuid::from_u128(3)), NodeId(Uuid::from_u128(4)));
        let mission = MissionId(Uuid::from_u128(5));
        let mut facts = Facts {
            missions: vec![MissionMark {
                id: mission,
                title: String::new(),
                teams: Vec::new(),
                machine: Some(machine),
            }],
            machines: named(NodeId, &[4]),
            agents: named(ClawId, &[3]),
            places: vec![
                (WorldNodeId::Mission(mission.0), Some(machine)),
                (WorldNodeId::Agent(agent), None),
                // Of an agent and of a machine that are not drawn.
                (WorldNodeId::Agent(ClawId(Uuid::from_u128(9))), None),
                (WorldNodeId::Agent(agent), Some(NodeId(Uuid::from_u128(9)))),
            ],
            ..Facts::default()
        };
        let drawn = landmarks(&facts);
        let flows: Vec<_> = drawn
            .edges
            .iter()
            .map(|edge| (edge.from.clone(), edge.to.clone()))
            .collect();
        assert_eq!(
            flows,
            [
                (
                    WorldNodeId::Mission(mission.0),
                    WorldNodeId::Machine(Some(machine))
                ),
                (WorldNodeId::Agent(agent), WorldNodeId::Machine(None)),
            ]
        );
        let hosts = |drawn: &TopologyUpdate| {
            let all = drawn.nodes.iter();
            all.filter(|node| node.id == WorldNodeId::Machine(None))
                .count()
        };
        assert_eq!(hosts(&drawn), 1);
        facts.places.clear();
        assert_eq!(hosts(&landmarks(&facts)), 0);
    }

    #[test]
    fn models_and_apps_are_drawn_once_and_apps_hang_on_their_agents() {
        let [ada, bob, gone] = [1, 2, 3].map(|id| ClawId(Uuid::from_u128(id)));
        let facts = Facts {
            agents: named(ClawId, &[1, 2]),
            models: vec!["openai/tiny".to_owned(), "openai/tiny".to_owned()],
            apps: vec![
                (ada, "github".to_owned()),
                (bob, "github".to_owned()),
                (gone, "slack".to_owned()),
            ],
            ..Facts::default()
        };
        let drawn = landmarks(&facts);
        let ids: Vec<String> = drawn.nodes.iter().map(|node| node.id.to_string()).collect();
        assert_eq!(
            ids[2..],
            ["service:model/openai/tiny", "service:app/github"]
        );
        let app = WorldNodeId::app("github");
        let of = |agent| (WorldNodeId::Agent(agent), app.clone());
        let edges: Vec<_> = drawn
            .edges
            .iter()
            .map(|edge| (edge.from.clone(), edge.to.clone()))
            .collect();
        assert_eq!(edges, [of(ada), of(bob)]);
    }

    proptest! {
        /// Every edge and every parent leads to a node that is drawn, and each node is drawn once.
        #[test]
        fn nothing_leads_to_a_node_that_is_missing(
            teams in prop::collection::btree_set(0_u8..6, 0..5), agents in prop::collection::btree_set(10_u8..16, 0..5),
            machines in prop::collection::btree_set(20_u8..24, 0..3), missions in prop::collection::btree_set(30_u8..33, 0..3),
            minted in prop::collection::vec((30_u8..33, 0_u8..6), 0..6), pinned in prop::option::of(20_u8..24),
            seats in prop::collection::vec((0_u8..6, 10_u8..16), 0..10),
            places in prop::collection::vec((10_u8..16, prop::option::of(20_u8..24)), 0..6),
            models in prop::collection::vec("[a-c]{1,2}", 0..4), apps in prop::collection::vec((10_u8..16, "[a-c]"), 0..6),
        ) {
            let uuid = |number: u8| Uuid::from_u128(number.into());
            let numbers = |all: &std::collections::BTreeSet<u8>| all.iter().copied().collect::<Vec<_>>();
            let missions = missions.iter().map(|mission| MissionMark {
                id: MissionId(uuid(*mission)),
                title: String::new(),
                teams: minted.iter().filter(|(of, _)| of == mission).map(|(_, team)| TeamId(uuid(*team))).collect(),
                machine: pinned.map(|machine| NodeId(uuid(machine))),
            });
            let facts = Facts {
                missions: missions.collect(),
                machines: named(NodeId, &numbers(&machines)),
                teams: named(TeamId, &numbers(&teams)),
                agents: named(ClawId, &numbers(&agents)),
                seats: seats.iter().map(|(team, agent)| (TeamId(uuid(*team)), ClawId(uuid(*agent)))).collect(),
                places: places.iter().map(|(agent, machine)| {
                    (WorldNodeId::Agent(ClawId(uuid(*agent))), machine.map(|machine| NodeId(uuid(machine))))
                }).collect(),
                models,
                apps: apps.into_iter().map(|(agent, app)| (ClawId(uuid(agent)), app)).collect(),
            };
            let drawn = landmarks(&facts);
            let known: HashSet<_> = drawn.nodes.iter().map(|node| node.id.clone()).collect();
            prop_assert_eq!(known.len(), drawn.nodes.len());
            for node in &drawn.nodes {
                prop_assert!(node.parent_id.as_ref().is_none_or(|parent| known.contains(parent)));
            }
            for edge in &drawn.edges {
                prop_assert!(known.contains(&edge.from) && known.contains(&edge.to));
            }
        }
    }
}
