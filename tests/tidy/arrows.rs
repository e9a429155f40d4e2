//! Which crate may depend on which, read from the manifests.
use std::collections::BTreeMap;

use crate::tree::Tree;

/// The wings of the gateway from the lowest to the highest. Each is a crate and depends only on wings before it.
pub const WINGS: [&str; 10] = [
    "platform",
    "web",
    "tenancy",
    "agents",
    "machines",
    "connections",
    "execution",
    "organisation",
    "runtime",
    "missions",
];

/// What a wing may depend on beside lower wings, where it has a reason. The wings share the types of the protocol and of
/// the secret broker.
const BESIDE: [(&str, &[&str]); 2] = [
    ("platform", &["roost-migrations", "roost-sandbox-driver"]),
    ("machines", &["roost-sandbox-driver", "roost-snapshot"]),
];

/// Our other crates and what each may depend on. `tests` may depend on all.
const ALLOWED: [(&str, &[&str]); 9] = [
    ("protocol", &[]),
    ("migrations", &[]),
    ("sandbox-driver/snapshot", &[]),
    ("sandbox-driver", &["roost-protocol", "roost-snapshot"]),
    ("sandbox-driver/guest", &["roost-protocol"]),
    (
        "node-daemon",
        &["roost-protocol", "roost-sandbox-driver", "roost-snapshot"],
    ),
    ("gateway/cli", &["roost-protocol"]),
    ("gateway/secret-broker", &[]),
    ("gateway/test-database", &["roost-platform"]),
];

/// Crates that only some of ours may name: the engine in the driver, tables and actors in the gateway.
const PLACED: [(&str, &[&str]); 6] = [
    ("bollard", &["sandbox-driver"]),
    ("sea-orm-migration", &["migrations"]),
    ("sysinfo", &["node-daemon"]),
    // Other wings start actors through `platform::supervision`.
    ("ractor", &["gateway/platform"]),
    // The tests are a client of the tools' servers.
    ("rmcp", &["gateway/execution", "tests"]),
    ("jsonwebtoken", &["gateway/tenancy"]),
];

/// Crates that only the gateway's wings may name. The tests fake third parties at the wire.
const OF_THE_GATEWAY: [&str; 2] = ["axum", "sea-orm"];

/// The protocol does no I/O.
const NO_IO: [&str; 4] = ["tokio", "reqwest", "hyper", "rustix"];

/// Dependencies between our crates that go against the arrows.
pub fn faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for (crate_path, allowed) in crates() {
        for (section, name) in dependencies(tree, &crate_path) {
            let for_tests = section == "dev-dependencies" && name == "roost-test-database";
            if name.starts_with("roost-") && !for_tests && !allowed.contains(&name) {
                faults.push(format!(
                    "{crate_path}/Cargo.toml: depends on {name}; the arrows allow only {allowed:?}"
                ));
            }
            if crate_path == "protocol" && NO_IO.contains(&name.as_str()) {
                faults.push(format!(
                    "protocol/Cargo.toml: {name} does I/O; the contract is pure"
                ));
            }
        }
    }
    faults
}

/// Third-party crates outside the place that may know them.
pub fn misplaced_crates(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for crate_path in crates().into_keys().chain(["tests".to_owned()]) {
        let in_gateway = crate_path == "gateway"
            || crate_path == "gateway/test-database"
            || wing_of(&crate_path).is_some();
        for (section, name) in dependencies(tree, &crate_path) {
            let misplaced = PLACED
                .iter()
                .any(|(placed, homes)| name == *placed && !homes.contains(&crate_path.as_str()))
                || OF_THE_GATEWAY.contains(&name.as_str()) && !in_gateway && crate_path != "tests";
            if misplaced && section == "dependencies" {
                faults.push(format!(
                    "{crate_path}/Cargo.toml: {name} belongs elsewhere; `PLACED` in tests/tidy/arrows.rs lists its homes"
                ));
            }
        }
    }
    faults
}

/// Every crate of ours but the tests, with what it may depend on.
fn crates() -> BTreeMap<String, Vec<String>> {
    let mut crates: BTreeMap<String, Vec<String>> = ALLOWED
        .iter()
        .map(|(path, allowed)| ((*path).to_owned(), owned(allowed)))
        .collect();
    for (height, wing) in WINGS.iter().enumerate() {
        let mut allowed = owned(&["roost-protocol", "roost-secret-broker"]);
        allowed.extend(WINGS[..height].iter().map(|lower| format!("roost-{lower}")));
        let beside = BESIDE.iter().find(|(name, _)| name == wing);
        allowed.extend(beside.map(|(_, more)| owned(more)).unwrap_or_default());
        crates.insert(format!("gateway/{wing}"), allowed);
    }
    let mut program = owned(&[
        "roost-cli",
        "roost-protocol",
        "roost-sandbox-driver",
        "roost-secret-broker",
    ]);
    program.extend(WINGS.iter().map(|wing| format!("roost-{wing}")));
    crates.insert("gateway".to_owned(), program);
    crates
}

/// The wing whose crate is at this path.
pub fn wing_of(path: &str) -> Option<&'static str> {
    let inside = path.strip_prefix("gateway/")?;
    let folder = inside.split('/').next()?;
    WINGS.into_iter().find(|wing| *wing == folder)
}

/// Whether a file is a source of the gateway: of a wing or of the program that wires them.
pub fn is_gateway_source(path: &str) -> bool {
    path.starts_with("gateway/src/")
        || wing_of(path).is_some_and(|wing| path.starts_with(&format!("gateway/{wing}/src/")))
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The dependencies of a crate with the section of each.
fn dependencies(tree: &Tree, crate_path: &str) -> Vec<(&'static str, String)> {
    let manifest = format!("{crate_path}/Cargo.toml");
    let Some(file) = tree.files.iter().find(|file| file.path == manifest) else {
        return Vec::new();
    };
    let table: toml::Table = file.text.parse().expect("a manifest is TOML");
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|section| Some((section, table.get(section)?.as_table()?)))
        .flat_map(|(section, names)| names.keys().map(move |name| (section, name.clone())))
        .collect()
}
