//! Invalid graphs: each mistake has its pointer.

use rstest::rstest;

use super::super::*;
use super::{graph, role, seated};

fn pointers(graph: &Graph) -> Vec<String> {
    let mistakes = check(graph).expect_err("it was taken");
    mistakes.into_iter().map(|m| m.pointer).collect()
}

fn edge(from: &str, to: &str, kind: EdgeKind) -> Edge {
    Edge {
        from: from.to_owned(),
        to: to.to_owned(),
        kind,
    }
}

#[rstest]
#[case(Kind::Single, &["a"])]
#[case(Kind::Pipeline, &["a"])]
#[case(Kind::Pipeline, &["planner", "coder", "tester", "reviewer", "committer"])]
#[case(Kind::HubSpoke, &["hub", "a"])]
#[case(Kind::Hierarchical, &["top", "a", "b"])]
#[case(Kind::StarMoe, &["gate", "a"])]
#[case(Kind::HubSpoke, &["Same Slot", "Same Slot", "Ünder"])]
fn what_is_built_passes(#[case] kind: Kind, #[case] slots: &[&str]) {
    let graph = graph(kind, slots);
    assert_eq!(check(&graph), Ok(()));
    assert_eq!(graph.nodes.len(), slots.len());
}

#[test]
fn leads_have_those_who_follow_them() {
    let graph = build(
        Kind::Hierarchical,
        &[
            seated("cto", Seat::Lead),
            role("writer"),
            seated("backend", Seat::Lead),
            role("coder"),
            role("tester"),
        ],
    );
    let edges: Vec<(&str, &str)> = graph
        .edges
        .iter()
        .map(|e| (e.from.as_str(), e.to.as_str()))
        .collect();
    let wanted = [
        ("cto", "writer"),
        ("cto", "backend"),
        ("backend", "coder"),
        ("backend", "tester"),
    ];
    assert_eq!(edges, wanted);
}

#[rstest]
#[case(Kind::Single)]
#[case(Kind::Pipeline)]
#[case(Kind::HubSpoke)]
#[case(Kind::Hierarchical)]
#[case(Kind::StarMoe)]
fn a_kind_without_roles_is_refused_not_a_panic(#[case] kind: Kind) {
    assert_eq!(pointers(&build(kind, &[])), ["/nodes"]);
}

#[rstest]
#[case(Kind::HubSpoke)]
#[case(Kind::Hierarchical)]
#[case(Kind::StarMoe)]
fn one_alone_leads_nobody(#[case] kind: Kind) {
    assert_eq!(pointers(&graph(kind, &["a"])), ["/nodes"]);
}

#[rstest]
#[case("")]
#[case("Coder")]
#[case("a b")]
#[case("сoder")] // its first letter is Cyrillic
#[case("a/plan")]
#[case("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn ids_are_plain(#[case] id: &str) {
    let mut graph = graph(Kind::Single, &["a"]);
    graph.nodes[0].id = id.to_owned();
    assert_eq!(pointers(&graph), ["/nodes/0/id"]);
}

#[test]
fn each_mistake_is_pointed_at() {
    let mut graph = graph(Kind::Pipeline, &["a", "b", "c"]);
    graph.nodes[2].id = "b".to_owned();
    graph.nodes[1].label = "red\u{1b}[31m".to_owned();
    graph.nodes[0].attributes.team = Some(uuid::Uuid::nil());
    graph.settings.max_laps = 0;
    graph.edges.push(edge("a", "a", EdgeKind::Flow));
    graph.edges.push(edge("a", "b", EdgeKind::Flow));
    let wanted = [
        "/settings/max_laps",
        "/nodes/0/attributes/team",
        "/nodes/1/label",
        "/nodes/2/id",
        "/edges/1/to",
        "/edges/2",
        "/edges/3",
    ];
    assert_eq!(pointers(&graph), wanted);
}

