//! `roost levelup`, as people type it.

use super::{Place, agent, answer, item, script};
use crate::program::cli::Terminal;
use serde_json::json;

#[tokio::test]
async fn a_person_proposes_reads_the_difference_and_applies_an_item() {
    let items = [
        item(
            "brain_consolidation",
            json!({ "brain": "# Notes\n\nTests take 9 s." }),
        ),
        item(
            "mcp_bundle_change",
            json!({ "add": ["repo"], "remove": [] }),
        ),
        item("skill_add", json!({ "skill": "unheard-of" })),
    ];
    let place = Place::on(&script(&[answer(&items)]), None).await;
    let owner = place.owner().await;
    let claw = agent(owner).await;
    let name = owner.get(&format!("/api/claws/{claw}")).expect(200).await;
    let name = name.str("/name").to_owned();
    let terminal = Terminal::signed_in(&place.gateway.url(), &owner.token).await;
    let made = terminal
        .runs(&["levelup", "propose", "--agent", &name])
        .await;
    assert!(made.ok, "{}", made.err);
    for part in [
        "What I saw.",
        "-Tests are slow.",
        "+Tests take 9 s.",
        "evidence: roster: \"bundles:\"",
        "a person makes this change",
        "Not offered:",
    ] {
        assert!(made.out.contains(part), "no {part:?} in {}", made.out);
    }
    let listed = terminal.runs(&["levelup", "list"]).await;
    assert!(
        listed.out.contains(&name) && listed.out.contains("i1 i2"),
        "{}",
        listed.out
    );
    let pending = owner.get("/api/level-up-proposals").expect(200).await;
    let id = pending.str("/0/id").to_owned();
    let end = &id[id.len() - 8..];
    let refused = terminal
        .runs(&["levelup", "apply", end, "--item", "i9"])
        .await;
    assert!(
        !refused.ok && refused.err.contains("is not the id of an item"),
        "{}",
        refused.err
    );
    let none = terminal.runs(&["levelup", "apply", end]).await;
    assert!(!none.ok && none.err.contains("--item"), "{}", none.err);
    let applied = terminal.runs(&["levelup", "apply", end, "--all"]).await;
    assert!(applied.ok, "{}", applied.err);
    assert!(applied.out.contains("Applied: i1."), "{}", applied.out);
    assert!(
        applied.out.contains("a person to do: i2"),
        "{}",
        applied.out
    );
    let shown = terminal.runs(&["levelup", "show", end]).await;
    assert!(shown.out.contains("(applied)"), "{}", shown.out);
    let late = terminal.runs(&["levelup", "reject", end]).await;
    assert!(
        late.ok && late.out.contains("decided before") && late.out.contains("Applied: i1."),
        "{}",
        late.out
    );
    let unknown = terminal.runs(&["levelup", "show", "zzzz"]).await;
    assert!(
        !unknown.ok && unknown.err.contains("roost levelup list"),
        "{}",
        unknown.err
    );
    place.stop().await;
}
