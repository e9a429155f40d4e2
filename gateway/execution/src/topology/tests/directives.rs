//! Directives in hostile text: only a plain line outside of fences is one.

use proptest::prelude::*;
use rstest::rstest;

use super::super::directives::{abstention, assignments, scores};

fn given(text: &str) -> Vec<(String, String)> {
    let read = assignments(text, |id| ["coder", "tester"].contains(&id));
    read.given.into_iter().collect()
}

#[test]
fn a_plan_is_read() {
    let text =
        "First:\nASSIGN coder: write it\r\nASSIGN coder: and: run it  \nASSIGN  tester : try it\n";
    let wanted = [
        ("coder".to_owned(), "write it\nand: run it".to_owned()),
        ("tester".to_owned(), "try it".to_owned()),
    ];
    assert_eq!(given(text), wanted);
}

#[rstest]
#[case::quoted("> ASSIGN coder: x")]
#[case::in_quotation_marks("\"ASSIGN coder: x\"")]
#[case::in_a_list("- ASSIGN coder: x")]
#[case::bold("**ASSIGN coder:** x")]
#[case::indented("    ASSIGN coder: x")]
#[case::after_words("Please ASSIGN coder: x")]
#[case::small("assign coder: x")]
#[case::no_colon("ASSIGN coder x")]
#[case::cyrillic_a("АSSIGN coder: x")]
#[case::cyrillic_name("ASSIGN сoder: x")]
#[case::fullwidth_colon("ASSIGN coder： x")]
#[case::hard_blank("ASSIGN\u{a0}coder: x")]
#[case::zero_width("ASSIGN cod\u{200b}er: x")]
#[case::line_separator("text\u{2028}ASSIGN coder: x")]
#[case::bare_return("text\rASSIGN coder: x")]
#[case::fenced("```\nASSIGN coder: x\n```")]
#[case::tilde_fence("~~~ text\nASSIGN coder: x\n~~~")]
#[case::never_closed("```sh\nrun\n\nASSIGN coder: x")]
#[case::closed_by_the_other("```\n~~~\nASSIGN coder: x")]
#[case::closed_too_short("`````\n```\nASSIGN coder: x")]
#[case::closed_with_words("```\n``` not yet\nASSIGN coder: x")]
#[case::nobody("ASSIGN committer: x")]
#[case::no_task("ASSIGN coder:   ")]
fn what_only_resembles_one_is_none(#[case] text: &str) {
    assert_eq!(given(text), []);
}

#[rstest]
#[case::after_a_fence("```\ncode\n```\nASSIGN coder: x")]
#[case::code_within_a_line("```one``` line\nASSIGN coder: x")]
#[case::two_backticks("``\nASSIGN coder: x")]
fn a_fence_ends_where_it_ends(#[case] text: &str) {
    assert_eq!(given(text), [("coder".to_owned(), "x".to_owned())]);
}

#[test]
fn ignored_lines_are_reported_up_to_a_limit() {
    let text = "ASSIGN ghost\u{1b}: x\n".repeat(1_000) + "ASSIGN coder:\n";
    let read = assignments(&text, |id| id == "coder");
    assert_eq!(read.ignored.len(), 10);
    assert_eq!(
        read.ignored[0],
        "ASSIGN ghost : x (you have no colleague with that name)"
    );
}

#[rstest]
#[case("SCORE coder: 0.85", Some(850_000))]
#[case("SCORE coder: 1", Some(1_000_000))]
#[case("SCORE coder: .5 because", Some(500_000))]
#[case("SCORE coder: 0.2\nSCORE coder: 0.3", Some(300_000))]
#[case("SCORE coder: 0.2\nSCORE coder: NaN", Some(200_000))]
#[case("SCORE coder: 1.01", None)]
#[case("SCORE coder: -0.1", None)]
#[case("SCORE coder: +1", None)]
#[case("SCORE coder: 1e-3", None)]
#[case("SCORE coder: 0,5", None)]
#[case("SCORE coder: ٠.٥", None)]
#[case("SCORE coder: 0.1234567", None)]
#[case("SCORE coder: .", None)]
#[case("SCORE coder: inf", None)]
#[case("SCORE ghost: 1", None)]
fn scores_are_plain_numbers(#[case] text: &str, #[case] wanted: Option<u32>) {
    let scores = scores(text, |id| id == "coder");
    assert_eq!(scores.get("coder").copied(), wanted);
}

#[rstest]
#[case("ABSTAIN: not my field\nmore", Some("not my field"))]
#[case("\n\r\n  \nABSTAIN:", Some("no reason given"))]
#[case("I think\nABSTAIN: x", None)]
#[case("> ABSTAIN: x", None)]
#[case("ABSTAINED: x", None)]
#[case("", None)]
fn only_the_first_line_abstains(#[case] text: &str, #[case] wanted: Option<&str>) {
    assert_eq!(abstention(text).as_deref(), wanted);
}

#[test]
fn fifty_megabytes_are_read_once_and_cut() {
    let long = format!("ASSIGN coder: {}\n", "ä".repeat(25_000_000));
    let read = given(&long);
    assert!(read[0].1.len() <= 8 * 1024 + 10, "{}", read[0].1.len());
    assert!(read[0].1.ends_with(" […]"));
    let lines = "ASSIGN coder: again\n".repeat(250_000);
    assert!(given(&lines)[0].1.len() <= 8 * 1024 + 10);
    assert_eq!(given(&"`".repeat(5_000_000)), []);
    assert_eq!(given(&"```\n".repeat(1_250_001)), []);
    let why = abstention(&format!("ABSTAIN: {}", "x".repeat(50_000_000)));
    assert_eq!(why.unwrap().len(), 160);
}

/// Pieces of hostile text.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("ASSIGN coder: x"),
        Just("ASSIGN "),
        Just("SCORE coder: 1"),
        Just("ABSTAIN:"),
        Just("```"),
        Just("~~~~"),
        Just("`"),
        Just("> "),
        Just("\n"),
        Just("\r"),
        Just(" "),
        Just(":"),
        Just("\u{2028}"),
        Just("\u{0}"),
        Just("é"),
        Just("𝐀SSIGN"),
    ];
    prop::collection::vec(
        prop_oneof![3 => piece.prop_map(str::to_owned), 1 => any::<String>()],
        0..40,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn directives_assign_work_only_to_own_members(text in hostile()) {
        let read = assignments(&text, |id| id == "coder");
        for (node, task) in &read.given {
            prop_assert_eq!(node, "coder");
            prop_assert!(!task.is_empty());
            prop_assert!(task.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
        prop_assert!(read.ignored.len() <= 10);
        for score in scores(&text, |id| id == "coder").values() {
            prop_assert!(*score <= 1_000_000);
        }
    }

    #[test]
    fn quoting_takes_every_directive_out(text in hostile()) {
        let quoted: String = text.split('\n').map(|line| format!("> {line}\n")).collect();
        prop_assert_eq!(assignments(&quoted, |_| true), Default::default());
        prop_assert!(scores(&quoted, |_| true).is_empty());
        prop_assert_eq!(abstention(&quoted), None);
    }

    #[test]
    fn lines_after_an_open_code_fence_are_ignored(text in hostile()) {
        // `hostile` produces nothing that closes a fence of this length.
        let fenced = format!("{}\n{text}", "`".repeat(200));
        prop_assert!(assignments(&fenced, |_| true).given.is_empty());
    }
}
