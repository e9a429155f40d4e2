//! `Cargo.lock`, versions 2 to 4.

use serde::Deserialize;

use super::{MOST_ENTRIES, Parsed, is_version, many};
use crate::supplies::model::{Hash, Kind, Pin};
use roost_protocol::text::clean;

/// The names of crates.io in lock files.
const CRATES_IO: [&str; 2] = [
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io/",
];

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
}

/// Reads the file.
///
/// # Errors
/// Why it cannot be read, as a sentence.
pub(super) fn read(text: &str) -> Result<Parsed, String> {
    let lock: Lock = toml::from_str(text).map_err(|error| {
        let cause = clean(error.message(), 200);
        format!(
            "The lock file cannot be read: {cause}. Run `cargo generate-lockfile`, and commit it."
        )
    })?;
    if lock.package.len() > MOST_ENTRIES {
        return Err(many());
    }
    let mut parsed = Parsed::default();
    for package in lock.package {
        let shown = format!("{} {}", package.name, package.version);
        parsed.take(&shown, pin(package));
    }
    Ok(parsed)
}

/// The pin of an entry; `None` for a part of the repository itself.
fn pin(package: Package) -> Result<Option<Pin>, String> {
    let Some(source) = package.source else {
        return Ok(None);
    };
    if source.starts_with("git+") {
        return Err(
            "It comes from a git repository, and only registries are used. Copy it into the repository, or depend on a \
             release of it."
                .to_owned(),
        );
    }
    if !CRATES_IO.contains(&source.as_str()) {
        return Err(
            "It comes from another registry than crates.io. Copy it into the repository with `cargo vendor`.".to_owned(),
        );
    }
    if !is_name(&package.name) || !is_version(&package.version) {
        return Err(
            "Its name or version is not one of crates.io. Make the lock file again.".to_owned(),
        );
    }
    let hash = package.checksum.as_deref().and_then(Hash::sha256);
    let hash =
        hash.ok_or("The lock file has no valid checksum of it. Make the lock file again.")?;
    Ok(Some(Pin {
        kind: Kind::Cargo,
        name: package.name,
        version: package.version,
        hash,
        file: None,
    }))
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplies::locks;

    const SUM: &str = "3e04e2fd2b8188ea827b32ef11de88377086d690286ab35747ef7f9bf3ccb590";

    fn entry(name: &str, source: &str, checksum: &str) -> String {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n{checksum}\n"
        )
    }

    fn read(text: &str) -> Parsed {
        locks::read("Cargo.lock", text.as_bytes(), "").unwrap()
    }

    #[test]
    fn lock_file_of_roost_itself_is_read() {
        let parsed = read(include_str!("../../../../../Cargo.lock"));
        assert!(parsed.pins.len() > 400, "{}", parsed.pins.len());
        assert_eq!(parsed.left_out, []);
        assert!(parsed.pins.iter().any(|pin| pin.name == "serde_json"));
        assert!(!parsed.pins.iter().any(|pin| pin.name == "roost-gateway"));
    }

    #[test]
    fn entries_with_addresses_of_their_own_are_left_out_and_named() {
        let sum = format!("checksum = \"{SUM}\"");
        let text = [
            entry("a", "git+https://evil.example/a?rev=1#1", ""),
            entry("b", "registry+https://registry.evil.example/index", &sum),
            entry("c", "sparse+https://index.crates.io/", &sum),
            entry("../d", CRATES_IO[0], &sum),
            entry("e", CRATES_IO[0], ""),
            entry("f", CRATES_IO[0], "checksum = \"00\""),
        ];
        let parsed = read(&text.concat());
        let names: Vec<&str> = parsed.pins.iter().map(|pin| pin.name.as_str()).collect();
        assert_eq!(names, ["c"]);
        let left: Vec<&str> = parsed
            .left_out
            .iter()
            .map(|left| left.name.as_str())
            .collect();
        assert_eq!(
            left,
            ["a 1.0.0", "b 1.0.0", "../d 1.0.0", "e 1.0.0", "f 1.0.0"]
        );
        assert!(parsed.left_out[0].why.contains("git repository"));
        assert!(parsed.left_out[1].why.contains("another registry"));
    }

    #[test]
    fn package_that_is_named_twice_is_one_pin_and_two_hashes_are_refused() {
        let sum = |sum: &str| format!("checksum = \"{sum}\"");
        let one = entry("a", CRATES_IO[0], &sum(SUM));
        let parsed = read(&[one.clone(), one.clone()].concat());
        assert_eq!((parsed.pins.len(), parsed.left_out.len()), (1, 0));
        let other = entry("a", CRATES_IO[0], &sum(&SUM.replace('3', "4")));
        let parsed = read(&[one, other].concat());
        assert_eq!((parsed.pins.len(), parsed.left_out.len()), (0, 1));
        assert!(parsed.left_out[0].why.contains("two different hashes"));
    }

    #[test]
    fn file_that_is_too_large_or_not_text_is_refused_with_a_reason() {
        let error = locks::read("Cargo.lock", &vec![b' '; 50 << 20], "").unwrap_err();
        assert!(error.contains("50 MiB"), "{error}");
        let error = locks::read("Cargo.lock", b"name = \"\xff\"", "").unwrap_err();
        assert!(error.contains("UTF-8"), "{error}");
        let error = locks::read("Cargo.lock", b"[[package]]\nname = 1", "").unwrap_err();
        assert!(error.contains("cannot be read"), "{error}");
        let entries = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n".repeat(MOST_ENTRIES + 1);
        let error = locks::read("Cargo.lock", entries.as_bytes(), "").unwrap_err();
        assert!(error.contains("20000 entries"), "{error}");
    }
}
