//! Protocol versions and how two ends find one (promise P10).
use serde::{Deserialize, Serialize};

/// A version: ends of one major and minors one apart work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
}

/// The versions an end can speak, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRange {
    pub lowest: Version,
    pub highest: Version,
}

/// What this build speaks.
pub const SUPPORTED: VersionRange = VersionRange {
    lowest: Version { major: 1, minor: 0 },
    highest: Version { major: 1, minor: 0 },
};

impl VersionRange {
    /// The highest version both ends speak, or `None` when the ranges do not meet.
    pub fn negotiate(self, other: VersionRange) -> Option<Version> {
        let highest = self.highest.min(other.highest);
        let lowest = self.lowest.max(other.lowest);
        (lowest <= highest).then_some(highest)
    }
}
