//! Properties of effective sets and bindings.

use std::collections::BTreeSet;

use chrono::DateTime;
use proptest::prelude::*;
use rstest::rstest;

use super::*;

const NAMES: [&str; 6] = ["ant", "bee", "cat", "dog", "elk", "fox"];

fn row(name: &str, own: bool, deleted: bool) -> skill::Model {
    let workspace = own.then(|| WorkspaceId(uuid::Uuid::from_u128(7)));
    skill::Model {
        id: workspace.map_or_else(|| builtin_id(name), |of| workspace_id(of, name)),
        workspace_id: workspace,
        name: name.to_owned(),
        title: name.to_uppercase(),
        when_to_use: format!("when {name}"),
        tags: "[]".to_owned(),
        source_kind: "builtin".to_owned(),
        visibility: "builtin".to_owned(),
        foundation: name == "ant" && !own,
        current_version: 3,
        body: format!("body of {name}, own: {own}"),
        created_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
        deleted_at: deleted.then_some(DateTime::UNIX_EPOCH),
    }
}

/// A catalogue: each name may have a built-in skill and one of the workspace, deleted or not.
fn catalogue() -> impl Strategy<Value = Vec<skill::Model>> {
    let one = (any::<Option<bool>>(), any::<Option<bool>>());
    proptest::collection::vec(one, NAMES.len()).prop_map(|all| {
        let each = NAMES.iter().zip(all);
        each.flat_map(|(name, (builtin, own))| {
            let builtin = builtin.map(|deleted| row(name, false, deleted));
            builtin
                .into_iter()
                .chain(own.map(|deleted| row(name, true, deleted)))
        })
        .collect()
    })
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = proptest::sample::select(&NAMES[..]).prop_map(str::to_owned);
    proptest::collection::vec(name, 0..8)
}

/// Choices as the database stores them: one for each agent and skill.
fn choices() -> impl Strategy<Value = Vec<(usize, bool)>> {
    proptest::collection::btree_map(0..12_usize, any::<bool>(), 0..8)
        .prop_map(|all| all.into_iter().collect())
}

fn living<'a>(rows: &'a [skill::Model], name: &str) -> Option<&'a skill::Model> {
    let of_name = || {
        rows.iter()
            .filter(|row| row.name == name && row.deleted_at.is_none())
    };
    of_name()
        .find(|row| row.workspace_id.is_some())
        .or_else(|| of_name().next())
}

