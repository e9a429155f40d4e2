//! Which wing of the gateway may know which, read from the paths that its sources name.
use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Tree;

const ROOT: &str = "gateway/src/";

/// The wings from the lowest to the highest. A wing knows itself and the wings before it.
const WINGS: [&str; 10] = [
    "platform",
    "web",
    "tenancy",
    "agents",
    "machines",
    "connections",
    "execution",
    "organisation",
    "runtime",
    "edge",
];

/// What stands above all wings: it wires them, configures them and is their command line.
const PROGRAM: [&str; 7] = ["app", "tree", "cli", "support", "config", "main", "lib"];

/// Wings whose parts are one room.
const ONE_ROOM: [&str; 2] = ["web", "runtime"];

/// Rooms that know each other although they should not. Nothing may be added here.
const KNOTS: [(&str, &[&str]); 1] = [
    // A sign-in reads memberships and writes audit entries; members and the log are shown to people who are signed in.
    ("tenancy", &["audit", "auth", "workspaces"]),
];

/// Imports that go up, and rooms of one wing that know each other.
pub fn faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    let mut arrows: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in tree.rust().filter(|file| is_watched(&file.path)) {
        let own = room_of_file(&file.path);
        for (number, path) in paths(&file.text) {
            let place = format!("{}:{number}", file.path);
            let Some(target) = room_of_path(&path) else {
                faults.push(format!(
                    "{place}: `crate::{path}` names no wing; add its wing to `WINGS`, or write one `use` for each wing"
                ));
                continue;
            };
            if height(&target.0) > height(&own.0) {
                faults.push(format!(
                    "{place}: `{}` imports `crate::{path}` from a wing above it; define a trait here and answer it in app/links.rs",
                    own.0
                ));
            } else if target.0 == own.0 && target.1 != own.1 && has_rooms(&own.0) {
                let from = format!("{}/{}", own.0, own.1);
                let to = format!("{}/{}", target.0, target.1);
                if !in_knot(&own.0, &own.1, &target.1) {
                    arrows.entry((from, to)).or_insert(place);
                }
            }
        }
    }
    faults.extend(circles(&arrows));
    faults
}

/// Rooms that reach themselves again, with one import each.
fn circles(arrows: &BTreeMap<(String, String), String>) -> Vec<String> {
    arrows
        .iter()
        .filter(|((from, to), _)| reaches(arrows, to, from))
        .map(|((from, to), place)| {
            format!(
                "{place}: {from} imports {to}, which imports {from} in turn; one direction only"
            )
        })
        .collect()
}

fn reaches(arrows: &BTreeMap<(String, String), String>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(here) = open.pop() {
        if here == to {
            return true;
        }
        for (_, next) in arrows.keys().filter(|(start, _)| start == here) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

fn is_watched(path: &str) -> bool {
    path.starts_with(ROOT)
        && !path.contains("/tests/")
        && !path.ends_with("tests.rs")
        && !path.ends_with("lib.rs")
}

/// Wing and room of a source file.
fn room_of_file(path: &str) -> (String, String) {
    let mut parts = path
        .trim_start_matches(ROOT)
        .trim_end_matches(".rs")
        .split('/');
    let wing = parts.next().unwrap_or_default().to_owned();
    (wing, parts.next().unwrap_or_default().to_owned())
}

/// Wing and room of a path behind `crate::`; `None` when it names neither a wing nor the program.
fn room_of_path(path: &str) -> Option<(String, String)> {
    let mut parts = path.split("::");
    let wing = parts.next()?;
    let known = WINGS.contains(&wing)
        || PROGRAM.contains(&wing)
        || matches!(wing, "kill_point" | "BUILD_ID");
    known.then(|| {
        let room = parts.next().unwrap_or_default();
        (wing.to_owned(), room.to_owned())
    })
}

/// A macro and a constant of the crate's root are below everything; the program is above everything.
fn height(wing: &str) -> usize {
    if matches!(wing, "kill_point" | "BUILD_ID") {
        return 0;
    }
    let found = WINGS.iter().position(|name| *name == wing);
    found.unwrap_or(WINGS.len())
}

fn has_rooms(wing: &str) -> bool {
    WINGS.contains(&wing) && !ONE_ROOM.contains(&wing)
}

fn in_knot(wing: &str, one: &str, other: &str) -> bool {
    KNOTS
        .iter()
        .any(|(knot, rooms)| *knot == wing && rooms.contains(&one) && rooms.contains(&other))
}

/// The paths behind `crate::`, with their lines. A group right behind a wing counts as a path for each of its names, also
/// when it goes over several lines.
fn paths(text: &str) -> Vec<(usize, String)> {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let number = code[..start].matches('\n').count() + 1;
        let rest = &code[start + "crate::".len()..];
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
            .unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches(':');
        match rest[end..].strip_prefix('{') {
            Some(group) if !path.contains("::") => {
                let names = names_of(group);
                found.extend(names.map(|name| (number, format!("{path}::{name}"))));
            }
            _ => found.push((number, path.to_owned())),
        }
    }
    found
}

/// The first names of a group's paths: `fleet::{self, Node}, operations}` is `fleet` and `operations`.
fn names_of(group: &str) -> impl Iterator<Item = String> {
    let mut names = vec![String::new()];
    let mut depth = 0_usize;
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(String::new()),
            _ if depth == 0 => names.last_mut().expect("it has one").push(letter),
            _ => {}
        }
    }
    names.into_iter().filter_map(|name| {
        let first = name.split("::").next().unwrap_or_default().trim();
        (!first.is_empty()).then(|| first.to_owned())
    })
}
