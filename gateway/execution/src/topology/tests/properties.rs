//! Properties of every kind and every graph, for any answers in any order.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;

use super::super::*;
use super::{compared, drive, role};

/// A number that depends only on its arguments.
fn number(seed: u64, of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, of).hash(&mut hasher);
    hasher.finish()
}

/// Answers of agents, valid and invalid. The same step always gives the same answer.
fn answer(graph: &Graph, seed: u64, step: &Step) -> Output {
    let dice = number(seed, (&step.key, step.lap));
    let mut text = format!("{} in lap {}\n", step.key, step.lap);
    for (place, node) in graph.nodes.iter().enumerate() {
        match number(dice, place) % 7 {
            0 | 1 => text.push_str(&format!("ASSIGN {}: part {place}\n", node.id)),
            2 => text.push_str(&format!("SCORE {}: 0.{}\n", node.id, dice % 10)),
            3 => text.push_str(&format!("SCORE {}: NaN\nASSIGN {}:\n", node.id, node.id)),
            4 => text.push_str("ASSIGN nobody: x\n> ASSIGN quoted: y\n"),
            5 => text.push_str("```\nASSIGN fenced: z\n```\nTEST_FAIL: INT-01\n"),
            _ => {}
        }
    }
    match dice % 9 {
        0 => Output::Failed("it broke".to_owned()),
        1 => Output::Abstained("not mine".to_owned()),
        2 => Output::Done("ABSTAIN: not mine\n".to_owned()),
        3 => Output::Done(String::new()),
        _ => Output::Done(text),
    }
}

/// A tree in which every node except the first has an earlier node above it.
fn tree(above: &[usize]) -> Graph {
    let slots: Vec<String> = (0..=above.len()).map(|n| format!("n{n}")).collect();
    let roles: Vec<Role> = slots.iter().map(|slot| role(slot)).collect();
    let mut graph = build(Kind::Hierarchical, &roles);
    graph.edges = (1..)
        .zip(above)
        .map(|(to, from)| Edge {
            from: slots[from % to].clone(),
            to: slots[to].clone(),
            kind: EdgeKind::Parent,
        })
        .collect();
    graph
}

fn any_graph() -> impl Strategy<Value = Graph> {
    let built =
        (0..5usize, 2..9usize, 0..4usize, any::<bool>()).prop_map(|(kind, many, seat, gate)| {
            let mut roles: Vec<Role> = (0..many).map(|n| role(&format!("n{n}"))).collect();
            roles[seat % many].seat = Some(Seat::Hub);
            if gate && many > 2 {
                roles[(seat + 1) % many].seat = Some(Seat::Gate);
            }
            build(Kind::ALL[kind], &roles)
        });
    let trees = prop::collection::vec(any::<usize>(), 1..14).prop_map(|above| tree(&above));
    let comparisons = (MIN_CANDIDATES..=MAX_CANDIDATES, any::<bool>())
        .prop_map(|(teams, judged)| compared(teams, judged));
    (
        prop_oneof![2 => built, 1 => trees, 1 => comparisons],
        1..4u32,
        1..5u32,
    )
        .prop_map(|(mut graph, max_laps, experts)| {
            graph.settings = Settings { max_laps, experts };
            graph
        })
        .prop_flat_map(|graph| {
            let actions = prop::collection::vec(0..6usize, graph.nodes.len());
            (Just(graph), actions).prop_map(|(mut graph, actions)| {
                let first = graph.nodes[0].id.clone();
                for (node, action) in graph.nodes.iter_mut().zip(actions) {
                    let all = [OnReject::Stop, OnReject::Lap, OnReject::HandBack];
                    node.attributes.on_reject = all.get(action % 4).copied();
                    let other = action > 3 && node.id != first;
                    node.attributes.back_to = other.then(|| first.clone());
                }
                graph
            })
        })
        .prop_flat_map(|graph| {
            // The order of nodes decides ties. It does not change the edges.
            let nodes = Just(graph.nodes.clone()).prop_shuffle();
            (Just(graph), nodes).prop_map(|(mut graph, nodes)| {
                graph.nodes = nodes;
                graph
            })
        })
}

/// The maximum number of parallel steps.
fn fan_out(graph: &Graph) -> usize {
    match graph.kind {
        Kind::Single | Kind::Pipeline => 1,
        Kind::HubSpoke | Kind::Hierarchical => graph.nodes.len() - 1,
        Kind::StarMoe => graph.settings.experts as usize,
        Kind::Compare => MAX_CANDIDATES,
    }
}

