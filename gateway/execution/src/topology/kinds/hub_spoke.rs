//! `hub_spoke`: the hub plans, spokes work in parallel, and the hub merges. The hub may hand out work again.

use super::super::assemble::{edge, leading};
use super::super::check::{Mistakes, only};
use super::super::directives::{Assignments, assignments};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, Node, Seat};
use super::super::step::{Bounds, Next, Output, Outputs, Purpose, Read, Step, StepRef};
use super::super::wiring::Wiring;
use super::{Definition, count, needed};

pub(super) struct HubSpoke;

impl Definition for HubSpoke {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        only(graph, EdgeKind::Parent, true, mistakes);
        let hubs: Vec<usize> = (0..graph.nodes.len())
            .filter(|&node| graph.nodes[node].seat == Some(Seat::Hub))
            .collect();
        let &[hub] = hubs.as_slice() else {
            mistakes.add(
                "/nodes",
                format!(
                    "exactly one node must have the seat hub, {} have",
                    hubs.len()
                ),
            );
            return;
        };
        if graph.nodes.len() < 2 {
            mistakes.add("/nodes", "a hub needs at least one spoke");
        }
        let hub_id = &graph.nodes[hub].id;
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        for (position, edge) in graph.edges.iter().enumerate() {
            if edge.kind == EdgeKind::Parent && edge.from != *hub_id {
                mistakes.add(
                    format!("/edges/{position}"),
                    format!("only the hub {hub_id:?} hands out work: a spoke has no node below"),
                );
            }
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            if position != hub && !wiring.up[position].contains(&hub) {
                mistakes.add(
                    format!("/nodes/{position}"),
                    format!("no edge leads from the hub {hub_id:?} to {:?}", node.id),
                );
            }
        }
    }

    fn arrange(&self, graph: &mut Graph) {
        let hub = leading(graph, &[Seat::Hub, Seat::Lead, Seat::Gate]);
        for (position, node) in graph.nodes.iter_mut().enumerate() {
            node.seat = Some(if position == hub {
                Seat::Hub
            } else {
                Seat::Spoke
            });
        }
        graph.edges = (0..graph.nodes.len())
            .filter(|&spoke| spoke != hub)
            .map(|spoke| edge(graph, hub, spoke, EdgeKind::Parent))
            .collect();
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let crew = Crew::of(graph);
        match crew.next(graph.settings.max_laps, outputs) {
            Ok(next) | Err(next) => next,
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let spokes = count(graph.nodes.len() - 1);
        Bounds {
            least: 3,
            most: 1 + graph.settings.max_laps * (spokes + 1),
        }
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        let is_hub = |&node: &usize| graph.nodes[node].seat == Some(Seat::Hub);
        let (hub, spokes) = (0..graph.nodes.len()).partition(is_hub);
        vec![hub, spokes]
    }
}

struct Crew<'a> {
    hub: &'a Node,
    spokes: Vec<&'a Node>,
}

impl<'a> Crew<'a> {
    fn of(graph: &'a Graph) -> Self {
        let hub = &graph.nodes[leading(graph, &[Seat::Hub])];
        let spokes = graph.nodes.iter().filter(|node| node.id != hub.id);
        Self {
            hub,
            spokes: spokes.collect(),
        }
    }

    fn is_spoke(&self, id: &str) -> bool {
        self.spokes.iter().any(|spoke| spoke.id == id)
    }

    /// `Err` when the hub itself failed.
    fn next(&self, max_laps: u32, outputs: &Outputs) -> Result<Next, Next> {
        let plan = StepRef::new(self.hub, Purpose::Plan, 1);
        let Some(output) = outputs.get(&plan) else {
            let task = frames::plan(None, self.spokes.iter().copied());
            let step = Step::new(self.hub, Purpose::Plan, 1, task, Vec::new());
            return Ok(Next::Run(vec![step]));
        };
        let text = needed(self.hub, &plan, output)?;
        let mut orders = assignments(text, |id| self.is_spoke(id));
        let mut order_read = Read::new(self.hub, Purpose::Plan, 1);
        let mut history = vec![order_read.clone()];
        let mut answered = false;
        let mut lap = 1;
        loop {
            let asked = self.asked(&orders);
            let waiting: Vec<Step> = asked
                .iter()
                .filter(|spoke| {
                    let name = StepRef::new(spoke, Purpose::Work, lap);
                    outputs.get(&name).is_none()
                })
                .map(|spoke| self.work(spoke, lap, &orders, &order_read, outputs))
                .collect();
            if !waiting.is_empty() {
                return Ok(Next::Run(waiting));
            }
            for spoke in &asked {
                let read = Read::new(spoke, Purpose::Work, lap);
                answered |= matches!(outputs.get(&read.of), Some(Output::Done(_)));
                history.push(read);
            }
            if !answered {
                return Ok(nobody(&asked, lap, outputs));
            }
            let merge = StepRef::new(self.hub, Purpose::Merge, lap);
            let Some(output) = outputs.get(&merge) else {
                let task =
                    frames::merge(max_laps - lap, self.spokes.iter().copied(), &orders.ignored);
                let step = Step::new(self.hub, Purpose::Merge, lap, task, history);
                return Ok(Next::Run(vec![step]));
            };
            let text = needed(self.hub, &merge, output)?;
            if lap < max_laps {
                orders = assignments(text, |id| self.is_spoke(id));
            }
            if lap == max_laps || orders.given.is_empty() {
                return Ok(Next::Done {
                    text: text.to_owned(),
                    from: merge,
                });
            }
            order_read = Read::new(self.hub, Purpose::Merge, lap);
            history.push(order_read.clone());
            lap += 1;
        }
    }

    /// The spokes that work: those with a task, or all of them when the plan named none.
    fn asked(&self, orders: &Assignments) -> Vec<&'a Node> {
        let everybody = orders.given.is_empty();
        let asked = self.spokes.iter().copied();
        asked
            .filter(|spoke| everybody || orders.given.contains_key(&spoke.id))
            .collect()
    }

    /// A spoke sees the hub's last answer and its own earlier outputs.
    fn work(
        &self,
        spoke: &Node,
        lap: u32,
        orders: &Assignments,
        order_read: &Read,
        outputs: &Outputs,
    ) -> Step {
        let own = (1..lap)
            .map(|earlier| Read::new(spoke, Purpose::Work, earlier))
            .filter(|read| outputs.get(&read.of).is_some());
        let reads = own.chain([order_read.clone()]).collect();
        let task = frames::part(self.hub, orders.given.get(&spoke.id).map(String::as_str));
        Step::new(spoke, Purpose::Work, lap, task, reads)
    }
}

/// No spoke answered: the reasons.
fn nobody(asked: &[&Node], lap: u32, outputs: &Outputs) -> Next {
    let why: Vec<String> = asked
        .iter()
        .filter_map(
            |spoke| match outputs.get(&StepRef::new(spoke, Purpose::Work, lap)) {
                Some(Output::Failed(why) | Output::Abstained(why)) => Some(format!(
                    "{}: {}",
                    spoke.name(),
                    super::directives::cut(why.trim(), 300)
                )),
                _ => None,
            },
        )
        .take(5)
        .collect();
    Next::Failed {
        detail: format!("no spoke answered ({})", why.join("; ")),
    }
}
