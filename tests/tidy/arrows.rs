//! Which crate may depend on which, read from the manifests.
use crate::tree::Tree;

/// Our crates and what each may depend on. `tests` may depend on all.
const ALLOWED: [(&str, &[&str]); 8] = [
    ("protocol", &[]),
    ("migrations", &[]),
    ("sandbox-driver", &["roost-protocol"]),
    ("sandbox-driver/guest", &["roost-protocol"]),
    ("node-daemon", &["roost-protocol", "roost-sandbox-driver"]),
    (
        "gateway",
        &[
            "roost-cli",
            "roost-protocol",
            "roost-sandbox-driver",
            "roost-secret-broker",
            "roost-migrations",
        ],
    ),
    ("gateway/cli", &["roost-protocol"]),
    ("gateway/secret-broker", &[]),
];

/// Crates that only some of ours may name: the engine in the driver, web and tables in the gateway.
const PLACED: [(&str, &[&str]); 6] = [
    ("bollard", &["sandbox-driver"]),
    // The tests fake third parties at the wire.
    ("axum", &["gateway", "tests"]),
    ("sea-orm", &["gateway", "tests"]),
    ("sea-orm-migration", &["migrations"]),
    ("sysinfo", &["node-daemon"]),
    ("ractor", &["gateway"]),
];

/// The protocol does no I/O.
const NO_IO: [&str; 4] = ["tokio", "reqwest", "hyper", "rustix"];

/// Dependencies between our crates that go against the arrows.
pub fn faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for (crate_path, allowed) in ALLOWED {
        for name in dependencies(
            tree,
            crate_path,
            &["dependencies", "dev-dependencies", "build-dependencies"],
        ) {
            if name.starts_with("roost-") && !allowed.contains(&name.as_str()) {
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
    for (crate_path, _) in ALLOWED.iter().chain(&[("tests", &[] as &[&str])]) {
        for name in dependencies(tree, crate_path, &["dependencies"]) {
            for (placed, homes) in PLACED {
                if name == placed && !homes.contains(crate_path) {
                    faults.push(format!(
                        "{crate_path}/Cargo.toml: {placed} belongs to {homes:?} only"
                    ));
                }
            }
        }
    }
    faults
}

fn dependencies(tree: &Tree, crate_path: &str, sections: &[&str]) -> Vec<String> {
    let manifest = format!("{crate_path}/Cargo.toml");
    let Some(file) = tree.files.iter().find(|file| file.path == manifest) else {
        return Vec::new();
    };
    let table: toml::Table = file.text.parse().expect("a manifest is TOML");
    sections
        .iter()
        .filter_map(|section| table.get(*section).and_then(toml::Value::as_table))
        .flat_map(|section| section.keys().cloned())
        .collect()
}
