//! `pipeline`: the nodes work one after the other. Each sees the goal and all earlier outputs.

use super::super::assemble::edge;
use super::super::check::{Mistakes, no_cycle, only};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph};
use super::super::step::{Bounds, Next, Outputs, Purpose, Read, Step, StepRef};
use super::super::wiring::Wiring;
use super::{Definition, count, needed};

pub(super) struct Pipeline;

impl Definition for Pipeline {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        only(graph, EdgeKind::Flow, false, mistakes);
        let wiring = Wiring::of(graph, EdgeKind::Flow);
        if !no_cycle(graph, &wiring, mistakes) {
            return;
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            let at = format!("/nodes/{position}");
            if wiring.down[position].len() > 1 {
                mistakes.add(
                    &at,
                    format!(
                        "{:?} hands over to several: a pipeline has no forks",
                        node.id
                    ),
                );
            }
            if wiring.up[position].len() > 1 {
                mistakes.add(
                    &at,
                    format!(
                        "several hand over to {:?}: a pipeline has no joins",
                        node.id
                    ),
                );
            }
        }
        let first = wiring.roots();
        for &other in first.iter().skip(1) {
            mistakes.add(
                format!("/nodes/{other}"),
                format!(
                    "no node hands over to {:?}: a pipeline is one path from {:?}",
                    graph.nodes[other].id, graph.nodes[first[0]].id
                ),
            );
        }
    }

    fn arrange(&self, graph: &mut Graph) {
        graph.edges = (1..graph.nodes.len())
            .map(|to| edge(graph, to - 1, to, EdgeKind::Flow))
            .collect();
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let path = path(graph);
        let mut reads = Vec::with_capacity(path.len());
        let mut last = None;
        for (place, &position) in path.iter().enumerate() {
            let node = &graph.nodes[position];
            let name = StepRef::new(node, Purpose::Work, 1);
            let Some(output) = outputs.get(&name) else {
                let task = frames::in_line(place + 1, path.len());
                return Next::Run(vec![Step::new(node, Purpose::Work, 1, task, reads)]);
            };
            match needed(node, &name, output) {
                Ok(text) => last = Some((text, name)),
                Err(failed) => return failed,
            }
            reads.push(Read::new(node, Purpose::Work, 1));
        }
        match last {
            Some((text, from)) => Next::Done {
                text: text.to_owned(),
                from,
            },
            None => Next::Failed {
                detail: "the pipeline has no nodes".to_owned(),
            },
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let all = count(graph.nodes.len());
        Bounds {
            least: all,
            most: all,
        }
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        path(graph).into_iter().map(|node| vec![node]).collect()
    }
}

/// The nodes in the order of the path.
fn path(graph: &Graph) -> Vec<usize> {
    let wiring = Wiring::of(graph, EdgeKind::Flow);
    let mut path = Vec::with_capacity(graph.nodes.len());
    let mut at = wiring.roots().first().copied();
    while let Some(node) = at {
        path.push(node);
        at = wiring.down[node].first().copied();
    }
    path
}
