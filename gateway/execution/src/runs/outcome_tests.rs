//! Which facts decide the outcome of a run.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::topology::{Contender, Kind, Role, build, comparison};

fn at(key: &str, lap: u32) -> StepRef {
    StepRef {
        key: key.to_owned(),
        lap,
        shard: 0,
    }
}

fn line() -> Graph {
    let roles: Vec<Role> = ["coder", "tester"]
        .map(|slot| Role {
            slot: slot.to_owned(),
            title: slot.to_owned(),
            ..Role::default()
        })
        .into();
    build(Kind::Pipeline, &roles)
}

fn said(answers: &[(&str, u32, &str)]) -> Outputs {
    let mut outputs = Outputs::default();
    for (key, lap, text) in answers {
        outputs.insert(at(key, *lap), Output::Done((*text).to_owned()));
    }
    outputs
}

fn of(outputs: &Outputs) -> Decided {
    decide(Status::Completed, &line(), outputs, |_| None)
}

#[test]
fn red_tests_reject_a_completed_run_and_name_their_line() {
    let decided = of(&said(&[
        ("coder", 1, "HANDOFF: INT-01"),
        ("tester", 1, "One fails.\n\nTEST_FAIL: INT-01\n"),
        ("reviewer", 1, "REVIEW_APPROVE: INT-01"),
    ]));
    assert_eq!(decided.outcome, Outcome::Rejected);
    assert_eq!(
        decided.reason,
        "Rejected by `TEST_FAIL: INT-01` of the step tester."
    );
    let evidence = decided.evidence.unwrap();
    assert_eq!((evidence.step.as_str(), evidence.lap), ("tester", 1));
    assert_eq!(evidence.marker.as_deref(), Some("TEST_FAIL: INT-01"));
}

#[test]
fn failed_check_rejects_what_the_agent_calls_good_until_a_later_lap_passes_it() {
    let check = |exit_code| Checked {
        command: "cargo test".to_owned(),
        exit_code,
    };
    let mut outputs = said(&[("tester", 1, "TEST_PASS"), ("tester", 2, "Again.")]);
    outputs.insert_checks(at("tester", 1), vec![check(Some(101))]);
    let decided = of(&outputs);
    assert_eq!(decided.outcome, Outcome::Rejected);
    assert_eq!(
        decided.reason,
        "Rejected by the check of the step tester: `cargo test` exited with 101."
    );
    let evidence = decided.evidence.unwrap();
    assert_eq!(evidence.check, Some(check(Some(101))));
    assert_eq!((evidence.marker, evidence.run), (None, None));
    outputs.insert_checks(at("tester", 2), vec![check(Some(0))]);
    assert_eq!(of(&outputs).outcome, Outcome::Accepted);
}

#[test]
fn later_lap_of_the_same_step_replaces_its_verdict() {
    let answers = [
        ("tester", 1, "TEST_FAIL: INT-01\nTEST_PASS: INT-02"),
        ("tester", 2, "TEST_PASS: INT-01"),
    ];
    assert_eq!(of(&said(&answers)).outcome, Outcome::Accepted);
    // Another step's verdict replaces nothing, and a task that is not tested again keeps its verdict.
    let others = [
        ("tester", 1, "TEST_FAIL: INT-01"),
        ("other", 2, "TEST_PASS: INT-01"),
        ("tester", 2, "TEST_PASS: INT-02"),
    ];
    assert_eq!(of(&said(&others)).outcome, Outcome::Rejected);
    let whole = [
        ("tester", 1, "TEST_FAIL: INT-01\nREVIEW_APPROVE"),
        ("tester", 2, "TEST_PASS"),
    ];
    assert_eq!(of(&said(&whole)).outcome, Outcome::Accepted);
}

#[test]
fn prose_and_claims_of_completion_decide_nothing() {
    let answers = [
        (
            "coder",
            1,
            "All tests pass, TEST_PASS as one says.\nCOMPLETED: INT-01",
        ),
        (
            "tester",
            1,
            "> TEST_FAIL: INT-01\n```\nTEST_FAIL: INT-01\n```",
        ),
    ];
    let decided = of(&said(&answers));
    assert_eq!(decided.outcome, Outcome::Undecided);
    assert_eq!(decided.evidence, None);
}

#[test]
fn run_that_did_not_complete_is_undecided() {
    let outputs = said(&[("tester", 1, "TEST_FAIL")]);
    for status in [Status::Failed, Status::Cancelled] {
        let decided = decide(status, &line(), &outputs, |_| None);
        assert_eq!(decided.outcome, Outcome::Undecided);
    }
}

