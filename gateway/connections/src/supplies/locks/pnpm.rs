//! `pnpm-lock.yaml`, version 9, which pnpm 9 and later write. Its format: <https://pnpm.io/lockfile-format>.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::{Budget, Options};

use super::npm::{address, is_address, is_name, is_of_another_platform};
use super::{MOST_ENTRIES, Parsed, is_version, many};
use crate::supplies::model::{Hash, Kind, Pin};
use roost_protocol::text::clean;

/// Nodes of YAML that a file of the largest size has at most. The parser's own limit is too low for a large repository.
const MOST_NODES: usize = 2_000_000;

/// A file may consist of several of these.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    lockfile_version: String,
    packages: Option<BTreeMap<String, Package>>,
}

#[derive(Deserialize)]
struct Package {
    resolution: Resolution,
    #[serde(default)]
    os: Vec<String>,
    #[serde(default)]
    cpu: Vec<String>,
    #[serde(default)]
    libc: Vec<String>,
}

#[derive(Deserialize)]
struct Resolution {
    integrity: Option<String>,
    /// Only where it is not the one of the registry.
    tarball: Option<String>,
    /// A folder of the repository.
    directory: Option<String>,
}

/// Reads the file. Packages of this registry are pinned.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn read(text: &str, registry: &str) -> Result<Parsed, String> {
    let documents: Vec<Document> =
        serde_saphyr::from_multiple_with_options(text, options()).map_err(|error| {
            let cause = clean(&error.without_snippet().to_string(), 200);
            format!("The lock file cannot be read: {cause}. Run `pnpm install --lockfile-only`, and commit it.")
        })?;
    if documents.is_empty() {
        return Err(
            "The lock file is empty. Run `pnpm install --lockfile-only`, and commit it.".to_owned(),
        );
    }
    if let Some(old) = documents
        .iter()
        .find(|one| !is_known(&one.lockfile_version))
    {
        let version = clean(&old.lockfile_version, 20);
        return Err(format!(
            "The lock file has version {version}; version 9 is read. Run `pnpm install --lockfile-only` with pnpm 9 or 10, and \
             commit it."
        ));
    }
    let packages = documents.into_iter().filter_map(|one| one.packages);
    let packages: Vec<(String, Package)> = packages.flatten().collect();
    if packages.len() > MOST_ENTRIES {
        return Err(many());
    }
    let mut parsed = Parsed::default();
    for (key, package) in packages {
        if package.resolution.directory.is_some() || is_elsewhere(&package) {
            continue;
        }
        let shown = match key.rsplit_once('@') {
            Some((name, version)) if !name.is_empty() => format!("{name} {version}"),
            _ => key.clone(),
        };
        parsed.take(&shown, pin(&key, &package.resolution, registry).map(Some));
    }
    Ok(parsed)
}

fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_nodes = MOST_NODES;
    budget.max_events = 2 * MOST_NODES;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.with_snippet = false;
    options
}

fn is_known(version: &str) -> bool {
    version == "9" || version.starts_with("9.")
}

/// Whether pnpm does not install it in a sandbox. The images have glibc.
fn is_elsewhere(package: &Package) -> bool {
    let has_other_library =
        !package.libc.is_empty() && !package.libc.iter().any(|one| one == "glibc");
    has_other_library || is_of_another_platform(&package.os, &package.cpu)
}