proptest! {
    #[test]
    fn an_agent_has_what_its_role_has_and_what_was_added_but_nothing_excluded(
        rows in catalogue(), foundation in names(), own in names(), picks in choices(), seed in any::<u64>(),
    ) {
        let bound = bind(&foundation, &own, |name| living(&rows, name).map(|row| row.id));
        let choices: Vec<(SkillId, bool)> = picks
            .iter()
            .filter_map(|(index, include)| rows.get(*index).map(|row| (row.id, *include)))
            .collect();
        let set = merge(&bound, &choices, &rows);
        let name_of = |id: SkillId| rows.iter().find(|row| row.id == id).map(|row| row.name.clone());
        let chosen = |wanted: bool| -> BTreeSet<String> {
            choices.iter().filter(|one| one.1 == wanted).filter_map(|one| name_of(one.0)).collect()
        };
        let (included, excluded) = (chosen(true), chosen(false));
        let role: BTreeSet<String> = foundation.iter().chain(&own).cloned().collect();
        let has: BTreeSet<String> = set.items.iter().map(|item| item.name.clone()).collect();
        // Compute the expected result in another way, with sets.
        let expected: BTreeSet<String> = role
            .union(&included)
            .filter(|name| !excluded.contains(*name) && living(&rows, name).is_some())
            .cloned()
            .collect();
        prop_assert_eq!(&has, &expected);
        prop_assert_eq!(has.len(), set.items.len(), "each name once");
        let skipped: BTreeSet<String> = set.skipped.iter().map(|one| one.0.clone()).collect();
        prop_assert!(has.is_disjoint(&skipped));
        let all: BTreeSet<String> = role.union(&included).cloned().collect();
        prop_assert_eq!(has.union(&skipped).cloned().collect::<BTreeSet<_>>(), all, "nothing is lost without a word");
        prop_assert!(set.items.windows(2).all(|two| two[0].order < two[1].order));
        for item in &set.items {
            let there = living(&rows, &item.name).expect("it is there");
            prop_assert_eq!((item.id, &item.body), (there.id, &there.body), "the workspace's own stands in the place");
            let default = bound.iter().find(|one| one.name == item.name);
            prop_assert_eq!(item.pinned, default.is_some_and(|one| one.pinned));
            prop_assert_eq!(item.source == Source::Agent, default.is_none());
        }
        // The order of the database's rows does not matter.
        let (mut rows, mut bound, mut choices) = (rows.clone(), bound.clone(), choices.clone());
        let by = usize::try_from(seed % 97).unwrap_or(0) % rows.len().max(1);
        rows.rotate_left(by);
        bound.reverse();
        choices.reverse();
        prop_assert_eq!(merge(&bound, &choices, &rows), set);
    }

    #[test]
    fn foundation_skills_come_first_and_with_two_of_the_role_they_are_pinned(
        foundation in names(), own in names(), there in proptest::collection::btree_set(0..6_usize, 0..6),
    ) {
        let exists = |name: &str| NAMES.iter().position(|one| *one == name).is_some_and(|at| there.contains(&at));
        let bound = bind(&foundation, &own, |name| exists(name).then(|| builtin_id(name)));
        let is_foundation = |one: &Bound| foundation.contains(&one.name);
        prop_assert!(bound.windows(2).all(|two| is_foundation(&two[0]) || !is_foundation(&two[1])));
        prop_assert!(bound.iter().all(|one| one.skill.is_some() == exists(&one.name)));
        prop_assert!(bound.iter().filter(|one| is_foundation(one)).all(|one| one.pinned == exists(&one.name)));
        let of_role: Vec<&Bound> = bound.iter().filter(|one| !is_foundation(one) && exists(&one.name)).collect();
        for (index, one) in of_role.iter().enumerate() {
            prop_assert_eq!(one.pinned, index < 2, "{:?}", one);
        }
        prop_assert!(bound.iter().all(|one| one.skill.is_some() || !one.pinned));
    }

    #[test]
    fn a_cleaned_body_hides_nothing_and_is_clean(body in "\\PC*|(.|\r|\n|\u{202e}|\u{e0041}|\u{2028}){0,40}") {
        let clean = clean_body(&body);
        prop_assert!(clean.len() <= body.len());
        let kept = ['\n', '\t', '\u{200c}', '\u{200d}'];
        let hidden = clean.chars().find(|c| roost_protocol::text::is_hidden(*c) && !kept.contains(c));
        prop_assert_eq!(hidden, None);
        prop_assert_eq!(clean_body(&clean), clean);
    }
}

#[rstest]
#[case("code-review", true)]
#[case("c3", true)]
#[case("", false)]
#[case("-a", false)]
#[case("a--b", false)]
#[case("a-", false)]
#[case("Code", false)]
#[case("a b", false)]
#[case("ä", false)]
#[case("a_b", false)]
fn names_are_plain_words(#[case] name: &str, #[case] fits: bool) {
    assert_eq!(is_slug(name, NAME), fits);
    assert!(!is_slug(&"a".repeat(NAME + 1), NAME));
}

#[test]
fn a_skill_in_the_place_of_a_built_in_one_says_so_and_is_excluded_with_it() {
    let rows = [row("bee", false, false), row("bee", true, false)];
    let bound = bind(&[], &["bee".to_owned()], |name| Some(builtin_id(name)));
    let set = merge(&bound, &[], &rows);
    assert_eq!(set.items[0].id, rows[1].id);
    assert_eq!(set.items[0].in_place_of, Some(rows[0].id));
    for excluded in &rows {
        let set = merge(&bound, &[(excluded.id, false)], &rows);
        assert_eq!(set.items, []);
        assert_eq!(set.skipped, [("bee".to_owned(), Why::Excluded)]);
    }
    // After its deletion, the built-in skill applies again.
    let rows = [row("bee", false, false), row("bee", true, true)];
    assert_eq!(merge(&bound, &[], &rows).items[0].id, rows[0].id);
}

#[test]
fn only_another_body_is_another_version_of_a_built_in_skill() {
    let text = row("bee", false, false);
    assert_eq!(loading(None, &text), Loading::Insert);
    assert_eq!(loading(Some(&text), &text), Loading::Same);
    let said = skill::Model {
        title: "Bees".to_owned(),
        ..text.clone()
    };
    assert_eq!(loading(Some(&text), &said), Loading::About);
    let written = skill::Model {
        body: "another".to_owned(),
        ..said
    };
    assert_eq!(loading(Some(&text), &written), Loading::Version);
}

#[test]
fn line_ends_become_one_kind_and_hidden_instructions_go() {
    assert_eq!(
        clean_body("a\r\nb\rc\u{2028}d\u{e0049}\u{200b}\te"),
        "a\nb\nc\nd\te"
    );
}