#[test]
fn outcome_of_a_child_counts_and_its_text_does_not() {
    let child = RunId(Uuid::from_u128(9));
    let with = |outcome| {
        let mut outputs = said(&[("coder", 1, "TEST_PASS")]);
        outputs.insert_run(
            at("tester", 1),
            Output::Done("TEST_FAIL".to_owned()),
            outcome,
        );
        decide(Status::Completed, &line(), &outputs, |_| Some(child))
    };
    let rejected = with(Outcome::Rejected);
    assert_eq!(rejected.outcome, Outcome::Rejected);
    assert_eq!(rejected.evidence.unwrap().run, Some(child));
    assert_eq!(with(Outcome::Undecided).outcome, Outcome::Accepted);
    assert_eq!(with(Outcome::Accepted).outcome, Outcome::Accepted);
}

/// A comparison of two teams with these outcomes, and a judge that says this.
fn compared(outcomes: [Outcome; 2], judge: &str) -> Decided {
    let contenders = [1, 2].map(|team| Contender {
        team: Uuid::from_u128(team),
        label: format!("Team {team}"),
        topology: None,
    });
    let graph = comparison(&contenders, Some(Uuid::from_u128(7)), Uuid::from_u128(8));
    let mut outputs = said(&[("judge/verdict", 1, judge)]);
    for (key, outcome) in ["a", "b"].into_iter().zip(outcomes) {
        outputs.insert_run(at(key, 1), Output::Done("TEST_PASS".to_owned()), outcome);
    }
    decide(Status::Completed, &graph, &outputs, |_| None)
}

#[test]
fn comparison_has_the_outcome_of_the_candidate_that_the_judge_chose() {
    use Outcome::{Accepted, Rejected, Undecided};
    let chose_b = r#"{"scores": {"A": 2, "B": 8}, "best": "B", "reason": "shorter"}"#;
    assert_eq!(compared([Rejected, Accepted], chose_b).outcome, Accepted);
    let rejected = compared([Accepted, Rejected], chose_b);
    assert_eq!(rejected.outcome, Rejected);
    assert!(rejected.reason.contains("rejected"), "{}", rejected.reason);
    assert_eq!(compared([Accepted, Undecided], chose_b).outcome, Undecided);
    assert_eq!(
        compared([Accepted, Rejected], "B is best").outcome,
        Undecided
    );
    assert_eq!(
        compared([Rejected, Rejected], "B is best").outcome,
        Rejected
    );
}

fn any_answer() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("TEST_PASS: INT-01"),
        Just("TEST_FAIL: INT-01"),
        Just("REVIEW_BLOCK"),
        Just("REVIEW_APPROVE: INT-02"),
        Just("> TEST_FAIL"),
        Just("```"),
        Just("words"),
    ];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn rejection_needs_an_open_line_and_evidence_shows_it(
        answers in prop::collection::vec((0..3usize, 1..3u32, any_answer()), 0..6),
    ) {
        let keys = ["coder", "tester", "hub/merge"];
        let answers: Vec<(&str, u32, &str)> = answers
            .iter()
            .map(|(key, lap, text)| (keys[*key], *lap, text.as_str()))
            .collect();
        let outputs = said(&answers);
        let decided = of(&outputs);
        let Some(evidence) = &decided.evidence else {
            prop_assert_eq!(decided.outcome, Outcome::Undecided);
            return Ok(());
        };
        let Some(Output::Done(text)) = outputs.get(&at(&evidence.step, evidence.lap)) else {
            return Err(TestCaseError::fail("the evidence has no step"));
        };
        let marker = evidence.marker.clone().unwrap_or_default();
        prop_assert!(text.lines().any(|line| line == marker), "{text:?} has no {marker:?}");
        let rejects = marker.starts_with("TEST_FAIL") || marker.starts_with("REVIEW_BLOCK");
        prop_assert_eq!(rejects, decided.outcome == Outcome::Rejected);
    }
}

#[test]
fn stopped_part_leaves_accepted_work_undecided_and_rejected_work_rejected() {
    let stopped = |text: &str, steps: &[&str]| {
        let mut outputs = said(&[("tester", 1, text)]);
        for key in steps {
            outputs.insert(at(key, 1), Output::Failed("Stopped.".to_owned()));
            outputs.stopped.insert(at(key, 1));
        }
        of(&outputs)
    };
    let accepted = stopped("TEST_PASS: INT-01", &["coder"]);
    assert_eq!(accepted.outcome, Outcome::Undecided);
    assert_eq!(
        accepted.reason,
        "A person stopped the step coder. Accepted by `TEST_PASS: INT-01` of the step tester."
    );
    let rejected = stopped("TEST_FAIL: INT-01", &["coder", "reviewer", "scribe"]);
    assert_eq!(rejected.outcome, Outcome::Rejected);
    let begin = "A person stopped the step coder and 2 more steps. Rejected by";
    assert!(rejected.reason.starts_with(begin), "{rejected:?}");
    let none = stopped("TEST_PASS: INT-01", &[]);
    assert_eq!(none.outcome, Outcome::Accepted);
}
