//! `package-lock.json`, versions 2 and 3.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use super::{MOST_ENTRIES, Parsed, is_version, many};
use crate::supplies::model::{Hash, Kind, Pin};
use roost_protocol::text::clean;

const FOLDER: &str = "node_modules/";

#[derive(Deserialize)]
struct Lock {
    packages: Option<BTreeMap<String, Package>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    /// Where it differs from the folder.
    name: Option<String>,
    version: Option<String>,
    resolved: Option<String>,
    integrity: Option<String>,
    #[serde(default)]
    link: bool,
    /// It comes inside of another package.
    #[serde(default)]
    in_bundle: bool,
    #[serde(default)]
    os: Vec<String>,
    #[serde(default)]
    cpu: Vec<String>,
}

/// Reads the file. Packages of this registry are pinned.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn read(text: &str, registry: &str) -> Result<Parsed, String> {
    let lock: Lock = serde_json::from_str(text).map_err(|error| {
        let cause = clean(&error.to_string(), 200);
        format!("The lock file cannot be read: {cause}. Run `npm install --package-lock-only`, and commit it.")
    })?;
    let packages = lock.packages.ok_or(
        "The lock file has version 1. Run `npm install --package-lock-only` with npm 7 or later, and commit it.",
    )?;
    if packages.len() > MOST_ENTRIES {
        return Err(many());
    }
    let mut parsed = Parsed::default();
    for (place, package) in packages {
        // The repository's own packages are not in that folder.
        let Some((_, folder)) = place.rsplit_once(FOLDER) else {
            continue;
        };
        if package.link || package.in_bundle || is_of_another_platform(&package.os, &package.cpu) {
            continue;
        }
        let name = package.name.clone().unwrap_or_else(|| folder.to_owned());
        let version = package.version.clone().unwrap_or_default();
        let shown = format!("{name} {version}");
        let pin = hash(&name, &version, &package, registry).map(|hash| Pin {
            kind: Kind::Npm,
            name,
            version,
            hash,
            file: None,
        });
        parsed.take(&shown, pin.map(Some));
    }
    Ok(parsed)
}

fn hash(
    name: &str,
    version: &str,
    package: &Package,
    registry: &str,
) -> Result<Hash, &'static str> {
    if !is_name(name) || !is_version(version) {
        return Err(
            "Its name or version is not one of the npm registry. Make the lock file again.",
        );
    }
    let Some(resolved) = &package.resolved else {
        return Err(
            "The lock file does not say that it comes from the npm registry. Set omit-lockfile-registry-resolved to false, \
             and make the lock file again.",
        );
    };
    if !is_address(resolved, &address(registry, name, version)) {
        return Err(
            "It does not come from the npm registry that this deployment allows (supplies.npm, supplies.npm_in_locks). Depend on \
             a release of it there, or copy it into the repository.",
        );
    }
    let integrity = package.integrity.as_deref().unwrap_or_default();
    Hash::integrity(integrity).ok_or(
        "The lock file has no sha512 hash of it. Remove its entry, and run `npm install --package-lock-only`.",
    )
}

/// Where a registry has a release.
pub(super) fn address(registry: &str, name: &str, version: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    format!("{registry}/{name}/-/{last}-{version}.tgz")
}

/// Whether it is the expected address. An address may be written in several ways.
pub(super) fn is_address(text: &str, expected: &str) -> bool {
    Url::parse(text).is_ok_and(|url| Url::parse(expected) == Ok(url))
}

/// Whether it is not installed on Linux, or only on processors that no machine of Roost has.
pub(super) fn is_of_another_platform(os: &[String], cpu: &[String]) -> bool {
    let fits = |list: &[String], ours: &[&str]| {
        let mut positive = list.iter().filter(|word| !word.starts_with('!')).peekable();
        let is_excluded = ours
            .iter()
            .all(|ours| list.iter().any(|word| word.strip_prefix('!') == Some(ours)));
        let is_named =
            positive.peek().is_none() || positive.any(|word| ours.contains(&word.as_str()));
        !is_excluded && is_named
    };
    !fits(os, &["linux"]) || !fits(cpu, &["x64", "arm64"])
}

