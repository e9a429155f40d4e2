//! Lock files: pure parsers within bounds.

mod cargo;
mod go;
mod npm;
mod pnpm;
mod python;

use std::collections::BTreeMap;

use super::model::{Kind, LeftOut, Pin, Release, Wish};

const PNPM: &str = "pnpm-lock.yaml";
/// The names of lock files.
pub(crate) const NAMES: [&str; 8] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    PNPM,
    "requirements.txt",
    "uv.lock",
    "poetry.lock",
    "go.sum",
];
/// Most lock files of a repository.
pub(crate) const MOST_FILES: u32 = 16;
/// Most bytes of a lock file.
pub(crate) const MOST_LOCK: u64 = 8 << 20;
/// Most entries of a lock file.
const MOST_ENTRIES: usize = 20_000;

/// What a lock file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub pins: Vec<Pin>,
    pub releases: Vec<Release>,
    pub left_out: Vec<LeftOut>,
}

impl Parsed {
    /// Takes an entry: its pin, the reason why it is left out, or neither for a part of the repository itself.
    fn take<W: Into<String>>(&mut self, shown: &str, read: Result<Option<Pin>, W>) {
        match read {
            Ok(pin) => self.pins.extend(pin),
            Err(why) => self.left_out.push(LeftOut::new(shown, why)),
        }
    }

    /// Everything that can be supplied.
    pub fn wishes(&mut self) -> Vec<Wish> {
        let pins = self.pins.drain(..).map(Wish::Pin);
        pins.chain(self.releases.drain(..).map(Wish::Release))
            .collect()
    }
}

/// The names of the lock files that are read, for people.
pub(crate) fn readable() -> String {
    NAMES.join(", ")
}

/// The kind of a lock file, by its path.
pub(crate) fn kind(path: &str) -> Option<Kind> {
    match path.rsplit('/').next().unwrap_or_default() {
        "Cargo.lock" => Some(Kind::Cargo),
        "package-lock.json" | "npm-shrinkwrap.json" | PNPM => Some(Kind::Npm),
        "requirements.txt" | "uv.lock" | "poetry.lock" => Some(Kind::Python),
        "go.sum" => Some(Kind::Go),
        _ => None,
    }
}

/// Reads the lock file at this path. `npm` is how lock files name the npm registry that the operator allows.
///
/// # Errors
/// Why it cannot be read, as a sentence that says what to do.
pub(super) fn read(path: &str, content: &[u8], npm: &str) -> Result<Parsed, String> {
    if content.len() as u64 > MOST_LOCK {
        return Err(too_large(content.len() as u64));
    }
    let text = std::str::from_utf8(content).map_err(|_| {
        "The lock file is not valid UTF-8. Make it again, and commit it.".to_owned()
    })?;
    let parsed = match path.rsplit('/').next().unwrap_or_default() {
        PNPM => pnpm::read(text, npm)?,
        "Cargo.lock" => cargo::read(text)?,
        "go.sum" => go::read(text)?,
        "requirements.txt" => python::requirements(text)?,
        "uv.lock" => python::uv(text)?,
        "poetry.lock" => python::poetry(text)?,
        _ => npm::read(text, npm)?,
    };
    Ok(once(parsed))
}

/// The sentence about a lock file that is not read.
pub(super) fn too_large(bytes: u64) -> String {
    format!(
        "The lock file has {} MiB. Lock files up to {} MiB are read, and at most {MOST_FILES} of a repository.",
        bytes >> 20,
        MOST_LOCK >> 20
    )
}

/// Each pin once. A package that is pinned to two hashes is left out.
fn once(parsed: Parsed) -> Parsed {
    let Parsed {
        pins,
        releases,
        mut left_out,
    } = parsed;
    let mut found: BTreeMap<(String, String), Option<Pin>> = BTreeMap::new();
    for pin in pins {
        let key = (pin.name.clone(), pin.version.clone());
        let known = found.entry(key).or_insert_with(|| Some(pin.clone()));
        if known.as_ref().is_some_and(|known| *known != pin) {
            left_out.push(LeftOut::new(
                &format!("{} {}", pin.name, pin.version),
                "The lock file pins it to two different hashes. Make the lock file again.",
            ));
            *known = None;
        }
    }
    Parsed {
        pins: found.into_values().flatten().collect(),
        releases,
        left_out,
    }
}

/// A version as the registries of Rust, npm and Go write it. Go has a letter before it.
fn is_version(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_digit())
        && !text.contains("..")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
}

fn many() -> String {
    format!("The lock file has more than {MOST_ENTRIES} entries, which is the limit.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_a_kind_and_others_have_none() {
        assert!(NAMES.iter().all(|name| kind(name).is_some()));
        assert_eq!(kind("yarn.lock"), None);
    }
}