/// Whether a node that has answered has an edge to this node along which work goes.
fn is_called(graph: &Graph, node: &str, outputs: &Outputs) -> bool {
    let mut edges = graph
        .edges
        .iter()
        .filter(|edge| edge.kind != EdgeKind::Peer);
    edges.any(|edge| {
        let spoke = |name: &StepRef| name.key.split('/').next() == Some(edge.from.as_str());
        edge.to == node && outputs.by_step.keys().any(spoke)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_in_bounds_and_the_same_in_every_order(
        graph in any_graph(), seed: u64, first: u64, second: u64,
    ) {
        prop_assert_eq!(check(&graph), Ok(()));
        let bounds = expected(&graph);
        prop_assert!(bounds.least <= bounds.most);
        let run = |order: u64| {
            let mut begun = BTreeSet::new();
            let mut turn = 0u64;
            drive(
                &graph,
                |step| answer(&graph, seed, step),
                |many| {
                    turn += 1;
                    usize::try_from(number(order, turn) % many as u64).unwrap()
                },
                |ready, outputs| {
                    assert!(ready.len() <= fan_out(&graph), "{} at once", ready.len());
                    for step in ready {
                        for read in &step.reads {
                            assert!(outputs.get(&read.of).is_some(), "{step:?} reads what is not there");
                        }
                        if !outputs.by_step.is_empty() {
                            let own = graph.settings.max_laps > 0 && begun.contains(&step.node);
                            assert!(own || is_called(&graph, &step.node, outputs), "nobody called {step:?}");
                        }
                        begun.insert(step.node.clone());
                    }
                },
            )
        };
        let trace = run(first);
        prop_assert!(trace.steps.len() <= bounds.most as usize, "{} of {bounds:?}", trace.steps.len());
        if let Next::Done { from, .. } = &trace.end {
            prop_assert!(trace.steps.contains_key(from));
            for step in certain(&graph) {
                prop_assert!(trace.steps.contains_key(&step), "{step:?} was announced and did not come");
            }
        }
        prop_assert_eq!(run(second), trace);
    }

    #[test]
    fn the_least_is_reached_when_nothing_fails(graph in any_graph()) {
        // Each node hands its work to the first node on the shortest way down.
        let answer = |step: &Step| {
            let target = shortest(&graph, &step.node);
            Output::Done(match (step.purpose, target) {
                (Purpose::Plan, Some(to)) => format!("ASSIGN {to}: this"),
                _ => "done".to_owned(),
            })
        };
        let trace = drive(&graph, answer, |_| 0, |_, _| {});
        prop_assert_eq!(trace.steps.len(), expected(&graph).least as usize);
        let is_done = matches!(trace.end, Next::Done { .. });
        prop_assert!(is_done);
    }

    #[test]
    fn edited_fields_survive_json(graph in any_graph()) {
        let json = serde_json::to_string(&graph).unwrap();
        prop_assert_eq!(serde_json::from_str::<Graph>(&json).unwrap(), graph);
    }

    #[test]
    fn every_node_has_a_place_of_its_own(graph in any_graph()) {
        let placed = layout(&graph);
        let places: BTreeSet<(u32, u32)> = placed.iter().map(|p| (p.tier, p.slot)).collect();
        prop_assert_eq!(places.len(), graph.nodes.len());
        let drawn = text(&graph);
        for node in &graph.nodes {
            prop_assert!(drawn.contains(&node.id));
        }
    }
}

/// The node below that is nearest to a leaf.
fn shortest<'a>(graph: &'a Graph, node: &str) -> Option<&'a str> {
    fn height(graph: &Graph, node: &str) -> usize {
        let below = graph.edges.iter().filter(|edge| edge.from == node);
        let heights = below.map(|edge| 1 + height(graph, &edge.to));
        heights.min().unwrap_or(0)
    }
    let below = graph.edges.iter().filter(|edge| edge.from == node);
    below
        .map(|edge| edge.to.as_str())
        .min_by_key(|to| height(graph, to))
}

#[test]
fn an_invalid_graph_fails_and_nothing_of_it_runs() {
    let mut graph = super::graph(Kind::Pipeline, &["a", "b"]);
    graph.edges[0].to = "nobody".to_owned();
    let Next::Failed { detail } = next(&graph, "goal", &Outputs::default()) else {
        panic!("it ran");
    };
    assert!(detail.contains("/edges/0/to"), "{detail}");
    assert_eq!(expected(&graph), Bounds { least: 0, most: 0 });
}

#[test]
fn an_expert_that_abstains_is_replaced_by_the_next_best() {
    let graph = super::graph(Kind::StarMoe, &["hub", "a", "b", "c", "d"]);
    let trace = drive(
        &graph,
        |step| {
            Output::Done(match step.key.as_str() {
                "hub/gate" => "SCORE d: 0.9\nSCORE b: 0.8\nSCORE c: 0.8\nSCORE a: 2".to_owned(),
                "d" => "ABSTAIN: no idea".to_owned(),
                key => format!("{key} says so"),
            })
        },
        |_| 0,
        |_, _| {},
    );
    let asked: Vec<&str> = trace.steps.keys().map(|name| name.key.as_str()).collect();
    assert_eq!(asked, ["b", "c", "d", "hub/gate", "hub/merge"]);
}

#[test]
fn without_a_valid_score_the_first_experts_are_asked() {
    let graph = super::graph(Kind::StarMoe, &["hub", "a", "b", "c"]);
    let answer = |step: &Step| Output::Done(format!("SCORE c: high\n{}", step.key));
    let trace = drive(&graph, answer, |_| 0, |_, _| {});
    let asked: Vec<&str> = trace.steps.keys().map(|name| name.key.as_str()).collect();
    assert_eq!(asked, ["a", "b", "hub/gate", "hub/merge"]);
}
