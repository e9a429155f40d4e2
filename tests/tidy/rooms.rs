//! Which room of a wing may know which, read from the paths that its sources name. The compiler holds the arrows between
//! the wings, because each wing is a crate (`arrows.rs` holds their manifests).
use std::collections::{BTreeMap, BTreeSet};

use crate::arrows::WINGS;
use crate::tree::Tree;

/// Rooms that know each other although they should not. Nothing may be added here.
const KNOTS: [(&str, &[&str]); 1] = [
    // A sign-in reads memberships and writes audit entries; members and the log are shown to people who are signed in.
    ("tenancy", &["audit", "auth", "workspaces"]),
];

/// Wings whose parts are one room.
const ONE_ROOM: [&str; 2] = ["web", "runtime"];

/// Rooms of one wing that know each other, and the server where it knows the program that wires it.
pub fn faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    let mut arrows: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in tree.rust() {
        let Some((wing, room)) = room_of_file(&file.path) else {
            continue;
        };
        for (number, target) in rooms_named(&file.text) {
            let place = format!("{}:{number}", file.path);
            if wing == PROGRAM {
                if room == "edge" && target != "edge" {
                    faults.push(format!(
                        "{place}: `edge` imports `crate::{target}`, which wires it; pass what it needs as a value"
                    ));
                }
            } else if target != room && !in_knot(wing, room, &target) {
                let from = format!("{wing}/{room}");
                arrows
                    .entry((from, format!("{wing}/{target}")))
                    .or_insert(place);
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

/// The crate that wires the wings.
const PROGRAM: &str = "gateway";

/// Wing and room of a source file that the rule reads.
fn room_of_file(path: &str) -> Option<(&str, &str)> {
    if path.contains("/tests/") || path.ends_with("tests.rs") || path.ends_with("lib.rs") {
        return None;
    }
    let inside = path.strip_prefix("gateway/")?;
    let (wing, file) = match inside.strip_prefix("src/") {
        Some(file) => (PROGRAM, file),
        None => inside.split_once("/src/")?,
    };
    let has_rooms = WINGS.contains(&wing) && !ONE_ROOM.contains(&wing);
    let room = file.trim_end_matches(".rs").split('/').next()?;
    (has_rooms || wing == PROGRAM).then_some((wing, room))
}

fn in_knot(wing: &str, one: &str, other: &str) -> bool {
    KNOTS
        .iter()
        .any(|(knot, rooms)| *knot == wing && rooms.contains(&one) && rooms.contains(&other))
}

/// The rooms that a text names behind `crate::`, with their lines. Each name of a group counts, also when the group goes
/// over several lines. A macro or an item of the crate's root is no room.
fn rooms_named(text: &str) -> Vec<(usize, String)> {
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
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(names_of(group).map(|name| (number, name)));
            continue;
        }
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let is_macro = rest[end..].starts_with('!');
        let is_item = rest.starts_with(char::is_uppercase);
        if !is_macro && !is_item {
            found.push((number, rest[..end].to_owned()));
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
