//! Rules inside Rust sources.
use crate::arrows::is_gateway_source;
use crate::tree::{File, Tree};

const MOST_LINES: usize = 500;

/// Files that do not open with `//!`.
pub fn without_header(tree: &Tree) -> Vec<String> {
    tree.rust()
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| format!("{}: begin with `//!` and say what this file is", file.path))
        .collect()
}

/// Files over the limit, tests included.
pub fn too_long(tree: &Tree) -> Vec<String> {
    tree.rust()
        .filter_map(|file| {
            let lines = file.text.lines().count();
            (lines > MOST_LINES).then(|| {
                format!(
                    "{}: {lines} lines; split by verb ({MOST_LINES} at most)",
                    file.path
                )
            })
        })
        .collect()
}

/// Markers of work that was not done.
pub fn unfinished(tree: &Tree) -> Vec<String> {
    let marks = [
        ["todo", "!("],
        ["unimplemented", "!("],
        ["FIX", "ME"],
        ["#[ign", "ore"],
        ["X", "XX:"],
    ]
    .map(|part| part.concat());
    lines(
        tree,
        |_| true,
        move |line| marks.iter().any(|mark| line.contains(mark.as_str())),
    )
    .into_iter()
    .map(|place| format!("{place}: unfinished work; do it or write it in the closing note"))
    .collect()
}

/// Tasks and actors started past the one door.
pub fn spawns(tree: &Tree) -> Vec<String> {
    let calls = [
        ["tokio::", "spawn("],
        ["tokio::task::", "spawn("],
        ["Actor::", "spawn"],
        ["thread::", "spawn("],
    ]
    .map(|part| part.concat());
    let watched = |file: &File| {
        is_gateway_source(&file.path)
            && !file.path.starts_with("gateway/platform/src/supervision/")
            && !is_test(file)
    };
    lines(tree, watched, move |line| {
        !line.trim_start().starts_with("//")
            && calls.iter().any(|call| line.contains(call.as_str()))
    })
    .into_iter()
    .map(|place| format!("{place}: start it through `supervision`, so that operators see it"))
    .collect()
}

/// Scopes of a member that are made outside of the wing that checks memberships.
pub fn scopes_of_members(tree: &Tree) -> Vec<String> {
    let call = ["WorkspaceScope::", "of_member("].concat();
    let watched =
        |file: &File| is_gateway_source(&file.path) && !file.path.starts_with("gateway/tenancy/");
    lines(tree, watched, move |line| line.contains(&call))
        .into_iter()
        .map(|place| format!("{place}: only `tenancy` checks memberships; take the scope from it"))
        .collect()
}

/// Statements that name the workspace by hand. One that forgets it would reach every tenant's rows.
pub fn filters_of_workspaces(tree: &Tree) -> Vec<String> {
    let call = ["WorkspaceId", ".eq(scope.workspace()))"].concat();
    tree.rust()
        .filter(|file| is_gateway_source(&file.path) && !file.path.starts_with("gateway/platform/"))
        .filter(|file| {
            let code: String = file.text.split_whitespace().collect();
            code.split(".filter(")
                .skip(1)
                .any(|rest| rest.find(&call).is_some_and(|at| !rest[..at].contains('(')))
        })
        .map(|file| {
            format!(
                "{}: begin the statement with `find_in`, `update_in` or `delete_in` of `TenantEntity`",
                file.path
            )
        })
        .collect()
}

/// Queries in routes, commands, actors or models of a domain.
pub fn sql_outside_stores(tree: &Tree) -> Vec<String> {
    let calls = [
        "Entity::find",
        "Entity::insert",
        "Entity::update",
        "Entity::delete",
        "Statement::from",
        "query_one",
        "execute_unprepared",
    ];
    let roles = [
        "routes", "commands", "context", "dto", "model", "actor", "handle", "events", "error",
    ];
    // The role is the file's name or a folder above it: `routes.rs`, `routes/on_node.rs`, `commands/add.rs`.
    let watched = |file: &File| {
        is_gateway_source(&file.path)
            && !file.path.starts_with("gateway/platform/")
            && !is_test(file)
            && file
                .path
                .trim_end_matches(".rs")
                .split('/')
                .any(|part| roles.contains(&part))
    };
    lines(tree, watched, move |line| {
        calls.iter().any(|call| line.contains(call))
    })
    .into_iter()
    .map(|place| format!("{place}: statements live in the domain's store"))
    .collect()
}

pub fn is_test(file: &File) -> bool {
    file.path.ends_with("/tests.rs")
        || file.path.contains("/tests/")
        || file.path.starts_with("tests/")
}

fn lines(tree: &Tree, watched: impl Fn(&File) -> bool, hit: impl Fn(&str) -> bool) -> Vec<String> {
    tree.rust()
        .filter(|file| watched(file))
        .flat_map(|file| {
            file.text
                .lines()
                .enumerate()
                .filter(|(_, line)| hit(line))
                .map(|(number, _)| format!("{}:{}", file.path, number + 1))
                .collect::<Vec<_>>()
        })
        .collect()
}