pub(super) fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
    };
    let name = match text.strip_prefix('@').map(|rest| rest.split_once('/')) {
        None => is_part(text),
        Some(Some((scope, name))) => is_part(scope) && is_part(name),
        Some(None) => false,
    };
    name && text.len() <= 214
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplies::locks;

    const REGISTRY: &str = "https://packages.example";
    const SUM: &str = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

    fn read(packages: &str) -> Parsed {
        let text = format!("{{\"lockfileVersion\": 3, \"packages\": {{{packages}}}}}");
        locks::read("package-lock.json", text.as_bytes(), REGISTRY).unwrap()
    }

    fn entry(place: &str, resolved: &str, more: &str) -> String {
        format!(
            "\"{place}\": {{\"version\": \"1.0.0\", \"resolved\": \"{resolved}\", \"integrity\": \"{SUM}\"{more}}}"
        )
    }

    fn names(parsed: &Parsed) -> Vec<&str> {
        parsed.pins.iter().map(|pin| pin.name.as_str()).collect()
    }

    #[test]
    fn lock_file_of_the_page_is_read() {
        let text = include_bytes!("../../../../ui/package-lock.json");
        let parsed = locks::read("package-lock.json", text, REGISTRY).unwrap();
        let all = parsed.pins.len() + parsed.left_out.len();
        assert!(all > 100, "{all}");
    }

    #[test]
    fn packages_of_the_registry_are_pinned_also_under_another_name() {
        let text = [
            "\"\": {\"name\": \"mine\"}".to_owned(),
            "\"tools/own\": {\"version\": \"1.0.0\"}".to_owned(),
            "\"node_modules/own\": {\"resolved\": \"tools/own\", \"link\": true}".to_owned(),
            entry(
                "node_modules/a",
                "https://packages.example/a/-/a-1.0.0.tgz",
                "",
            ),
            entry(
                "node_modules/b/node_modules/a",
                "https://packages.example/a/-/a-1.0.0.tgz",
                "",
            ),
            entry(
                "node_modules/@s/b",
                "https://packages.example/@s/b/-/b-1.0.0.tgz",
                "",
            ),
            entry(
                "node_modules/alias",
                "https://packages.example/c/-/c-1.0.0.tgz",
                ", \"name\": \"c\"",
            ),
            entry(
                "node_modules/mac",
                "https://packages.example/mac/-/mac-1.0.0.tgz",
                ", \"os\": [\"darwin\"]",
            ),
            entry(
                "node_modules/win",
                "https://packages.example/win/-/win-1.0.0.tgz",
                ", \"os\": [\"!linux\"]",
            ),
            entry(
                "node_modules/arm",
                "https://packages.example/arm/-/arm-1.0.0.tgz",
                ", \"cpu\": [\"arm64\"]",
            ),
            entry(
                "node_modules/ppc",
                "https://packages.example/ppc/-/ppc-1.0.0.tgz",
                ", \"cpu\": [\"ppc64\"]",
            ),
        ];
        let parsed = read(&text.join(","));
        assert_eq!(names(&parsed), ["@s/b", "a", "arm", "c"]);
        assert_eq!(parsed.left_out, []);
    }

    #[test]
    fn entries_with_addresses_of_their_own_are_left_out_and_named() {
        let text = [
            entry("node_modules/a", "https://evil.example/a/-/a-1.0.0.tgz", ""),
            entry("node_modules/b", "git+ssh://git@example.com/b.git#1", ""),
            entry(
                "node_modules/c",
                "https://packages.example/other/-/other-1.0.0.tgz",
                "",
            ),
            entry("node_modules/d", "file:../d.tgz", ""),
            "\"node_modules/e\": {\"version\": \"1.0.0\"}".to_owned(),
            entry(
                "node_modules/../f",
                "https://packages.example/../f/-/f-1.0.0.tgz",
                "",
            ),
            entry(
                "node_modules/g",
                "https://packages.example/g/-/g-1.0.0.tgz",
                "",
            )
            .replace("sha512", "sha1"),
        ];
        let parsed = read(&text.join(","));
        assert_eq!(names(&parsed), [""; 0]);
        assert_eq!(parsed.left_out.len(), 7, "{:?}", parsed.left_out);
    }

    #[test]
    fn file_of_version_one_or_that_is_damaged_is_refused_with_a_reason() {
        let error = locks::read(
            "package-lock.json",
            b"{\"lockfileVersion\": 1, \"dependencies\": {}}",
            REGISTRY,
        )
        .unwrap_err();
        assert!(error.contains("version 1"), "{error}");
        let error = locks::read("package-lock.json", b"{\"packages\": ", REGISTRY).unwrap_err();
        assert!(error.contains("cannot be read"), "{error}");
    }
}
