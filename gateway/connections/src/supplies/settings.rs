//! The settings of supplies, and what the fetcher needs.

use std::path::PathBuf;
use std::time::Duration;

use super::model::Kind;
use roost_platform::clock::SharedClock;
use roost_platform::outbound::Outbound;
use url::Url;

/// What the operator allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppliesSettings {
    /// Off: nothing is fetched, and nothing is laid into sandboxes.
    pub fetch: bool,
    pub registries: Registries,
    /// Hosts to which a registry may send a download on, as `host` or `host:port`.
    pub hosts: Vec<String>,
    pub bounds: Bounds,
}

/// The registries. Absent: this kind of package is not fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registries {
    /// The address of a crate, with `{crate}` and `{version}`.
    pub crates: Option<String>,
    /// The address of an npm registry.
    pub npm: Option<String>,
    /// How lock files name that registry; absent when it has no other name. npm writes the registry's own address into a lock
    /// file also where a mirror is used.
    pub npm_in_locks: Option<String>,
    /// The address of a Python index with the simple protocol, without the name of a project.
    pub pypi: Option<String>,
    /// The address of a Go module proxy.
    pub go: Option<String>,
}

/// The bounds of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most bytes of one package.
    pub package: u64,
    /// Most bytes of all packages.
    pub total: u64,
    /// Most packages.
    pub packages: usize,
    /// Longest time of all downloads.
    pub time: Duration,
    /// Longest time without a byte.
    pub silence: Duration,
    /// Most bytes that the store keeps for a workspace.
    pub kept: u64,
}

/// What the fetcher needs.
#[derive(Clone)]
pub struct SuppliesContext {
    pub settings: SuppliesSettings,
    pub outbound: Outbound,
    pub clock: SharedClock,
    /// The folder of the store: one folder for each workspace.
    pub folder: PathBuf,
}

/// The host of a registry's address, for people.
pub(crate) fn host(registry: &str) -> String {
    let url = Url::parse(registry).ok();
    url.map(|url| roost_platform::outbound::authority(&url))
        .unwrap_or_default()
}

impl Registries {
    /// The registry of a kind of package.
    pub(super) fn of(&self, kind: Kind) -> Option<&str> {
        match kind {
            Kind::Cargo => self.crates.as_deref(),
            Kind::Npm => self.npm.as_deref(),
            Kind::Python => self.pypi.as_deref(),
            Kind::Go => self.go.as_deref(),
        }
    }

    /// How lock files name the npm registry. Empty without one, and no address begins so.
    pub(crate) fn npm_name(&self) -> &str {
        let named = self.npm_in_locks.as_deref().or(self.npm.as_deref());
        named.unwrap_or_default().trim_end_matches('/')
    }

    /// The hosts that may answer: those of the registries, and those that the operator names.
    pub(super) fn hosts(&self, named: &[String]) -> Vec<String> {
        let all = [&self.crates, &self.npm, &self.pypi, &self.go]
            .into_iter()
            .flatten();
        let own = all.filter_map(|text| Url::parse(text).ok());
        own.map(|url| roost_platform::outbound::authority(&url))
            .chain(named.iter().cloned())
            .collect()
    }
}
