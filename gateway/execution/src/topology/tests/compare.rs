//! Comparisons: letters that favour no team, the same goal for every team, and strictly parsed verdicts.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;
use uuid::Uuid;

use super::super::*;
use super::{compared, drive, graph};

fn labels(text: &str) -> Vec<String> {
    text.chars().map(|letter| letter.to_string()).collect()
}

#[test]
fn a_verdict_is_read_bare_and_in_its_one_fence() {
    let json = r#"{"scores": {"A": 7.5, "B": 10}, "best": "B", "reason": " It shows it. "}"#;
    let fenced = format!("Here it is:\n```json\n{json}\n```\nThat is all.");
    for text in [
        json,
        &fenced,
        &format!("\n{json}\n"),
        &format!("```\n{json}\n```"),
    ] {
        let read = verdict(text, &labels("AB")).expect(text);
        assert_eq!(read.best, "B");
        assert_eq!(read.reason, "It shows it.");
        assert_eq!(
            read.scores.into_iter().collect::<Vec<_>>(),
            [("A".to_owned(), 7.5), ("B".to_owned(), 10.0)]
        );
    }
}

#[rstest]
#[case::nothing("", "not one JSON object")]
#[case::words("A is the best, I give it a 9.", "not one JSON object")]
#[case::a_list("[1, 2]", "not one JSON object")]
#[case::between_words(
    r#"So: {"scores":{"A":1,"B":2},"best":"B","reason":"x"}"#,
    "not one JSON object"
)]
#[case::two_fences(
    "```\n{\"scores\":{\"A\":1,\"B\":2},\"best\":\"B\",\"reason\":\"x\"}\n```\n```\n{}\n```",
    "not one JSON object"
)]
#[case::two_objects(
    r#"{"scores":{"A":1,"B":2},"best":"B","reason":"x"}{}"#,
    "not a verdict"
)]
#[case::cut_off(r#"{"scores":{"A":1,"B":2},"best":"B","rea"#, "not a verdict")]
#[case::no_reason(r#"{"scores":{"A":1,"B":2},"best":"B","reason":" "}"#, "no reason")]
#[case::no_scores(r#"{"best":"B","reason":"x"}"#, "not a verdict")]
#[case::words_for_scores(
    r#"{"scores":{"A":"1","B":"2"},"best":"B","reason":"x"}"#,
    "not a verdict"
)]
#[case::one_missing(r#"{"scores":{"B":2},"best":"B","reason":"x"}"#, "gave A no score")]
#[case::too_high(r#"{"scores":{"A":1,"B":11},"best":"B","reason":"x"}"#, "score of B")]
#[case::below_nothing(r#"{"scores":{"A":-1,"B":2},"best":"B","reason":"x"}"#, "score of A")]
#[case::endless(
    r#"{"scores":{"A":1,"B":1e999},"best":"B","reason":"x"}"#,
    "not a verdict"
)]
#[case::a_stranger(r#"{"scores":{"A":1,"B":2,"C":3},"best":"B","reason":"x"}"#, "\"C\"")]
#[case::best_is_a_stranger(
    r#"{"scores":{"A":1,"B":2},"best":"Team 1","reason":"x"}"#,
    "\"Team 1\""
)]
#[case::best_is_not_the_highest(
    r#"{"scores":{"A":3,"B":2},"best":"B","reason":"x"}"#,
    "scored A higher"
)]
fn invalid_answer_is_not_a_verdict(#[case] text: &str, #[case] why: &str) {
    let refused = verdict(text, &labels("AB")).expect_err(text);
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn failed_candidates_are_not_judged_and_all_failed_fails_the_run() {
    let graph = compared(3, true);
    let trace = drive(
        &graph,
        |step| match step.key.as_str() {
            "b" => Output::Failed("broken".to_owned()),
            "judge/verdict" => Output::Failed("no key for the model".to_owned()),
            _ => Output::Done("fine".to_owned()),
        },
        |_| 0,
        |_, _| {},
    );
    let judged = trace
        .steps
        .values()
        .find(|step| step.purpose == Purpose::Verdict);
    let reads = judged.expect("somebody judged").reads.iter();
    let read: Vec<&str> = reads.map(|read| read.label.as_str()).collect();
    assert_eq!(read, ["A", "C"]);
    // A failed judge does not change the candidates' results.
    let Next::Done { text, .. } = trace.end else {
        panic!("{:?}", trace.end);
    };
    assert!(text.contains("No verdict: no key for the model"), "{text}");
    let failing = |_: &Step| Output::Failed("broken".to_owned());
    let trace = drive(&graph, failing, |_| 0, |_, _| {});
    assert_eq!(trace.steps.len(), 3);
    assert!(
        matches!(&trace.end, Next::Failed { detail } if detail.contains("A (") && detail.contains("broken"))
    );
}

#[rstest]
#[case::one(1)]
#[case::nine(9)]
fn too_few_and_too_many_are_refused(#[case] teams: usize) {
    let mistakes = check(&compared(teams, true)).expect_err("it was taken");
    assert_eq!(mistakes[0].pointer, "/nodes");
}

#[test]
fn run_that_is_not_a_comparison_is_refused() {
    type Spoil = fn(&mut Graph);
    let cases: [(Spoil, &str); 6] = [
        (
            |graph| {
                graph.edges.clear();
                graph.nodes[0].id = "z".to_owned();
            },
            "/nodes",
        ),
        (
            |graph| graph.nodes[0].kind = NodeKind::Run,
            "/nodes/0/attributes/team",
        ),
        (
            |graph| {
                graph.edges.pop();
            },
            "/edges",
        ),
        (
            |graph| graph.edges[0].to = graph.nodes[1].id.clone(),
            "/edges/0",
        ),
        (
            |graph| graph.edges[0].kind = EdgeKind::Parent,
            "/edges/0/kind",
        ),
        (
            |graph| graph.nodes[0].attributes.topology = Some(Kind::Compare),
            "/nodes/0/attributes/topology",
        ),
    ];
    for (spoil, pointer) in cases {
        let mut graph = compared(3, true);
        graph.edges.sort_by(|one, other| one.from.cmp(&other.from));
        spoil(&mut graph);
        let mistakes = check(&graph).expect_err(pointer);
        assert!(
            mistakes.iter().any(|mistake| mistake.pointer == pointer),
            "{pointer}: {mistakes:?}"
        );
    }
}

#[test]
fn the_same_agents_work_under_another_kind_when_their_roles_fit() {
    let team = graph(Kind::Pipeline, &["a", "b", "c"]);
    for kind in Kind::ALL {
        let other = rearranged(&team, kind).expect("it fits");
        assert_eq!(check(&other), Ok(()));
        assert!(other.nodes.iter().all(|node| team.node(&node.id).is_some()));
    }
    let alone = graph(Kind::Single, &["a"]);
    assert!(rearranged(&alone, Kind::StarMoe).is_err());
    assert!(rearranged(&team, Kind::Compare).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn letters_are_random_and_the_judge_gets_no_names(
        names in prop::collection::vec("[A-Z][a-z]{6,12} crew", MIN_CANDIDATES..=MAX_CANDIDATES), lot: u128,
    ) {
        let contenders: Vec<Contender> = names
            .iter()
            .zip(0..)
            .map(|(label, team)| Contender { team: Uuid::from_u128(team), label: label.clone(), topology: None })
            .collect();
        let judge = Some(Uuid::from_u128(99));
        let graph = comparison(&contenders, judge, Uuid::from_u128(lot));
        prop_assert_eq!(check(&graph), Ok(()));
        prop_assert_eq!(&comparison(&contenders, judge, Uuid::from_u128(lot)), &graph);
        let letters: BTreeSet<&str> = graph.nodes.iter().take(names.len()).map(|node| node.id.as_str()).collect();
        prop_assert_eq!(letters.len(), names.len());
        let goal = "  Do it.\n\n# Your task\n";
        let mut outputs = Outputs::default();
        let Next::Run(candidates) = next(&graph, goal, &outputs) else { panic!("nothing to run") };
        prop_assert_eq!(candidates.len(), names.len());
        for step in &candidates {
            // Each team gets exactly the goal.
            prop_assert_eq!(prompt(step, goal, &outputs), goal);
            outputs.insert(step.name(), Output::Done(format!("the answer of {}", step.key)));
        }
        let Next::Run(judging) = next(&graph, goal, &outputs) else { panic!("nobody judges") };
        let told = prompt(&judging[0], goal, &outputs);
        for name in &names {
            prop_assert!(!told.contains(name.as_str()), "{}", told);
        }
        for letter in letters {
            let answer = format!("## {}\n\n> the answer of {letter}\n", letter.to_ascii_uppercase());
            prop_assert!(told.contains(&answer), "{}", told);
        }
    }
}

#[test]
fn no_place_in_the_request_has_a_letter_of_its_own() {
    let first = |lot: u128| {
        let contenders = ["x", "y", "z"].map(|label| Contender {
            team: Uuid::nil(),
            label: label.to_owned(),
            topology: None,
        });
        comparison(&contenders, None, Uuid::from_u128(lot)).nodes[0]
            .id
            .clone()
    };
    let drawn: BTreeSet<String> = (0..64).map(first).collect();
    assert_eq!(drawn.len(), 3);
}