#[rstest]
#[case::circle(Kind::Pipeline, &[("a", "b"), ("b", "c"), ("c", "a")], "/edges")]
#[case::fork(Kind::Pipeline, &[("a", "b"), ("a", "c")], "/nodes/0")]
#[case::two_paths(Kind::Pipeline, &[("a", "b")], "/nodes/2")]
#[case::circle_in_a_tree(Kind::Hierarchical, &[("b", "c"), ("c", "b")], "/edges")]
#[case::two_above(Kind::Hierarchical, &[("a", "b"), ("a", "c"), ("b", "c")], "/nodes/2")]
#[case::two_tops(Kind::Hierarchical, &[("a", "b")], "/nodes/2")]
#[case::spoke_hands_out(Kind::HubSpoke, &[("a", "b"), ("a", "c"), ("b", "c")], "/edges/2")]
#[case::spoke_alone(Kind::HubSpoke, &[("a", "b")], "/nodes/2")]
#[case::expert_alone(Kind::StarMoe, &[("a", "b")], "/nodes/2")]
#[case::stray_flow(Kind::StarMoe, &[("a", "b"), ("a", "c"), ("b", "c")], "/edges/2")]
fn a_shape_of_another_kind_is_refused(
    #[case] kind: Kind,
    #[case] edges: &[(&str, &str)],
    #[case] pointer: &str,
) {
    let mut graph = graph(kind, &["a", "b", "c"]);
    let carries = graph.edges[0].kind;
    graph.edges = edges
        .iter()
        .map(|(from, to)| edge(from, to, carries))
        .collect();
    assert_eq!(pointers(&graph), [pointer], "{:?}", check(&graph));
}

#[test]
fn a_circle_is_named() {
    let mut graph = graph(Kind::Pipeline, &["a", "b", "c", "d"]);
    graph.edges.push(edge("d", "b", EdgeKind::Flow));
    let mistakes = check(&graph).unwrap_err();
    assert_eq!(mistakes[0].detail, "go in a circle: b → c → d → b");
}

#[test]
fn work_goes_along_its_own_kind_of_edge() {
    let mut graph = graph(Kind::HubSpoke, &["a", "b"]);
    graph.edges[0].kind = EdgeKind::Flow;
    assert_eq!(pointers(&graph), ["/edges/0/kind", "/nodes/1"]);
    graph.edges[0].kind = EdgeKind::Parent;
    graph.edges.push(edge("b", "a", EdgeKind::Peer));
    assert_eq!(check(&graph), Ok(()));
}

#[test]
fn ten_thousand_nodes_are_answered_without_a_walk() {
    let slots: Vec<String> = (0..10_000).map(|n| format!("n{n}")).collect();
    let slots: Vec<&str> = slots.iter().map(String::as_str).collect();
    for kind in [
        Kind::Pipeline,
        Kind::HubSpoke,
        Kind::Hierarchical,
        Kind::StarMoe,
    ] {
        let mut graph = graph(kind, &slots);
        graph.nodes[5_000].id = "No Name".to_owned();
        graph.settings.experts = 0;
        // Only sizes: a walk over the graph would report the name and the setting too.
        assert_eq!(pointers(&graph), ["/nodes", "/edges"], "{kind}");
    }
}

#[test]
fn mistakes_do_not_pile_up() {
    let mut graph = graph(Kind::Pipeline, &["a"]);
    graph.edges = (0..1_000).map(|_| edge("x", "y", EdgeKind::Flow)).collect();
    assert_eq!(pointers(&graph).len(), 50);
}

#[test]
fn the_largest_graph_is_walked_quickly() {
    // The maximum depth: the recursion goes down 199 leads.
    let slots: Vec<String> = (0..MAX_NODES).map(|n| format!("n{n}")).collect();
    let roles: Vec<Role> = slots.iter().map(|slot| role(slot)).collect();
    let mut graph = build(Kind::Hierarchical, &roles);
    graph.edges = slots
        .windows(2)
        .map(|pair| edge(&pair[0], &pair[1], EdgeKind::Parent))
        .collect();
    let trace = super::drive(
        &graph,
        |step| Output::Done(step.key.clone()),
        |_| 0,
        |_, _| {},
    );
    assert_eq!(trace.steps.len(), 2 * (MAX_NODES - 1) + 1);
    assert_eq!(text(&graph).lines().count(), MAX_NODES);
}

#[test]
fn unknown_word_is_refused() {
    let json = r#"{"kind":"pipeline","nodes":[{"id":"a"}],"settings":{"max_lap":3}}"#;
    let refused = serde_json::from_str::<Graph>(json).unwrap_err().to_string();
    assert!(refused.contains("max_lap"), "{refused}");
    assert_eq!("star_moe".parse(), Ok(Kind::StarMoe));
    assert!("ring".parse::<Kind>().unwrap_err().contains("hub_spoke"));
}
