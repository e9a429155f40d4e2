//! Missions in a terminal: created, watched, paused, retried, skipped, ended and read, all with `roost mission`.

use roost_tests::eventually;

use super::lives::endless;
use super::{becomes, mission, model, phases, template, think_with};
use crate::connections::repos::Place;
use crate::program::cli::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn mission_is_led_to_its_end_in_a_terminal() {
    let place = Place::start().await;
    let gateway = &place.gateway;
    let owner = gateway.owner().await;
    let server = model(&[
        ("This is attempt 2", "COMPLETED: INT-01"),
        ("phase 1 of 2", "TASK: INT-01\nFaster\n\nTEST_FAIL: INT-01"),
        ("phase 2 of 2", "REVIEW_BLOCK"),
    ])
    .await;
    think_with(owner, &server).await;
    template(owner, "Writers").await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let said = async |args: &[&str]| {
        let said = terminal.runs(&[&["mission"], args].concat()).await;
        assert!(said.ok, "{args:?}: {} {}", said.out, said.err);
        said.out
    };
    let refused = async |args: &[&str]| {
        let said = terminal.runs(&[&["mission"], args].concat()).await;
        assert!(!said.ok, "{args:?}: {}", said.out);
        said.err
    };
    said(&[
        "create",
        "Make it faster",
        "--title",
        "Faster",
        "--kind",
        "custom",
        "--phase",
        "coding",
        "--phase",
        "coding",
        "--template",
        "writers",
    ])
    .await;
    let list = said(&["list"]).await;
    assert!(list.contains("Faster") && list.contains("draft"), "{list}");
    let plan = said(&["plan", "Faster"]).await;
    assert!(plan.contains("Writers"), "{plan}");
    // A watched mission that pauses is no success.
    let watched = terminal
        .runs(&["mission", "launch", "Faster", "--watch"])
        .await;
    assert!(!watched.ok, "{}", watched.out);
    assert!(watched.out.contains("TEST_FAIL: INT-01"), "{}", watched.out);
    let why = refused(&["resume", "Faster"]).await;
    assert!(why.contains("Retry it or skip it"), "{why}");
    said(&["retry", "Faster"]).await;
    let list = owner.get("/api/missions").expect(200).await;
    let id = list.str("/items/0/id").to_owned();
    eventually("the second phase fails", async || {
        (phases(&mission(owner, &id).await) == ["completed", "failed"]).then_some(())
    })
    .await;
    let why = refused(&["skip", "Faster", "--phase", "3"]).await;
    assert!(why.contains("2 phases"), "{why}");
    said(&["skip", "Faster"]).await;
    becomes(owner, &id, "completed").await;
    assert!(said(&["watch", "Faster"]).await.contains("completed"));
    let report = said(&["report", "Faster"]).await;
    assert!(
        report.contains("# Faster") && report.contains("INT-01"),
        "{report}"
    );
    place.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_is_paused_resumed_and_ended_in_a_terminal() {
    let place = Place::start().await;
    let gateway = &place.gateway;
    let owner = gateway.owner().await;
    let server = endless().await;
    think_with(owner, &server).await;
    template(owner, "Writers").await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    for (title, end, status) in [("One", "cancel", "cancelled"), ("Two", "fail", "failed")] {
        let said = async |args: &[&str]| {
            let said = terminal.runs(&[&["mission"], args].concat()).await;
            assert!(said.ok, "{args:?}: {} {}", said.out, said.err);
            said.out
        };
        said(&[
            "create",
            "Talk",
            "--title",
            title,
            "--kind",
            "research",
            "--template",
            "writers",
            "--launch",
        ])
        .await;
        let paused = said(&["pause", title]).await;
        assert!(paused.contains("paused"), "{paused}");
        let resumed = said(&["resume", title]).await;
        assert!(resumed.contains("running"), "{resumed}");
        let ended = said(&[end, title]).await;
        assert!(ended.contains(status), "{ended}");
        let again = terminal.runs(&["mission", "resume", title]).await;
        assert!(
            !again.ok && again.err.contains("final"),
            "{} {}",
            again.out,
            again.err
        );
    }
    place.stop().await;
}
