//! `pipeline`: the nodes work one after the other. Each sees the goal and all earlier outputs.

use super::super::assemble::edge;
use super::super::check::{Mistakes, no_cycle, only};
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, Node, OnReject};
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
        let path = path(graph);
        for (place, &position) in path.iter().enumerate() {
            let node = &graph.nodes[position];
            let earlier = |id: &str| path[..place].iter().any(|&at| graph.nodes[at].id == id);
            let later = node.attributes.back_to.as_deref().filter(|id| !earlier(id));
            if let Some(later) = later {
                mistakes.add(
                    format!("/nodes/{position}/attributes/back_to"),
                    format!(
                        "{later:?} works after {:?}: a rejection goes back to an earlier node",
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
        let path: Vec<&Node> = path(graph).into_iter().map(|at| &graph.nodes[at]).collect();
        // How often each node has got the work, and who sent it back to it.
        let mut laps = vec![1; path.len()];
        let mut sent_back: Vec<Option<&Node>> = vec![None; path.len()];
        let mut returns = 0;
        let mut place = 0;
        while let Some(&node) = path.get(place) {
            let name = StepRef::new(node, Purpose::Work, laps[place]);
            let Some(output) = outputs.get(&name) else {
                let task = match sent_back[place] {
                    Some(by) => frames::in_line_again(place + 1, path.len(), by),
                    None => frames::in_line(place + 1, path.len()),
                };
                let reads = reads(&path, &laps, place, outputs);
                return Next::Run(vec![Step::new(
                    node,
                    Purpose::Work,
                    laps[place],
                    task,
                    reads,
                )]);
            };
            let text = match needed(node, &name, output) {
                Ok(text) => text,
                Err(failed) => return failed,
            };
            let action = node.attributes.on_reject;
            let action = action.filter(|_| outputs.rejects(&name));
            if place + 1 == path.len() && action.is_none() || action == Some(OnReject::Stop) {
                return Next::Done {
                    text: text.to_owned(),
                    from: name,
                };
            }
            // Each return counts, and between two returns the place grows, so the walk ends.
            match action.map(|action| target(&path, place, action)) {
                Some(back) if returns + 1 < graph.settings.max_laps => {
                    returns += 1;
                    for lap in &mut laps[back..=place] {
                        *lap += 1;
                    }
                    sent_back[back] = Some(node);
                    place = back;
                }
                Some(_) if place + 1 == path.len() => {
                    return Next::Done {
                        text: text.to_owned(),
                        from: name,
                    };
                }
                _ => place += 1,
            }
        }
        Next::Failed {
            detail: "the pipeline has no nodes".to_owned(),
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let path: Vec<&Node> = path(graph).into_iter().map(|at| &graph.nodes[at]).collect();
        let all = count(path.len());
        let again = path.iter().enumerate().filter_map(|(place, node)| {
            let action = node.attributes.on_reject?;
            (action != OnReject::Stop).then(|| place + 1 - target(&path, place, action))
        });
        let again = count(again.max().unwrap_or(0));
        Bounds {
            least: all,
            most: all + (graph.settings.max_laps - 1) * again,
        }
    }

    /// A rejection that stops the pipeline ends the run before the nodes after it.
    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        let mut steps = Vec::new();
        for at in path(graph) {
            let node = &graph.nodes[at];
            steps.push(StepRef::new(node, Purpose::Work, 1));
            if node.attributes.on_reject == Some(OnReject::Stop) {
                break;
            }
        }
        steps
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        path(graph).into_iter().map(|node| vec![node]).collect()
    }
}

/// The place in the path that a rejection goes back to.
fn target(path: &[&Node], place: usize, action: OnReject) -> usize {
    let named = path[place].attributes.back_to.as_deref();
    let named = named.and_then(|id| path[..place].iter().position(|node| node.id == id));
    named.unwrap_or(match action {
        OnReject::HandBack => place.saturating_sub(1),
        OnReject::Lap | OnReject::Stop => 0,
    })
}

/// The latest output of each node: of those before this place in their present lap, and of this one and those after it
/// in the lap before.
fn reads(path: &[&Node], laps: &[u32], place: usize, outputs: &Outputs) -> Vec<Read> {
    let latest = path.iter().enumerate().filter_map(|(at, node)| {
        let lap = laps[at];
        let shown = [lap, lap - 1].into_iter().find(|&lap| {
            let done = lap > 0 && (at < place || lap < laps[at] || at > place);
            done && outputs
                .get(&StepRef::new(node, Purpose::Work, lap))
                .is_some()
        })?;
        Some(Read::new(node, Purpose::Work, shown))
    });
    latest.collect()
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
