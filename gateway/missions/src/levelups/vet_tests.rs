//! What is offered of a model's answer, and what is not.

use uuid::Uuid;

use super::super::facts::{SkillFacts, Subject, TeamFacts};
use super::super::material::tests::{agent, facts, run};
use super::*;
use roost_platform::ids::{ClawId, SkillId, TeamId};
use serde_json::{Value, json};

fn known() -> Facts {
    let mut facts = facts(
        vec![agent(1, "You review.", "Tests are slow.")],
        vec![run(7, "I changed the parser.")],
    );
    facts.catalogue = ["known", "fresh"]
        .map(|name| SkillFacts {
            id: SkillId(Uuid::from_u128(name.len() as u128)),
            name: name.to_owned(),
            when_to_use: "when".to_owned(),
        })
        .into();
    facts
}

fn team() -> Facts {
    let mut facts = known();
    facts.agents.push(agent(2, "You test.", ""));
    facts.subject = Subject::Team(TeamId(Uuid::from_u128(9)));
    facts.team = Some(TeamFacts {
        topology: "pipeline".to_owned(),
        description: None,
        profile: None,
        bundles: BTreeSet::from([Bundle::Door]),
    });
    facts
}

fn id(n: u128) -> String {
    ClawId(Uuid::from_u128(n)).to_string()
}

/// An item with right evidence.
fn item(kind: &str, more: Value) -> Value {
    let mut item = json!({ "kind": kind, "agent_id": id(1), "summary": "s", "rationale": "r",
        "evidence": [{ "source": format!("brain:{}", id(1)), "excerpt": "Tests are slow." }] });
    let (Some(fields), Some(more)) = (item.as_object_mut(), more.as_object()) else {
        panic!("objects");
    };
    fields.extend(more.clone());
    item
}

fn vetted(facts: &Facts, items: Value) -> Vetted {
    let answer = serde_json::from_value(json!({ "summary": "s", "items": items })).unwrap();
    let material = Material::new(facts, 64 << 10);
    let taken = HashSet::from(["known".to_owned(), "fresh".to_owned()]);
    vet(&answer, facts, &material, &taken)
}

fn reasons(vetted: &Vetted) -> Vec<&str> {
    assert!(vetted.items.is_empty(), "{:?}", vetted.items);
    vetted
        .dropped
        .iter()
        .map(|one| one.reason.as_str())
        .collect()
}

#[test]
fn items_that_fit_get_what_they_replace_and_where_it_was_seen() {
    let facts = known();
    let skill = json!({ "name": "fast-tests", "title": "T", "when_to_use": "w", "tags": ["tests"], "body": "b" });
    let found = vetted(
        &facts,
        json!([
            item(
                "identity_refinement",
                json!({ "system_prompt": "You review with care." })
            ),
            item("brain_consolidation", json!({ "brain": "Tests take 9 s." })),
            item("skill_add", json!({ "skill": "fresh" })),
            item("skill_candidate", skill),
            item(
                "mcp_bundle_change",
                json!({ "add": ["repo"], "remove": [] })
            ),
        ]),
    );
    assert_eq!(found.dropped, []);
    let ids: Vec<&str> = found.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["i1", "i2", "i3", "i4", "i5"]);
    assert_eq!(found.items[0].before.as_deref(), Some("You review."));
    assert_eq!(found.items[1].base_version, Some(3));
    assert_eq!(found.items[2].skill_id, Some(facts.catalogue[1].id));
    assert!(found.items[4].needs_human && !found.items[3].needs_human);
    assert_eq!(
        found.items[0].evidence[0].agent_id,
        Some(facts.agents[0].id)
    );
}

#[test]
fn evidence_of_a_run_names_run_step_and_outcome() {
    let facts = known();
    let source = format!("run:{}/a/work#0.0", facts.runs[0].id);
    let evidence = json!([{ "source": source, "excerpt": "I changed  the\nparser." }, { "source": source, "excerpt": "I fixed it." },
        { "source": "run:made-up", "excerpt": "x" }]);
    let found = vetted(
        &facts,
        json!([item(
            "skill_add",
            json!({ "skill": "fresh", "evidence": evidence })
        )]),
    );
    let evidence = &found.items[0].evidence;
    assert_eq!(evidence.len(), 1, "made-up quotes are left out");
    assert_eq!(evidence[0].run_id, Some(facts.runs[0].id));
    assert_eq!(evidence[0].outcome.as_deref(), Some("rejected"));
    assert_eq!(
        (evidence[0].step.as_deref(), evidence[0].lap),
        (Some("a/work"), Some(0))
    );
}

