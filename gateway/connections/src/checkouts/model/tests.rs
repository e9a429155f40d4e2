//! Tests of the pure rules of checkouts.

use chrono::{DateTime, TimeDelta};
use rstest::rstest;
use uuid::Uuid;

use super::*;

const RUN: Uuid = Uuid::from_u128(0x0190_a000_0000_7000_8000_1234_5678_9abc);

fn bound() -> bound::Model {
    bound::Model {
        run_id: RUN.into(),
        workspace_id: Uuid::nil().into(),
        repo_id: Uuid::nil().into(),
        upload_id: None,
        full_name: "acme/tools".to_owned(),
        base_ref: None,
        base_commit: None,
        start_commit: None,
        branch: prefix(RUN.into()),
        created_at: DateTime::UNIX_EPOCH,
        version: 1,
    }
}

fn row(step: &str, branch: &str, head: Option<&str>, at_s: i64) -> commits::Model {
    commits::Model {
        run_id: RUN.into(),
        step_run_id: RUN.into(),
        step: step.to_owned(),
        workspace_id: Uuid::nil().into(),
        owner_kind: roost_machines::sandboxes::OwnerKind::Claw,
        owner_id: Uuid::nil().into(),
        branch: branch.to_owned(),
        head: head.map(str::to_owned),
        commits: 1,
        files: 1,
        shown: String::new(),
        uncommitted: 0,
        refused: None,
        at: DateTime::UNIX_EPOCH + TimeDelta::seconds(at_s),
        pushed_at: None,
        pull_url: None,
    }
}

#[rstest]
#[case("main", true)]
#[case("feature/a-1", true)]
#[case("0123456789012345678901234567890123456789", true)]
#[case("", false)]
#[case("-x", false)]
#[case("a..b", false)]
#[case("a/", false)]
#[case("/a", false)]
#[case("a/.b", false)]
#[case("a.lock", false)]
#[case("a b", false)]
#[case("a\nb", false)]
#[case("a@{1}", false)]
#[case("HEAD~1", false)]
fn only_branches_and_whole_commit_ids_are_bases(#[case] text: &str, #[case] fine: bool) {
    assert_eq!(is_base(text), fine);
}

#[test]
fn branch_of_an_agent_has_the_form_that_the_broker_takes() {
    let agent = Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_00ff);
    let name = branch(&bound(), agent.into());
    assert_eq!(name, "roost/run-123456789abc/0000000000ff");
}

#[rstest]
#[case("acme/tools", "tools")]
#[case("acme/a b;c", "abc")]
#[case("acme/..", "repository")]
#[case("acme/.git", "git")]
#[case("acme/-rf", "rf")]
#[case("acme/ü", "repository")]
fn folder_is_one_safe_name(#[case] full_name: &str, #[case] name: &str) {
    assert_eq!(folder(full_name), name);
}

#[test]
fn checkout_begins_at_its_own_branch_then_at_the_run_then_at_the_base() {
    let begin = |bound: &bound::Model, rows: &[commits::Model]| {
        begins_at(bound, "roost/own", rows, Some("main"))
    };
    let mut bound = bound();
    assert_eq!(begin(&bound, &[]).as_deref(), Some("refs/heads/main"));
    assert_eq!(begins_at(&bound, "roost/own", &[], None), None);
    bound.base_ref = Some("next".to_owned());
    assert_eq!(begin(&bound, &[]).as_deref(), Some("refs/heads/next"));
    bound.base_commit = Some("base".to_owned());
    assert_eq!(begin(&bound, &[]).as_deref(), Some("base"));
    bound.start_commit = Some("start".to_owned());
    assert_eq!(begin(&bound, &[]).as_deref(), Some("start"));
    let refused = row("c#1", "roost/own", None, 3);
    let other = row("b#1", "roost/other", Some("2"), 2);
    let own = row("a#1", "roost/own", Some("1"), 1);
    assert_eq!(
        begin(&bound, &[refused.clone(), other.clone()]).as_deref(),
        Some("2")
    );
    assert_eq!(begin(&bound, &[refused, other, own]).as_deref(), Some("1"));
}

#[test]
fn each_branch_has_its_newest_head() {
    let rows = [
        row("e#1", "a", None, 5),
        row("d#1", "a", Some("3"), 4),
        row("c#1", "a", Some("3"), 3),
        row("b#1", "b", Some("2"), 2),
        row("a#1", "a", Some("1"), 1),
    ];
    let found: Vec<_> = heads(&rows)
        .into_iter()
        .map(|row| (row.step.as_str(), row.head.as_deref()))
        .collect();
    assert_eq!(found, [("c#1", Some("3")), ("b#1", Some("2"))]);
}

#[test]
fn fork_begins_at_the_newest_commit_of_its_kept_steps() {
    let rows = [
        row("c#1", "a", Some("3"), 3),
        row("b#1", "a", Some("2"), 2),
        row("a#1", "a", Some("1"), 1),
    ];
    let kept = ["a#1".to_owned(), "b#1".to_owned()];
    assert_eq!(
        start_of_fork(&rows, RUN.into(), &kept).as_deref(),
        Some("2")
    );
    assert_eq!(start_of_fork(&rows, Uuid::nil().into(), &kept), None);
    assert_eq!(start_of_fork(&rows, RUN.into(), &[]), None);
}

#[test]
fn answer_of_a_sandbox_is_a_line_and_the_rest() {
    let answer = b"{\"head\":\"ab\",\"bundle\":3,\"uncommitted\":1}\nxyz";
    let (offered, rest): (Offered, _) = parted(answer).expect("an answer");
    assert_eq!((offered.bundle, rest), (3, &b"xyz"[..]));
    for strange in [&b"no line end"[..], b"\n", b"{}\n", b"[1]\nxyz"] {
        assert!(parted::<Offered>(strange).is_err(), "{strange:?}");
    }
    let long = [&b"\"".repeat(LONGEST_LINE)[..], b"\n"].concat();
    assert!(parted::<Offered>(&long).is_err());
}
