//! `single`: one node works, and its answer is the result.

use super::super::check::Mistakes;
use super::super::frames;
use super::super::graph::Graph;
use super::super::step::{Bounds, Next, Outputs, Purpose, Step, StepRef};
use super::{Definition, needed};

pub(super) struct Single;

impl Definition for Single {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        if graph.nodes.len() != 1 {
            mistakes.add("/nodes", "a single has exactly one node");
        }
        if !graph.edges.is_empty() {
            mistakes.add("/edges", "a single has no edges");
        }
    }

    fn arrange(&self, graph: &mut Graph) {
        graph.nodes.truncate(1);
        // No other node is left to which a rejection could go back.
        for node in &mut graph.nodes {
            node.attributes.on_reject = None;
            node.attributes.back_to = None;
        }
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let node = &graph.nodes[0];
        let step = StepRef::new(node, Purpose::Work, 1);
        match outputs.get(&step) {
            None => Next::Run(vec![Step::new(
                node,
                Purpose::Work,
                1,
                frames::alone(),
                Vec::new(),
            )]),
            Some(output) => match needed(node, &step, output) {
                Ok(text) => Next::Done {
                    text: text.to_owned(),
                    from: step,
                },
                Err(failed) => failed,
            },
        }
    }

    fn expected(&self, _graph: &Graph) -> Bounds {
        Bounds { least: 1, most: 1 }
    }

    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        vec![StepRef::new(&graph.nodes[0], Purpose::Work, 1)]
    }

    fn tiers(&self, _graph: &Graph) -> Vec<Vec<usize>> {
        vec![vec![0]]
    }
}
