//! `hierarchical`: a tree of any depth. Leads hand work to the nodes directly below, leaves work, and reports go up.

use super::super::assemble::{edge, leading};
use super::super::check::{Mistakes, no_cycle, only};
use super::super::directives::{assignments, cut};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, Node, Seat};
use super::super::step::{Bounds, Next, Output, Outputs, Purpose, Read, Step, StepRef};
use super::super::wiring::Wiring;
use super::{Definition, count};

pub(super) struct Hierarchical;

impl Definition for Hierarchical {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        only(graph, EdgeKind::Parent, true, mistakes);
        if graph.nodes.len() < 2 {
            mistakes.add("/nodes", "a lead needs at least one below");
        }
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        if !no_cycle(graph, &wiring, mistakes) {
            return;
        }
        for (position, above) in wiring.up.iter().enumerate() {
            if above.len() > 1 {
                mistakes.add(
                    format!("/nodes/{position}"),
                    format!(
                        "{:?} has several above: a tree has one",
                        graph.nodes[position].id
                    ),
                );
            }
        }
        let roots = wiring.roots();
        for &other in roots.iter().skip(1) {
            mistakes.add(
                format!("/nodes/{other}"),
                format!(
                    "neither {:?} nor {:?} has a node above: a tree has one node at the top",
                    graph.nodes[other].id, graph.nodes[roots[0]].id
                ),
            );
        }
    }

    /// The top is the first node with a leading seat. Each further lead is below the top, and the roles after it are
    /// below that lead.
    fn arrange(&self, graph: &mut Graph) {
        let top = leading(graph, &[Seat::Hub, Seat::Lead]);
        let mut above = top;
        let mut edges = Vec::new();
        for position in 0..graph.nodes.len() {
            if position == top {
                continue;
            }
            if graph.nodes[position].seat == Some(Seat::Lead) {
                edges.push(edge(graph, top, position, EdgeKind::Parent));
                above = position;
            } else {
                edges.push(edge(graph, above, position, EdgeKind::Parent));
                graph.nodes[position].seat = Some(Seat::Member);
            }
        }
        graph.nodes[top].seat = Some(Seat::Lead);
        graph.edges = edges;
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        let Some(&top) = wiring.roots().first() else {
            return Next::Failed {
                detail: "the tree has no top".to_owned(),
            };
        };
        let mut walk = Walk {
            graph,
            wiring: &wiring,
            outputs,
            ready: Vec::new(),
        };
        match walk.visit(top, None) {
            Outcome::Waiting => Next::Run(walk.ready),
            Outcome::Answered(from, text) => Next::Done {
                text: text.to_owned(),
                from: from.of,
            },
            Outcome::Lost(_, detail) => Next::Failed { detail },
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        let leads = wiring.down.iter().filter(|below| !below.is_empty()).count();
        let leaves = graph.nodes.len() - leads;
        // The shortest way down: a plan and a report for each lead, and one leaf.
        let shallowest = self
            .tiers(graph)
            .iter()
            .position(|tier| tier.iter().any(|&node| wiring.down[node].is_empty()))
            .unwrap_or(0);
        Bounds {
            least: count(2 * shallowest + 1),
            most: count(2 * leads + leaves),
        }
    }

    /// Which nodes below the top work, the plans say.
    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        let top = wiring.roots().into_iter().take(1);
        top.flat_map(|top| {
            [Purpose::Plan, Purpose::Report]
                .map(|purpose| StepRef::new(&graph.nodes[top], purpose, 1))
        })
        .collect()
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        let wiring = Wiring::of(graph, EdgeKind::Parent);
        let mut tiers = Vec::new();
        let mut tier = wiring.roots();
        while !tier.is_empty() {
            let below = tier.iter().flat_map(|&node| &wiring.down[node]);
            let below: Vec<usize> = below.copied().collect();
            tiers.push(std::mem::replace(&mut tier, below));
        }
        tiers
    }
}

/// A node's task, and the plan in which it was given.
struct Order<'a> {
    by: &'a Node,
    order_read: Read,
    /// `None` means the whole goal.
    task: Option<String>,
}

