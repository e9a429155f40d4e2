//! `hub_spoke`: the hub plans, spokes work in parallel, and the hub merges. The hub may hand out work again.

use super::super::assemble::{edge, leading};
use super::super::check::{Mistakes, only};
use super::super::directives::{Assignments, assignments};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, Node, OnReject, Seat};
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

    /// Which spokes work, the hub says in its plan.
    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        let hub = Crew::of(graph).hub;
        [Purpose::Plan, Purpose::Merge]
            .map(|purpose| StepRef::new(hub, purpose, 1))
            .into()
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
        let mut sent_back = None;
        let mut lap = 1;
        loop {
            let asked = self.asked(&orders);
            let waiting: Vec<Step> = asked
                .iter()
                .filter(|spoke| {
                    let name = StepRef::new(spoke, Purpose::Work, lap);
                    outputs.get(&name).is_none()
                })
                .map(|spoke| self.work(spoke, (lap, sent_back), &orders, &order_read, outputs))
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
            let given = assignments(text, |id| self.is_spoke(id));
            let rejection = rejection(&asked, lap, outputs);
            let stops = rejection.is_some_and(|(_, action)| action == OnReject::Stop);
            let again = rejection.filter(|_| given.given.is_empty());
            if lap == max_laps || stops || (given.given.is_empty() && again.is_none()) {
                return Ok(Next::Done {
                    text: text.to_owned(),
                    from: merge,
                });
            }
            // What the hub hands out itself comes first. It has read the rejection.
            sent_back = again.map(|(by, _)| by);
            orders = match again {
                Some((by, action)) => self.again(&asked, by, action, &orders),
                None => given,
            };
            order_read = Read::new(self.hub, Purpose::Merge, lap);
            history.push(order_read.clone());
            lap += 1;
        }
    }

    /// The orders of the lap before, for those who work again. An empty task is the whole goal.
    fn again(
        &self,
        asked: &[&'a Node],
        by: &Node,
        action: OnReject,
        orders: &Assignments,
    ) -> Assignments {
        let back_to = by.attributes.back_to.as_deref();
        let back_to = back_to.filter(|id| *id != by.id && self.is_spoke(id));
        let works = |node: &Node| match (action, back_to) {
            (OnReject::HandBack, Some(id)) => node.id == id || node.id == by.id,
            _ => true,
        };
        let task = |node: &Node| orders.given.get(&node.id).cloned().unwrap_or_default();
        let given =
            asked
                .iter()
                .copied()
                .chain(self.spokes.iter().copied().filter(|spoke| {
                    Some(spoke.id.as_str()) == back_to && action == OnReject::HandBack
                }))
                .filter(|node| works(node))
                .map(|node| (node.id.clone(), task(node)));
        Assignments {
            given: given.collect(),
            ignored: Vec::new(),
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
        (lap, sent_back): (u32, Option<&Node>),
        orders: &Assignments,
        order_read: &Read,
        outputs: &Outputs,
    ) -> Step {
        let own = (1..lap)
            .map(|earlier| Read::new(spoke, Purpose::Work, earlier))
            .filter(|read| outputs.get(&read.of).is_some());
        let rejection = sent_back.filter(|by| by.id != spoke.id);
        let rejection = rejection.map(|by| Read::new(by, Purpose::Work, lap - 1));
        let reads = own.chain([order_read.clone()]).chain(rejection).collect();
        let task = orders.given.get(&spoke.id).map(String::as_str);
        let task = task.filter(|task| !task.is_empty());
        let task = match sent_back {
            Some(by) => frames::part_again(self.hub, by, task),
            None => frames::part(self.hub, task),
        };
        Step::new(spoke, Purpose::Work, lap, task, reads)
    }
}

/// The first spoke of this lap that rejects the work and says what that leads to.
fn rejection<'a>(asked: &[&'a Node], lap: u32, outputs: &Outputs) -> Option<(&'a Node, OnReject)> {
    asked.iter().find_map(|node| {
        let action = node.attributes.on_reject?;
        let rejects = outputs.rejects(&StepRef::new(node, Purpose::Work, lap));
        rejects.then_some((*node, action))
    })
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
