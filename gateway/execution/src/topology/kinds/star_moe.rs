//! `star_moe`: a gate scores the experts, the best k answer in parallel, and a hub merges. The next best expert
//! replaces one that abstains. Gate and hub may be one node.

use std::cmp::Reverse;

use super::super::assemble::{edge, leading};
use super::super::check::{Mistakes, only};
use super::super::directives::{abstention, scores};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, Node, Seat};
use super::super::step::{Bounds, Next, Output, Outputs, Purpose, Read, Step, StepRef};
use super::super::wiring::Wiring;
use super::{Definition, count, needed};

pub(super) struct StarMoe;

impl Definition for StarMoe {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        only(graph, EdgeKind::Flow, true, mistakes);
        let sitting = |seat| {
            let all = graph.nodes.iter();
            all.filter(|node| node.seat == Some(seat)).count()
        };
        let (gates, hubs) = (sitting(Seat::Gate), sitting(Seat::Hub));
        if gates > 1 || hubs > 1 || gates + hubs == 0 {
            mistakes.add(
                "/nodes",
                "one node must have the seat gate and one the seat hub, or one of the two for both",
            );
            return;
        }
        let star = Star::of(graph);
        if star.experts.is_empty() {
            mistakes.add("/nodes", "a gate needs at least one expert");
        }
        let wiring = Wiring::of(graph, EdgeKind::Flow);
        let gate = leading(graph, &[Seat::Gate, Seat::Hub]);
        let hub = leading(graph, &[Seat::Hub, Seat::Gate]);
        for position in 0..graph.nodes.len() {
            if position == gate || position == hub {
                continue;
            }
            let mut missing = |from: usize, to: usize| {
                let (from, to) = (&graph.nodes[from].id, &graph.nodes[to].id);
                mistakes.add(
                    format!("/nodes/{position}"),
                    format!("no edge of kind flow leads from {from:?} to {to:?}"),
                );
            };
            if !wiring.up[position].contains(&gate) {
                missing(gate, position);
            }
            if gate != hub && !wiring.down[position].contains(&hub) {
                missing(position, hub);
            }
        }
        star.strays(graph, mistakes);
    }

    fn arrange(&self, graph: &mut Graph) {
        let gate = leading(graph, &[Seat::Gate, Seat::Hub, Seat::Lead]);
        let hub = leading(graph, &[Seat::Hub, Seat::Gate, Seat::Lead]);
        let mut edges = Vec::new();
        for position in 0..graph.nodes.len() {
            if position == gate || position == hub {
                continue;
            }
            edges.push(edge(graph, gate, position, EdgeKind::Flow));
            if gate != hub {
                edges.push(edge(graph, position, hub, EdgeKind::Flow));
            }
            graph.nodes[position].seat = Some(Seat::Expert);
        }
        graph.nodes[gate].seat = Some(Seat::Gate);
        graph.nodes[hub].seat = Some(Seat::Hub);
        graph.edges = edges;
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let star = Star::of(graph);
        match star.next(graph.settings.experts as usize, outputs) {
            Ok(next) | Err(next) => next,
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let experts = count(Star::of(graph).experts.len());
        Bounds {
            least: 2 + graph.settings.experts.min(experts),
            most: 2 + experts,
        }
    }

    /// Which experts work, the gate says in its scores.
    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        let star = Star::of(graph);
        vec![
            StepRef::new(star.gate, Purpose::Gate, 1),
            StepRef::new(star.hub, Purpose::Merge, 1),
        ]
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        let star = Star::of(graph);
        let at = |id: &str| {
            let all = 0..graph.nodes.len();
            all.filter(|&node| graph.nodes[node].id == id)
                .collect::<Vec<_>>()
        };
        let experts = star.experts.iter().flat_map(|node| at(&node.id)).collect();
        let mut tiers = vec![at(&star.gate.id), experts];
        if star.gate.id != star.hub.id {
            tiers.push(at(&star.hub.id));
        }
        tiers
    }
}

struct Star<'a> {
    gate: &'a Node,
    hub: &'a Node,
    experts: Vec<&'a Node>,
}

impl<'a> Star<'a> {
    fn of(graph: &'a Graph) -> Self {
        let gate = &graph.nodes[leading(graph, &[Seat::Gate, Seat::Hub])];
        let hub = &graph.nodes[leading(graph, &[Seat::Hub, Seat::Gate])];
        let experts = graph
            .nodes
            .iter()
            .filter(|node| node.id != gate.id && node.id != hub.id);
        Self {
            gate,
            hub,
            experts: experts.collect(),
        }
    }