#[test]
fn what_does_not_fit_an_agent_is_dropped_with_the_reason() {
    let roster = json!({ "action": "add", "slot": "tester", "detail": "d" });
    let skill = json!({ "name": "known", "title": "T", "when_to_use": "w", "body": "b" });
    let found = vetted(
        &known(),
        json!([
            item(
                "identity_refinement",
                json!({ "system_prompt": "x", "agent_id": id(2) })
            ),
            item(
                "identity_refinement",
                json!({ "system_prompt": "x", "agent_id": "' OR 1=1 --" })
            ),
            item(
                "identity_refinement",
                json!({ "system_prompt": " You review.\n" })
            ),
            item(
                "identity_refinement",
                json!({ "system_prompt": "\u{0}\u{200b}" })
            ),
            item("skill_add", json!({ "skill": "unheard-of" })),
            item("skill_add", json!({ "skill": "known" })),
            item("skill_candidate", skill),
            item("roster_change", roster),
            item(
                "mcp_bundle_change",
                json!({ "add": [], "remove": ["repo"] })
            ),
            item(
                "skill_add",
                json!({ "skill": "fresh", "evidence": [{ "source": "roster", "excerpt": "made up" }] })
            ),
        ]),
    );
    let expected = [
        "another agent",
        "another agent",
        "nothing",
        "empty",
        "no skill",
        "has this skill",
        "exists",
        "no roster",
        "nothing",
        "quotes",
    ];
    for (reason, expected) in reasons(&found).into_iter().zip(expected) {
        assert!(reason.contains(expected), "{reason} / {expected}");
    }
    assert_eq!(found.dropped.len(), expected.len());
}

#[test]
fn a_team_changes_its_members_and_nobody_else() {
    let roster = json!({ "action": "add", "slot": "tester", "detail": "d" });
    let found = vetted(
        &team(),
        json!([
            item(
                "identity_refinement",
                json!({ "system_prompt": "x", "agent_id": id(2) })
            ),
            item(
                "identity_refinement",
                json!({ "system_prompt": "x", "agent_id": id(3) })
            ),
            item("roster_change", roster),
        ]),
    );
    assert_eq!(found.items.len(), 2);
    assert_eq!(found.items[0].before.as_deref(), Some("You test."));
    assert!(found.dropped[0].reason.contains("not in the team"));
}

#[test]
fn one_item_changes_a_thing_and_a_later_one_is_dropped() {
    let change = |text: &str| item("brain_consolidation", json!({ "brain": text }));
    let found = vetted(&known(), json!([change("a"), change("b")]));
    assert_eq!(found.items.len(), 1);
    assert!(found.dropped[0].reason.contains("earlier item"));
}

#[test]
fn a_text_that_was_read_in_part_is_never_replaced() {
    let mut facts = known();
    facts.agents[0].brain = "Tests are slow. ".repeat(9_000);
    facts.agents[0].system_prompt = Some("You review. ".repeat(9_000));
    let found = vetted(
        &facts,
        json!([
            item("brain_consolidation", json!({ "brain": "short" })),
            item("identity_refinement", json!({ "system_prompt": "short" })),
        ]),
    );
    assert!(
        reasons(&found)
            .iter()
            .all(|reason| reason.contains("in part")),
        "{found:?}"
    );
}

#[test]
fn hidden_characters_do_not_get_into_texts() {
    let wanted = json!({ "brain": "a\u{0}b\u{202e}c\r\nd", "summary": "one\ntwo\u{7}" });
    let found = vetted(&known(), json!([item("brain_consolidation", wanted)]));
    assert_eq!(found.items[0].after.as_deref(), Some("abc\nd"));
    assert!(!found.items[0].summary.contains(['\n', '\u{7}']));
}
