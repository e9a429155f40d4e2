//! `compare`: several teams work on exactly the same goal in parallel. A judge, if there is one, decides which did
//! best, from their answers only. [`super::super::comparison()`] creates this kind, and no team has it.
//!
//! A candidate's id is the letter under which the judge sees it. The letters were shuffled when the graph was made.

use super::super::assemble::edge;
use super::super::check::{Mistakes, only};
use super::super::directives::cut;
use super::super::frames;
use super::super::graph::{EdgeKind, Graph, MAX_CANDIDATES, MIN_CANDIDATES, Node, NodeKind};
use super::super::step::{Bounds, Next, Outcome, Output, Outputs, Purpose, Read, Step, StepRef};
use super::super::verdict::{Verdict, label, verdict};
use super::{Definition, count};

pub(super) struct Compare;

impl Definition for Compare {
    fn shape(&self, graph: &Graph, mistakes: &mut Mistakes) {
        only(graph, EdgeKind::Flow, false, mistakes);
        let candidates = candidates(graph);
        if !(MIN_CANDIDATES..=MAX_CANDIDATES).contains(&candidates.len()) {
            mistakes.add(
                "/nodes",
                format!("{MIN_CANDIDATES} to {MAX_CANDIDATES} teams can be compared"),
            );
            return;
        }
        for (node, letter) in candidates.iter().zip('a'..) {
            if node.id != letter.to_string() {
                mistakes.add("/nodes", "the teams' ids must be the letters from a on");
                return;
            }
        }
        let mut judges = 0;
        for (position, node) in graph.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Team => {}
                NodeKind::Agent if judges == 0 => judges += 1,
                _ => mistakes.add(
                    format!("/nodes/{position}"),
                    "a comparison is made of teams, and of one agent that judges",
                ),
            }
        }
        let mut heard = 0;
        for (position, edge) in graph.edges.iter().enumerate() {
            let kind = |id: &str| graph.node(id).map(|node| node.kind);
            if kind(&edge.from) == Some(NodeKind::Team) && kind(&edge.to) == Some(NodeKind::Agent) {
                heard += 1;
            } else {
                mistakes.add(
                    format!("/edges/{position}"),
                    "work flows from the teams to the judge only",
                );
            }
        }
        if judges == 1 && heard != candidates.len() {
            mistakes.add("/edges", "every team's work must flow to the judge");
        }
    }

    fn arrange(&self, graph: &mut Graph) {
        let Some(judge) = graph.nodes.iter().position(is_judge) else {
            return;
        };
        let teams = (0..graph.nodes.len()).filter(|&node| node != judge);
        let edges = teams.map(|team| edge(graph, team, judge, EdgeKind::Flow));
        graph.edges = edges.collect();
    }

    fn next(&self, graph: &Graph, _input: &str, outputs: &Outputs) -> Next {
        let candidates = candidates(graph);
        let waiting: Vec<Step> = candidates
            .iter()
            .filter(|node| outputs.get(&own(node)).is_none())
            // No text is added to the goal: each team runs as if it ran alone.
            .map(|node| Step::new(node, Purpose::Work, 1, String::new(), Vec::new()))
            .collect();
        if !waiting.is_empty() {
            return Next::Run(waiting);
        }
        let answered: Vec<&Node> = candidates
            .iter()
            .copied()
            .filter(|node| matches!(outputs.get(&own(node)), Some(Output::Done(_))))
            .collect();
        let Some(first) = answered.first() else {
            let why = candidates.iter().map(|node| line(node, outputs));
            let why: Vec<String> = why.collect();
            return Next::Failed {
                detail: format!("None of them came to an end.\n{}", why.join("\n")),
            };
        };
        let Some(judge) = graph.nodes.iter().find(|node| is_judge(node)) else {
            return Next::Done {
                text: summary(&candidates, outputs, None),
                from: own(first),
            };
        };
        let labels: Vec<String> = answered.iter().map(|node| label(node)).collect();
        let name = StepRef::new(judge, Purpose::Verdict, 1);
        let Some(said) = outputs.get(&name) else {
            let reads = answered.iter().zip(&labels).map(|(node, label)| Read {
                of: own(node),
                label: match outputs.rejects(&own(node)) {
                    true => format!("{label} (rejected by its own tests or reviews)"),
                    false => label.clone(),
                },
            });
            let task = frames::judge(&labels);
            let step = Step::new(judge, Purpose::Verdict, 1, task, reads.collect());
            return Next::Run(vec![step]);
        };
        let verdict = match said {
            Output::Done(text) => verdict(text, &labels),
            Output::Failed(why) | Output::Abstained(why) => Err(cut(why, 2_000).to_owned()),
        };
        Next::Done {
            text: summary(&candidates, outputs, Some(verdict)),
            from: name,
        }
    }

    fn expected(&self, graph: &Graph) -> Bounds {
        let all = count(graph.nodes.len());
        Bounds {
            least: all,
            most: all,
        }
    }

    fn certain(&self, graph: &Graph) -> Vec<StepRef> {
        let work = candidates(graph)
            .into_iter()
            .map(|node| StepRef::new(node, Purpose::Work, 1));
        let judge = graph.nodes.iter().filter(|node| is_judge(node));
        work.chain(judge.map(|node| StepRef::new(node, Purpose::Verdict, 1)))
            .collect()
    }

    fn tiers(&self, graph: &Graph) -> Vec<Vec<usize>> {
        let at = |judge: bool| {
            let all = 0..graph.nodes.len();
            all.filter(move |&node| is_judge(&graph.nodes[node]) == judge)
                .collect::<Vec<_>>()
        };
        let mut tiers = vec![at(false), at(true)];
        tiers.retain(|tier| !tier.is_empty());
        tiers
    }
}