enum Outcome<'a> {
    Waiting,
    Answered(Read, &'a str),
    /// The outputs to show for the failure, and its description in a sentence.
    Lost(Vec<Read>, String),
}

struct Walk<'a> {
    graph: &'a Graph,
    wiring: &'a Wiring,
    outputs: &'a Outputs,
    ready: Vec<Step>,
}

impl<'a> Walk<'a> {
    /// The recursion is as deep as the tree: at most as many levels as a graph has nodes.
    fn visit(&mut self, position: usize, order: Option<Order<'a>>) -> Outcome<'a> {
        let (graph, wiring) = (self.graph, self.wiring);
        let node = &graph.nodes[position];
        let below = &wiring.down[position];
        let reads: Vec<Read> = order.iter().map(|order| order.order_read.clone()).collect();
        match &order {
            Some(order) if below.is_empty() => {
                let task = frames::part(order.by, order.task.as_deref());
                self.output(node, Purpose::Work, task, reads)
            }
            _ => {
                let asked = order.as_ref().and_then(|order| {
                    let task = order.task.as_deref()?;
                    Some((order.by, task))
                });
                self.lead(node, below, asked, reads)
            }
        }
    }

    /// A plan, the nodes below, and a report.
    fn lead(
        &mut self,
        node: &'a Node,
        below: &[usize],
        asked: Option<(&'a Node, &str)>,
        mut reads: Vec<Read>,
    ) -> Outcome<'a> {
        let graph = self.graph;
        let crew: Vec<&Node> = below.iter().map(|&child| &graph.nodes[child]).collect();
        let plan = frames::plan(asked, crew.iter().copied());
        let (order_read, plan) = match self.output(node, Purpose::Plan, plan, reads.clone()) {
            Outcome::Answered(order_read, plan) => (order_read, plan),
            other => return other,
        };
        let orders = assignments(plan, |id| crew.iter().any(|child| child.id == id));
        reads.push(order_read.clone());
        let mut lost = Vec::new();
        let mut answered = false;
        let mut waiting = false;
        for &child in below {
            let task = orders.given.get(&graph.nodes[child].id).cloned();
            if task.is_none() && !orders.given.is_empty() {
                continue;
            }
            let order = Order {
                by: node,
                order_read: order_read.clone(),
                task: task.or_else(|| asked.map(|(_, task)| task.to_owned())),
            };
            match self.visit(child, Some(order)) {
                Outcome::Waiting => waiting = true,
                Outcome::Answered(read, _) => {
                    answered = true;
                    reads.push(read);
                }
                Outcome::Lost(of, why) => {
                    reads.extend(of);
                    lost.push(why);
                }
            }
        }
        if waiting {
            return Outcome::Waiting;
        }
        if !answered {
            // The node above must see what failed below, not the plan of this node.
            let of = reads.split_off(
                reads
                    .iter()
                    .position(|read| *read == order_read)
                    .map_or(0, |at| at + 1),
            );
            lost.truncate(5);
            let why = format!(
                "no node below {} answered ({})",
                node.name(),
                lost.join("; ")
            );
            return Outcome::Lost(of, cut(&why, 2_000).to_owned());
        }
        let report = frames::report(asked, &orders.ignored);
        self.output(node, Purpose::Report, report, reads)
    }

    /// The step's output. Without one, the step becomes ready.
    fn output(
        &mut self,
        node: &Node,
        purpose: Purpose,
        task: String,
        reads: Vec<Read>,
    ) -> Outcome<'a> {
        let own = Read::new(node, purpose, 1);
        match self.outputs.get(&StepRef::new(node, purpose, 1)) {
            None => {
                self.ready.push(Step::new(node, purpose, 1, task, reads));
                Outcome::Waiting
            }
            Some(Output::Done(text)) => Outcome::Answered(own, text),
            Some(Output::Failed(why) | Output::Abstained(why)) => {
                let why = format!("{} failed: {}", node.name(), cut(why.trim(), 300));
                Outcome::Lost(vec![own], why)
            }
        }
    }
}
