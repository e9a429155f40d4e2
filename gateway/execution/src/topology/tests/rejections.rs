//! What a rejection leads to: the run stops, all work again, or the work goes back.

use super::super::*;
use super::{drive, graph};

/// The names of the steps in their order, and the result.
fn trace(graph: &Graph, said: impl Fn(&Step) -> &'static str) -> (Vec<String>, Next) {
    assert_eq!(check(graph), Ok(()));
    let order = std::cell::RefCell::new(Vec::new());
    let answer = |step: &Step| {
        order
            .borrow_mut()
            .push(format!("{}#{}", step.key, step.lap));
        Output::Done(said(step).to_owned())
    };
    let end = drive(graph, answer, |_| 0, |_, _| {}).end;
    (order.into_inner(), end)
}

fn line(at: usize, action: OnReject, back_to: Option<&str>, max_laps: u32) -> Graph {
    let mut graph = graph(Kind::Pipeline, &["planner", "coder", "tester", "reviewer"]);
    graph.nodes[at].attributes.on_reject = Some(action);
    graph.nodes[at].attributes.back_to = back_to.map(str::to_owned);
    graph.settings.max_laps = max_laps;
    graph
}

#[test]
fn tester_that_rejects_hands_the_work_back_to_the_node_before_it() {
    let graph = line(2, OnReject::HandBack, None, 3);
    let (steps, _) = trace(&graph, |step| match (step.key.as_str(), step.lap) {
        ("tester", 1) => "TEST_FAIL: INT-01",
        _ => "TEST_PASS: INT-01",
    });
    let expected = [
        "planner#1",
        "coder#1",
        "tester#1",
        "coder#2",
        "tester#2",
        "reviewer#1",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn coder_sees_the_rejection_and_its_own_earlier_answer() {
    let graph = line(3, OnReject::HandBack, Some("coder"), 2);
    let mut outputs = Outputs::default();
    let mut insert = |key: &str, text: &str| {
        let at = StepRef {
            key: key.to_owned(),
            lap: 1,
            shard: 0,
        };
        outputs.insert(at, Output::Done(text.to_owned()));
    };
    insert("planner", "a plan");
    insert("coder", "a change");
    insert("tester", "TEST_PASS");
    insert(
        "reviewer",
        "The lock is held too long.\nREVIEW_BLOCK: INT-01",
    );
    let Next::Run(steps) = next(&graph, "goal", &outputs) else {
        panic!("it does not go on");
    };
    let [step] = steps.as_slice() else {
        panic!("{steps:?}");
    };
    assert_eq!((step.key.as_str(), step.lap), ("coder", 2));
    let prompt = prompt(step, "goal", &outputs);
    assert!(prompt.contains("> The lock is held too long."), "{prompt}");
    assert!(prompt.contains("> a change"), "{prompt}");
    assert!(prompt.contains("Reviewer rejected it"), "{prompt}");
}

#[test]
fn rejections_end_when_the_laps_are_used_up() {
    for max_laps in 1..=4 {
        let graph = line(2, OnReject::HandBack, Some("coder"), max_laps);
        let (steps, end) = trace(&graph, |step| match step.key.as_str() {
            "tester" => "TEST_FAIL: INT-01",
            _ => "words",
        });
        let tests = steps.iter().filter(|step| step.starts_with("tester#"));
        assert_eq!(tests.count(), max_laps as usize);
        assert_eq!(steps.last().map(String::as_str), Some("reviewer#1"));
        assert_eq!(steps.len(), expected(&graph).most as usize);
        assert!(matches!(end, Next::Done { .. }), "{end:?}");
    }
}

#[test]
fn lap_begins_with_the_first_node_and_stop_ends_with_the_rejection() {
    let again = |step: &Step| match (step.key.as_str(), step.lap) {
        ("tester", 1) => "TEST_FAIL",
        _ => "words",
    };
    let (steps, _) = trace(&line(2, OnReject::Lap, None, 2), again);
    let whole = [
        "planner#1",
        "coder#1",
        "tester#1",
        "planner#2",
        "coder#2",
        "tester#2",
        "reviewer#1",
    ];
    assert_eq!(steps, whole);
    let (steps, end) = trace(&line(2, OnReject::Stop, None, 2), again);
    assert_eq!(steps, ["planner#1", "coder#1", "tester#1"]);
    let Next::Done { text, from } = end else {
        panic!("{end:?}");
    };
    assert_eq!((text.as_str(), from.key.as_str()), ("TEST_FAIL", "tester"));
}

#[test]
fn quoted_rejection_and_a_node_without_the_setting_send_nothing_back() {
    let graph = line(2, OnReject::HandBack, None, 3);
    let (steps, _) = trace(&graph, |step| match step.key.as_str() {
        "tester" => "The coder wrote:\n> TEST_FAIL: INT-01",
        "reviewer" => "REVIEW_BLOCK: INT-01",
        _ => "words",
    });
    assert_eq!(steps, ["planner#1", "coder#1", "tester#1", "reviewer#1"]);
}

#[test]
fn rejected_run_of_a_nested_team_sends_the_work_back() {
    let graph = line(2, OnReject::HandBack, None, 2);
    let mut outputs = Outputs::default();
    for (key, text) in [("planner", "a plan"), ("coder", "a change")] {
        let at = StepRef {
            key: key.to_owned(),
            lap: 1,
            shard: 0,
        };
        outputs.insert(at, Output::Done(text.to_owned()));
    }
    let at = StepRef {
        key: "tester".to_owned(),
        lap: 1,
        shard: 0,
    };
    let mut accepted = outputs.clone();
    outputs.insert_run(
        at.clone(),
        Output::Done("words".to_owned()),
        Outcome::Rejected,
    );
    accepted.insert_run(at, Output::Done("TEST_FAIL".to_owned()), Outcome::Accepted);
    let first = |outputs: &Outputs| match next(&graph, "goal", outputs) {
        Next::Run(steps) => format!("{}#{}", steps[0].key, steps[0].lap),
        end => panic!("{end:?}"),
    };
    assert_eq!(first(&outputs), "coder#2");
    assert_eq!(first(&accepted), "reviewer#1");
}

fn crew(action: OnReject, back_to: Option<&str>) -> Graph {
    let mut graph = graph(Kind::HubSpoke, &["hub", "coder", "tester", "writer"]);
    graph.nodes[2].attributes.on_reject = Some(action);
    graph.nodes[2].attributes.back_to = back_to.map(str::to_owned);
    graph
}

#[test]
fn spoke_that_rejects_makes_the_hub_hand_out_the_work_again() {
    let rejecting = |step: &Step| match (step.key.as_str(), step.lap) {
        ("hub/plan", _) => "ASSIGN coder: code\nASSIGN tester: test",
        ("tester", 1) => "TEST_FAIL: INT-01",
        _ => "words",
    };
    let (mut steps, _) = trace(&crew(OnReject::HandBack, Some("coder")), rejecting);
    steps.sort();
    let expected = [
        "coder#1",
        "coder#2",
        "hub/merge#1",
        "hub/merge#2",
        "hub/plan#1",
        "tester#1",
        "tester#2",
    ];
    assert_eq!(steps, expected);
    let (steps, _) = trace(&crew(OnReject::Stop, None), rejecting);
    assert_eq!(steps.len(), 4, "{steps:?}");
    // The hub may decide otherwise: it has read the rejection.
    let (steps, _) = trace(&crew(OnReject::Lap, None), |step| {
        match (step.key.as_str(), step.lap) {
            ("hub/merge", 1) => "ASSIGN writer: explain why it fails",
            _ => rejecting(step),
        }
    });
    assert!(steps.contains(&"writer#2".to_owned()), "{steps:?}");
    assert!(!steps.contains(&"coder#2".to_owned()), "{steps:?}");
}

#[test]
fn rejection_can_only_go_back_to_an_earlier_node() {
    let graph = line(1, OnReject::HandBack, Some("tester"), 2);
    let mistakes = check(&graph).unwrap_err();
    assert_eq!(mistakes[0].pointer, "/nodes/1/attributes/back_to");
    for back_to in ["coder", "nobody"] {
        let graph = line(1, OnReject::HandBack, Some(back_to), 2);
        assert!(check(&graph).is_err(), "{back_to}");
    }
}