fn own(node: &Node) -> StepRef {
    StepRef::new(node, Purpose::Work, 1)
}

fn is_judge(node: &Node) -> bool {
    node.kind == NodeKind::Agent
}

/// Sorted by their letters.
fn candidates(graph: &Graph) -> Vec<&Node> {
    let mut teams: Vec<&Node> = graph.nodes.iter().filter(|node| !is_judge(node)).collect();
    teams.sort_by(|one, other| one.id.cmp(&other.id));
    teams
}

/// The result of a candidate, in one line.
fn line(node: &Node, outputs: &Outputs) -> String {
    let how = match outputs.get(&own(node)) {
        Some(Output::Done(_)) => match outputs.of_runs.get(&own(node)) {
            Some(Outcome::Accepted) => "came to an end, accepted by its own checks".to_owned(),
            Some(Outcome::Rejected) => "came to an end, rejected by its own checks".to_owned(),
            Some(Outcome::Undecided) | None => "came to an end".to_owned(),
        },
        Some(Output::Failed(why) | Output::Abstained(why)) => {
            format!("failed: {}", cut(why.trim(), 300))
        }
        None => "has not ended".to_owned(),
    };
    format!("{} ({}) {how}", label(node), node.name())
}

/// The result of the run, for people. The candidates' outputs are in their own runs.
fn summary(
    candidates: &[&Node],
    outputs: &Outputs,
    verdict: Option<Result<Verdict, String>>,
) -> String {
    let lines = candidates.iter().map(|node| line(node, outputs));
    let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    let mut text = lines.join("\n");
    match verdict {
        None => {}
        Some(Err(why)) => text.push_str(&format!("\n\nNo verdict: {why}")),
        Some(Ok(verdict)) => {
            let best = candidates.iter().find(|node| label(node) == verdict.best);
            let name = best.map_or("", |node| node.name());
            let although = match best.is_some_and(|node| outputs.rejects(&own(node))) {
                true => ", although its own checks reject it",
                false => "",
            };
            let scores: Vec<String> = verdict
                .scores
                .iter()
                .map(|(label, score)| format!("{label} {score}"))
                .collect();
            text.push_str(&format!(
                "\n\nBest: {} ({name}){although}; scores: {}\n\n{}",
                verdict.best,
                scores.join(", "),
                verdict.reason
            ));
        }
    }
    text
}
