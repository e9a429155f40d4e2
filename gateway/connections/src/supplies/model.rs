//! Pure types and rules of supplies: pins, hashes, and the report of a lock file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256, Sha512};

use super::go;

/// Most entries of a lock file that a report names. The rest is counted.
pub(super) const MOST_NAMED: usize = 50;

/// A kind of package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Cargo,
    Npm,
    Python,
    Go,
}

impl Kind {
    /// The word in rows and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Python => "python",
            Self::Go => "go",
        }
    }

    /// The key of its registry in the settings.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Cargo => "supplies.crates",
            Self::Npm => "supplies.npm",
            Self::Python => "supplies.pypi",
            Self::Go => "supplies.go",
        }
    }
}

/// The hash that a lock file pins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Hash {
    Sha256([u8; 32]),
    Sha512([u8; 64]),
    /// Go's sum of the files in the archive of a module.
    GoZip([u8; 32]),
    /// Go's sum of a `go.mod`.
    GoMod([u8; 32]),
}

impl Hash {
    /// From hexadecimal digits.
    pub fn sha256(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self::Sha256(bytes))
    }

    /// From the form of `integrity`: `sha512-<base64>`, perhaps beside weaker hashes.
    pub fn integrity(text: &str) -> Option<Self> {
        let found = text
            .split_ascii_whitespace()
            .find_map(|part| part.strip_prefix("sha512-"))?;
        let bytes = BASE64.decode(found).ok()?;
        Some(Self::Sha512(bytes.try_into().ok()?))
    }

    /// Whether the content has this hash.
    pub fn fits(&self, content: &[u8]) -> bool {
        match self {
            Self::Sha256(wanted) => Sha256::digest(content).as_slice() == wanted,
            Self::Sha512(wanted) => Sha512::digest(content).as_slice() == wanted,
            Self::GoZip(wanted) => go::zip_sum(content).as_ref() == Some(wanted),
            Self::GoMod(wanted) => go::mod_sum(content) == *wanted,
        }
    }

    /// Its name in the store.
    pub fn key(&self) -> String {
        match self {
            Self::Sha256(bytes) => format!("sha256-{}", hex::encode(bytes)),
            Self::Sha512(bytes) => format!("sha512-{}", hex::encode(bytes)),
            Self::GoZip(bytes) => format!("go-zip-{}", hex::encode(bytes)),
            Self::GoMod(bytes) => format!("go-mod-{}", hex::encode(bytes)),
        }
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.key()
    }
}

impl TryFrom<String> for Hash {
    type Error = String;

    fn try_from(key: String) -> Result<Self, String> {
        let bytes = |text: &str| {
            let mut bytes = [0; 32];
            hex::decode_to_slice(text, &mut bytes).ok().map(|()| bytes)
        };
        let found = match key.rsplit_once('-') {
            Some(("sha256", text)) => bytes(text).map(Self::Sha256),
            Some(("sha512", text)) => {
                let mut bytes = [0; 64];
                let done = hex::decode_to_slice(text, &mut bytes).ok();
                done.map(|()| Self::Sha512(bytes))
            }
            Some(("go-zip", text)) => bytes(text).map(Self::GoZip),
            Some(("go-mod", text)) => bytes(text).map(Self::GoMod),
            _ => None,
        };
        found.ok_or_else(|| format!("{key} is not a hash"))
    }
}

/// A package that a lock file pins. Name and version contain only characters that a path may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pin {
    pub kind: Kind,
    pub name: String,
    pub version: String,
    pub hash: Hash,
    /// The name of its file, where the package manager reads it. Like the name, it contains only characters of a path.
    pub file: Option<String>,
}

/// A release of Python's index. Its lock file pins several files, and a sandbox needs one of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Release {
    pub name: String,
    pub version: String,
    /// Each with its name, if the lock file has one.
    pub files: Vec<(Hash, Option<String>)>,
}

/// What a lock file wants.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wish {
    Pin(Pin),
    Release(Release),
}

impl Wish {
    /// Name and version.
    pub fn package(&self) -> (&str, &str) {
        match self {
            Self::Pin(Pin { name, version, .. }) | Self::Release(Release { name, version, .. }) => {
                (name, version)
            }
        }
    }

    /// The hashes that its content may have.
    pub fn hashes(&self) -> impl Iterator<Item = &Hash> {
        let (one, several) = match self {
            Self::Pin(pin) => (Some(&pin.hash), &[][..]),
            Self::Release(release) => (None, release.files.as_slice()),
        };
        one.into_iter().chain(several.iter().map(|(hash, _)| hash))
    }

    /// For people.
    pub fn shown(&self) -> String {
        let (name, version) = self.package();
        format!("{name} {version}")
    }
}

/// An entry of a lock file that is not supplied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub name: String,
    /// A sentence that says what to do.
    pub why: String,
}

impl LeftOut {
    pub fn new(name: &str, why: impl Into<String>) -> Self {
        Self {
            name: roost_protocol::text::clean(name, 200),
            why: why.into(),
        }
    }
}

/// How far a lock file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Fetching,
    Done,
    /// Nothing of it was fetched, for the reason of the report.
    Failed,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetching => "fetching",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// What became of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The lock file's path in the repository.
    pub path: String,
    pub kind: Kind,
    pub state: State,
    /// Packages that it pins and that can be supplied.
    pub wanted: u64,
    /// Of these: loaded from the registry.
    pub fetched: u64,
    /// Of these: found in the workspace's store.
    pub stored: u64,
    /// Bytes of the packages that are there.
    pub bytes: u64,
    /// At most [`MOST_NAMED`].
    pub left_out: Vec<LeftOut>,
    /// How many are left out.
    pub left_out_count: u64,
    /// Why nothing, or not all, came.
    pub why: Option<String>,
    /// A registry was away, or too slow: a later try can bring more.
    pub again: bool,
}

impl Report {
    pub fn of(path: &str, kind: Kind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            state: State::Fetching,
            wanted: 0,
            fetched: 0,
            stored: 0,
            bytes: 0,
            left_out: Vec::new(),
            left_out_count: 0,
            why: None,
            again: false,
        }
    }

    /// Nothing came of this lock file.
    pub fn failed(mut self, why: impl Into<String>) -> Self {
        self.state = State::Failed;
        self.why = Some(why.into());
        self
    }

    pub fn leave_out(&mut self, left_out: LeftOut) {
        self.left_out_count += 1;
        if self.left_out.len() < MOST_NAMED {
            self.left_out.push(left_out);
        }
    }
}
