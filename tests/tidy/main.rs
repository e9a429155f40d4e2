//! House rules that a reviewer would otherwise have to remember: a broken one fails here with the file and the remedy.
//!
//! Each rule is a function from the tree's files to a list of faults; `each_rule_finds_its_fault` feeds every rule a
//! deliberate violation, so a rule that stopped looking fails too.

mod arrows;
mod audit;
mod names;
mod rooms;
mod sources;
mod tree;
mod words;

use tree::{Tree, fail_on};

#[test]
fn dependency_arrows_go_one_way() {
    fail_on(arrows::faults(&Tree::of_repository()));
}

#[test]
fn rooms_of_a_wing_form_no_circle() {
    fail_on(rooms::faults(&Tree::of_repository()));
}

#[test]
fn engine_and_web_crates_stay_where_they_belong() {
    fail_on(arrows::misplaced_crates(&Tree::of_repository()));
}

#[test]
fn the_top_level_is_fixed() {
    fail_on(names::top_level(&Tree::of_repository()));
}

#[test]
fn files_are_named_for_what_they_are() {
    fail_on(names::empty_words(&Tree::of_repository()));
}

#[test]
fn removed_features_stay_removed() {
    fail_on(names::removed_features(&Tree::of_repository()));
}

#[test]
fn every_rust_file_says_what_it_is() {
    fail_on(sources::without_header(&Tree::of_repository()));
}

#[test]
fn no_rust_file_is_over_500_lines() {
    fail_on(sources::too_long(&Tree::of_repository()));
}

#[test]
fn nothing_is_left_unfinished() {
    fail_on(sources::unfinished(&Tree::of_repository()));
}

#[test]
fn actors_and_tasks_start_only_through_supervision() {
    fail_on(sources::spawns(&Tree::of_repository()));
}

#[test]
fn statements_live_only_in_stores() {
    fail_on(sources::sql_outside_stores(&Tree::of_repository()));
}

#[test]
fn only_tenancy_makes_a_scope_of_a_member() {
    fail_on(sources::scopes_of_members(&Tree::of_repository()));
}

#[test]
fn statements_on_tenants_rows_begin_with_the_workspace() {
    fail_on(sources::filters_of_workspaces(&Tree::of_repository()));
}

#[test]
fn each_action_of_the_audit_log_has_its_sentence() {
    fail_on(audit::actions_without_sentence(&Tree::of_repository()));
}

#[test]
fn sentences_and_names_use_plain_words() {
    fail_on(words::unclear_words(&Tree::of_repository()));
}

#[test]
fn two_rooms_that_import_each_other_are_a_fault() {
    let mut tree = Tree::of_one(
        "gateway/machines/src/fleet/store.rs",
        "//! x\nuse crate::sandboxes::State;\n",
    );
    assert_eq!(rooms::faults(&tree), Vec::<String>::new());
    tree.files.push(tree::File {
        path: "gateway/machines/src/sandboxes/store.rs".to_owned(),
        text: "//! x\nuse crate::{\n    fleet::{self, Node},\n    operations,\n};\n".to_owned(),
    });
    assert_eq!(rooms::faults(&tree).len(), 2);
}

#[test]
fn each_rule_finds_its_fault() {
    // Written so that this file itself holds none of the words the rules look for.
    let unfinished = format!("//! x\nfn f() {{ {}!() }}\n", "todo");
    let spawn = format!("//! x\nfn f() {{ tokio::{}(async {{}}); }}\n", "spawn");
    let sql = format!("//! x\nfn f() {{ Entity::{}() }}\n", "find");
    let long = format!("//! x\n{}", "// line\n".repeat(500));
    let riddle = format!(
        "//! x\n#[test]\nfn wh{}_comes_late_is_refused() {{}}\n",
        "oever"
    );
    let sentence = format!("/** The key sh{} be kept. */\n", "all");
    let loops = format!("//! x\nconst T: &str = \"/api/{}s\";\n", "loop");
    type Rule = fn(&Tree) -> Vec<String>;
    let cases: [(&str, Rule, &str, &str); 19] = [
        (
            "header",
            sources::without_header,
            "gateway/src/a.rs",
            "fn f() {}\n",
        ),
        ("length", sources::too_long, "gateway/src/a.rs", &long),
        (
            "unfinished",
            sources::unfinished,
            "gateway/src/a.rs",
            &unfinished,
        ),
        (
            "spawn",
            sources::spawns,
            "gateway/execution/src/x/actor.rs",
            &spawn,
        ),
        (
            "sql",
            sources::sql_outside_stores,
            "gateway/execution/src/x/routes.rs",
            &sql,
        ),
        (
            "words",
            names::empty_words,
            "gateway/src/utils.rs",
            "//! x\n",
        ),
        (
            "plain words in a name",
            words::unclear_words,
            "tests/it/claws.rs",
            &riddle,
        ),
        (
            "plain words in a sentence",
            words::unclear_words,
            "gateway/ui/src/api/client.ts",
            &sentence,
        ),
        (
            "sentence of an action",
            audit::actions_without_sentence,
            "gateway/tenancy/src/auth/sign_in.rs",
            "//! x\nfn f() { change.record(\"session.danced\", about, details); }\n",
        ),
        ("top level", names::top_level, "lib/x.rs", "//! x\n"),
        (
            "removed",
            names::removed_features,
            "gateway/execution/src/x/routes.rs",
            &loops,
        ),
        (
            "arrows",
            arrows::faults,
            "protocol/Cargo.toml",
            "[dependencies]\nroost-gateway.workspace = true\n",
        ),
        (
            "arrows between wings",
            arrows::faults,
            "gateway/tenancy/Cargo.toml",
            "[dependencies]
roost-execution.workspace = true
",
        ),
        (
            "arrows of tests",
            arrows::faults,
            "gateway/platform/Cargo.toml",
            "[dev-dependencies]
roost-tenancy.workspace = true
",
        ),
        (
            "the server and the program",
            rooms::faults,
            "gateway/src/edge/server/mod.rs",
            "//! x
use crate::config::Config;
",
        ),
        (
            "actors only through supervision",
            arrows::misplaced_crates,
            "gateway/execution/Cargo.toml",
            "[dependencies]
ractor.workspace = true
",
        ),
        (
            "scope",
            sources::scopes_of_members,
            "gateway/machines/src/fleet/store.rs",
            "//! x\nfn f() { WorkspaceScope::of_member(id) }\n",
        ),
        (
            "workspace by hand",
            sources::filters_of_workspaces,
            "gateway/machines/src/fleet/store.rs",
            "//! x\nfn f() { Entity::find().filter(\n  node::Column::WorkspaceId\n.eq(scope.workspace())); }\n",
        ),
        (
            "crates",
            arrows::misplaced_crates,
            "gateway/Cargo.toml",
            "[dependencies]\nbollard.workspace = true\n",
        ),
    ];
    for (name, rule, path, text) in cases {
        let tree = Tree::of_one(path, text);
        assert!(
            !rule(&tree).is_empty(),
            "the rule `{name}` did not see its fault in {path}"
        );
    }
}