    /// Refuses flows that are neither from the gate nor to the hub: they would suggest an order that does not exist.
    fn strays(&self, graph: &Graph, mistakes: &mut Mistakes) {
        let is_expert = |id: &str| id != self.gate.id && id != self.hub.id;
        for (position, edge) in graph.edges.iter().enumerate() {
            let out = edge.from == self.gate.id && is_expert(&edge.to);
            let back = edge.to == self.hub.id && is_expert(&edge.from);
            if edge.kind == EdgeKind::Flow && !out && !back {
                mistakes.add(
                    format!("/edges/{position}"),
                    "work flows from the gate to experts and from experts to the hub only",
                );
            }
        }
    }

    /// `Err` when the gate or the hub failed.
    fn next(&self, best: usize, outputs: &Outputs) -> Result<Next, Next> {
        let best = best.min(self.experts.len());
        let gate = StepRef::new(self.gate, Purpose::Gate, 1);
        let Some(output) = outputs.get(&gate) else {
            let task = frames::gate(best, self.experts.iter().copied());
            let step = Step::new(self.gate, Purpose::Gate, 1, task, Vec::new());
            return Ok(Next::Run(vec![step]));
        };
        let ranked = self.ranked(needed(self.gate, &gate, output)?);
        let asked = asked(&ranked, best, outputs);
        let waiting: Vec<Step> = asked
            .iter()
            .filter(|expert| {
                let name = StepRef::new(expert, Purpose::Work, 1);
                outputs.get(&name).is_none()
            })
            .map(|expert| Step::new(expert, Purpose::Work, 1, frames::expert(), Vec::new()))
            .collect();
        if !waiting.is_empty() {
            return Ok(Next::Run(waiting));
        }
        let own = |expert: &&Node| Read::new(expert, Purpose::Work, 1);
        if !asked
            .iter()
            .any(|expert| matches!(state(expert, outputs), State::Answered))
        {
            let names: Vec<&str> = asked.iter().map(|expert| expert.name()).take(10).collect();
            return Ok(Next::Failed {
                detail: format!("no expert answered; asked were {}", names.join(", ")),
            });
        }
        let merge = StepRef::new(self.hub, Purpose::Merge, 1);
        let Some(output) = outputs.get(&merge) else {
            let scored = Read::new(self.gate, Purpose::Gate, 1);
            let reads = [scored].into_iter().chain(asked.iter().map(own)).collect();
            let task = frames::merge_experts();
            let step = Step::new(self.hub, Purpose::Merge, 1, task, reads);
            return Ok(Next::Run(vec![step]));
        };
        Ok(Next::Done {
            text: needed(self.hub, &merge, output)?.to_owned(),
            from: merge,
        })
    }

    /// Best first. Experts with equal scores keep the order of the nodes.
    fn ranked(&self, text: &str) -> Vec<&'a Node> {
        let scores = scores(text, |id| self.experts.iter().any(|node| node.id == id));
        let mut ranked = self.experts.clone();
        ranked.sort_by_key(|node| Reverse(scores.get(&node.id).copied().unwrap_or(0)));
        ranked
    }
}

enum State {
    Waiting,
    Answered,
    Abstained,
    Failed,
}

fn state(expert: &Node, outputs: &Outputs) -> State {
    match outputs.get(&StepRef::new(expert, Purpose::Work, 1)) {
        None => State::Waiting,
        Some(Output::Done(text)) if abstention(text).is_some() => State::Abstained,
        Some(Output::Done(_)) => State::Answered,
        Some(Output::Abstained(_)) => State::Abstained,
        Some(Output::Failed(_)) => State::Failed,
    }
}

/// The best experts, and one more for each that abstained. The list does not depend on the order of the answers: each
/// abstention only extends it, in the same order.
fn asked<'a>(ranked: &[&'a Node], best: usize, outputs: &Outputs) -> Vec<&'a Node> {
    let mut wanted = best;
    let mut asked = Vec::new();
    for expert in ranked {
        if asked.len() == wanted {
            break;
        }
        asked.push(*expert);
        if matches!(state(expert, outputs), State::Abstained) {
            wanted += 1;
        }
    }
    asked
}
