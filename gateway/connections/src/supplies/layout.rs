//! How packages lie in a sandbox: an offline source for each package manager, outside of the checkout.
//!
//! The fixed program `scripts/supply.py` of the checkouts unpacks it. The first line of its input lists the files; their
//! bytes follow in that order.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::gather::Gathered;
use super::go;
use super::model::{Hash, Kind, Pin};

/// The folder in the sandbox. Snapshots leave it out.
const FOLDER: &str = "/workspace/.supplies";

/// A file that goes into the sandbox.
#[derive(Debug, Serialize)]
struct Item {
    /// Relative to the folder of supplies.
    to: String,
    /// `crate`: it is unpacked there. `file`: it is written there.
    how: &'static str,
    bytes: u64,
    sha256: String,
}

/// Everything that goes into the sandbox.
pub(crate) struct Layout {
    /// Changes when the content changes.
    pub stamp: String,
    /// The first line.
    pub head: Vec<u8>,
    pub contents: Vec<Vec<u8>>,
}

/// Lays the packages out. `None` when there are none.
///
/// # Errors
/// When the disk refuses.
pub(crate) async fn laid_out(gathered: &Gathered) -> std::io::Result<Option<Layout>> {
    let (mut items, mut contents) = (Vec::new(), Vec::new());
    for pin in &gathered.pins {
        let Some(content) = gathered.content(pin).await? else {
            continue;
        };
        items.push(item(place(pin), &content));
        contents.push(content);
    }
    for (path, pins) in &gathered.by_lock {
        let Some(place) = requirements_place(path).filter(|_| !pins.is_empty()) else {
            continue;
        };
        let content = requirements(pins).into_bytes();
        items.push(item((place, "file"), &content));
        contents.push(content);
    }
    for (place, text) in go::index(&gathered.pins) {
        let content = text.into_bytes();
        items.push(item((format!("go/{place}"), "file"), &content));
        contents.push(content);
    }
    if items.is_empty() {
        return Ok(None);
    }
    let head = json!({ "items": items, "settings": settings(&gathered.pins) }).to_string();
    Ok(Some(Layout {
        stamp: hex::encode(Sha256::digest(head.as_bytes())),
        head: format!("{head}\n").into_bytes(),
        contents,
    }))
}

/// Where a package goes, and how.
fn place(pin: &Pin) -> (String, &'static str) {
    let (name, version) = (&pin.name, &pin.version);
    match pin.kind {
        Kind::Cargo => (format!("cargo/{name}-{version}"), "crate"),
        // npm finds a package in its cache by the hash of the lock file, and pnpm asks a registry by path.
        Kind::Npm => match &pin.file {
            Some(file) => (format!("npm/{file}"), "file"),
            None => (npm_place(pin), "file"),
        },
        // pip and uv read the names of the files in a folder.
        Kind::Python => {
            let file = pin.file.as_deref().unwrap_or_default();
            (format!("python/{file}"), "file")
        }
        Kind::Go => (format!("go/{}", go::place(name, version)), "file"),
    }
}

fn item((to, how): (String, &'static str), content: &[u8]) -> Item {
    Item {
        to,
        how,
        bytes: content.len() as u64,
        sha256: hex::encode(Sha256::digest(content)),
    }
}

fn npm_place(pin: &Pin) -> String {
    let hash = match &pin.hash {
        Hash::Sha256(bytes) | Hash::GoZip(bytes) | Hash::GoMod(bytes) => hex::encode(bytes),
        Hash::Sha512(bytes) => hex::encode(bytes),
    };
    let (first, rest) = hash.split_at(2);
    let (second, rest) = rest.split_at(2);
    format!("npm/_cacache/content-v2/sha512/{first}/{second}/{rest}")
}

/// Where pip finds the packages of a lock file that it cannot read itself.
fn requirements_place(path: &str) -> Option<String> {
    let is_foreign = path.ends_with("uv.lock") || path.ends_with("poetry.lock");
    let is_plain = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let is_text = !path.contains(|one: char| one.is_control() || one == '\'');
    (is_foreign && is_plain && is_text).then(|| format!("python/locks/{path}.txt"))
}

/// The packages as pip reads them. A lock file with several versions of a package says elsewhere when each is used.
fn requirements(pins: &BTreeSet<Pin>) -> String {
    let mut text = "# Written by Roost: the packages of a lock file.\n".to_owned();
    for Pin {
        name,
        version,
        hash,
        ..
    } in pins
    {
        let Hash::Sha256(sum) = hash else {
            continue;
        };
        let is_one_of_several = pins.iter().filter(|pin| pin.name == *name).count() > 1;
        let start = if is_one_of_several {
            "# one of several versions: "
        } else {
            ""
        };
        text.push_str(&format!(
            "{start}{name}=={version} --hash=sha256:{}\n",
            hex::encode(sum)
        ));
    }
    text
}

/// How the packages of a lock file are used, for the agent. Empty where the package manager needs no other command.
pub(crate) fn use_words(path: &str) -> String {
    // Outside of the checkout.
    let pip = "python3 -m venv /workspace/.venv && /workspace/.venv/bin/pip install";
    match (
        path.rsplit('/').next().unwrap_or_default(),
        requirements_place(path),
    ) {
        ("requirements.txt", _) if !path.contains('\'') => {
            format!("Install them with `{pip} -r '{path}'`.")
        }
        ("pnpm-lock.yaml", _) => "Install them with `pnpm install --frozen-lockfile`.".to_owned(),
        (_, Some(place)) => format!("Install them with `{pip} --no-deps -r '{FOLDER}/{place}'`."),
        _ => String::new(),
    }
}

/// The settings of the package managers: paths below the home folder, and their texts.
fn settings(pins: &BTreeSet<Pin>) -> Vec<(&'static str, String)> {
    let has = |kind| pins.iter().any(|pin| pin.kind == kind);
    let mut found = Vec::new();
    if has(Kind::Cargo) {
        let text = format!(
            "# Written by Roost: packages of the lock files.\n[source.crates-io]\nreplace-with = \"roost-supplies\"\n\n\
             [source.roost-supplies]\ndirectory = \"{FOLDER}/cargo\"\n\n[net]\noffline = true\n"
        );
        found.push((".cargo/config.toml", text));
    }
    // pnpm would read it too, and the program that starts pnpm has the settings for it.
    if pins
        .iter()
        .any(|pin| pin.kind == Kind::Npm && pin.file.is_none())
    {
        let text = format!(
            "# Written by Roost: packages of the lock files.\ncache={FOLDER}/npm\noffline=true\naudit=false\nfund=false\n\
             update-notifier=false\n"
        );
        found.push((".npmrc", text));
    }
    if has(Kind::Python) {
        let text = format!(
            "# Written by Roost: packages of the lock files.\n[global]\nno-index = true\nfind-links = {FOLDER}/python\n\
             disable-pip-version-check = true\n"
        );
        found.push((".config/pip/pip.conf", text));
        let text = format!(
            "# Written by Roost: packages of the lock files.\noffline = true\nno-index = true\nfind-links = \
             [\"{FOLDER}/python\"]\n"
        );
        found.push((".config/uv/uv.toml", text));
    }
    if has(Kind::Go) {
        // go.sum has the hashes, so the database of hashes is not needed. Nor may Go load another Go.
        let text = format!(
            "# Written by Roost: packages of the lock files.\nGOPROXY=file://{FOLDER}/go\nGOSUMDB=off\nGOTOOLCHAIN=local\n"
        );
        found.push((".config/go/env", text));
    }
    found
}
