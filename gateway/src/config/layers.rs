//! The layers that make a configuration, weakest first: file, environment, flags.

use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};

/// The options of the command line.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The configuration file; absent means `roost.toml` in the working directory, if it is there.
    pub file: Option<PathBuf>,
    /// `key=value` pairs, as `--set listen=0.0.0.0:80`.
    pub set: Vec<(String, String)>,
    /// Ignore the environment (for tests).
    pub without_environment: bool,
}

impl Overrides {
    /// The configuration file that is read; `None` when none is named and the working directory has none.
    pub fn file(&self) -> Option<PathBuf> {
        let default = || Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.exists());
        self.file.clone().or_else(default)
    }
}

/// Variables with the `ROOST_` prefix that are not configuration keys.
pub(super) const NOT_KEYS: &[&str] = &[
    "config",
    "client_config",
    "build_id",
    "test_postgres_url",
    "token",
    "url",
    // Variables of the scripts in deploy/.
    "bin_dir",
    "cache",
    "no_node",
    "port",
    "profile",
    "state",
];

/// The default file.
pub(super) const DEFAULT_FILE: &str = "roost.toml";

pub(super) fn from_file(path: &Path) -> Figment {
    Figment::from(Toml::file_exact(path))
}

pub(super) fn from_environment() -> Figment {
    Figment::from(
        Env::prefixed("ROOST_")
            .filter(|key| !NOT_KEYS.contains(&key.as_str().to_ascii_lowercase().as_str()))
            .split("__"),
    )
}

pub(super) fn from_flags(set: &[(String, String)]) -> Figment {
    set.iter().fold(Figment::new(), |figment, (key, text)| {
        // As in the environment: `true`, numbers and lists are parsed as such, all other values are text.
        let value: figment::value::Value = text
            .parse()
            .unwrap_or_else(|_| figment::value::Value::from(text.clone()));
        figment.merge(Serialized::default(key, value))
    })
}
