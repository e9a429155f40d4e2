//! How packages lie in a sandbox: an offline source for each package manager, outside of the checkout.
//!
//! The fixed program `scripts/supply.py` of the checkouts unpacks it. The first line of its input lists the files; their
//! bytes follow in that order.

use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::gather::Gathered;
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
        items.push(item(pin, &content));
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

fn item(pin: &Pin, content: &[u8]) -> Item {
    let (to, how) = match pin.kind {
        Kind::Cargo => (format!("cargo/{}-{}", pin.name, pin.version), "crate"),
        // npm finds a package in its cache by the hash of the lock file.
        Kind::Npm => (npm_place(pin), "file"),
    };
    Item {
        to,
        how,
        bytes: content.len() as u64,
        sha256: hex::encode(Sha256::digest(content)),
    }
}

fn npm_place(pin: &Pin) -> String {
    let hash = match &pin.hash {
        Hash::Sha256(bytes) => hex::encode(bytes),
        Hash::Sha512(bytes) => hex::encode(bytes),
    };
    let (first, rest) = hash.split_at(2);
    let (second, rest) = rest.split_at(2);
    format!("npm/_cacache/content-v2/sha512/{first}/{second}/{rest}")
}

/// The settings of the package managers: paths below the home folder, and their texts.
fn settings(pins: &std::collections::BTreeSet<Pin>) -> Vec<(&'static str, String)> {
    let has = |kind| pins.iter().any(|pin| pin.kind == kind);
    let mut found = Vec::new();
    if has(Kind::Cargo) {
        let text = format!(
            "# Written by Roost: packages of the lock files.\n[source.crates-io]\nreplace-with = \"roost-supplies\"\n\n\
             [source.roost-supplies]\ndirectory = \"{FOLDER}/cargo\"\n\n[net]\noffline = true\n"
        );
        found.push((".cargo/config.toml", text));
    }
    if has(Kind::Npm) {
        let text = format!(
            "# Written by Roost: packages of the lock files.\ncache={FOLDER}/npm\noffline=true\naudit=false\nfund=false\n\
             update-notifier=false\n"
        );
        found.push((".npmrc", text));
    }
    found
}