fn pin(key: &str, resolution: &Resolution, registry: &str) -> Result<Pin, &'static str> {
    const FOREIGN: &str = "It is not a release of the npm registry, such as a git repository or a file. Depend on a release of it, \
         or copy it into the repository.";
    let (name, version) = key.rsplit_once('@').ok_or(FOREIGN)?;
    if !is_name(name) || !is_version(version) {
        return Err(FOREIGN);
    }
    let expected = address(registry, name, version);
    if let Some(tarball) = &resolution.tarball
        && !is_address(tarball, &expected)
    {
        return Err(
            "It does not come from the npm registry that this deployment allows (supplies.npm, supplies.npm_in_locks). Depend on \
             a release of it there, or copy it into the repository.",
        );
    }
    let integrity = resolution.integrity.as_deref().unwrap_or_default();
    let hash = Hash::integrity(integrity).ok_or(
        "The lock file has no sha512 hash of it. Remove its entry, and run `pnpm install --lockfile-only`.",
    )?;
    Ok(Pin {
        kind: Kind::Npm,
        name: name.to_owned(),
        version: version.to_owned(),
        hash,
        // pnpm asks a registry for it by this path.
        file: Some(address("registry", name, version)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplies::locks;

    const REGISTRY: &str = "https://packages.example";
    const SUM: &str = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

    fn read(packages: &str) -> Result<Parsed, String> {
        let text = format!("lockfileVersion: '9.0'\n\npackages:\n\n{packages}");
        locks::read("web/pnpm-lock.yaml", text.as_bytes(), REGISTRY)
    }

    fn entry(key: &str, more: &str) -> String {
        format!("  '{key}':\n    resolution: {{integrity: {SUM}{more}}}\n")
    }

    #[test]
    fn releases_of_the_registry_are_pinned_with_the_path_that_pnpm_asks_for() {
        let text = [
            entry("a@1.0.0", ""),
            entry(
                "@s/b@2.0.0-rc.1",
                ", tarball: https://packages.example/@s/b/-/b-2.0.0-rc.1.tgz",
            ),
            entry("mac@1.0.0", "") + "    os: [darwin]\n",
            entry("musl@1.0.0", "") + "    os: [linux]\n    libc: [musl]\n",
            entry("gnu@1.0.0", "") + "    os: [linux]\n    libc: [glibc]\n",
            "  own@file:tools/own:\n    resolution: {directory: tools/own, type: directory}\n"
                .to_owned(),
        ];
        let parsed = read(&text.concat()).unwrap();
        let files: Vec<_> = parsed
            .pins
            .iter()
            .filter_map(|pin| pin.file.as_deref())
            .collect();
        assert_eq!(
            files,
            [
                "registry/@s/b/-/b-2.0.0-rc.1.tgz",
                "registry/a/-/a-1.0.0.tgz",
                "registry/gnu/-/gnu-1.0.0.tgz"
            ]
        );
        assert_eq!(parsed.left_out, []);
    }

    #[test]
    fn entries_with_addresses_of_their_own_are_left_out_and_named() {
        let text = [
            entry("a@1.0.0", ", tarball: https://evil.example/a-1.0.0.tgz"),
            entry(
                "b@https://codeload.example/b/tar.gz/1",
                ", tarball: https://codeload.example/b/tar.gz/1",
            ),
            "  c@1.0.0:\n    resolution: {type: git, repo: git@example.com:c.git, commit: abc}\n"
                .to_owned(),
            entry("../d@1.0.0", ""),
            entry("e@1/../../2", ""),
            entry("f@1.0.0", "").replace("sha512", "sha1"),
        ];
        let parsed = read(&text.concat()).unwrap();
        assert_eq!(parsed.pins, []);
        assert_eq!(parsed.left_out.len(), 6, "{:?}", parsed.left_out);
    }

    #[test]
    fn two_documents_are_read_as_one() {
        let text = format!(
            "---\nlockfileVersion: '9.0'\npackages:\n{}---\nlockfileVersion: '9.0'\nimporters:\n  .: {{}}\npackages:\n{}",
            entry("a@1.0.0", ""),
            entry("b@1.0.0", "")
        );
        let parsed = locks::read("pnpm-lock.yaml", text.as_bytes(), REGISTRY).unwrap();
        assert_eq!(parsed.pins.len(), 2);
    }

    #[test]
    fn older_damaged_and_hostile_files_are_refused_with_a_reason() {
        let aliases = "lockfileVersion: '9.0'\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c \
                       [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f \
                       [*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f]\npackages: [*g,*g,*g,*g,*g,*g,*g]\n";
        let deep = format!("lockfileVersion: '9.0'\npackages: {}", "[".repeat(100_000));
        for (text, says) in [
            ("lockfileVersion: 5.4\npackages: {}\n", "version 5.4"),
            ("lockfileVersion: '6.0'\n", "pnpm 9 or 10"),
            ("lockfileVersion: '9.0'\npackages: [", "cannot be read"),
            ("", "is empty"),
            (aliases, "cannot be read"),
            (&deep, "cannot be read"),
        ] {
            let why = locks::read("pnpm-lock.yaml", text.as_bytes(), REGISTRY);
            let why = why.map(|_| ()).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }

    #[test]
    fn number_of_packages_is_refused_by_our_limit_and_not_by_the_one_of_the_parser() {
        let entries: String = (0..=MOST_ENTRIES)
            .map(|n| entry(&format!("p{n}@1.0.0"), ""))
            .collect();
        assert!(read(&entries).unwrap_err().contains("the limit"));
    }
}
