//! Protocol versions and their negotiation (promise P10).
use serde::{Deserialize, Serialize};

/// A version. Two ends of the same major version whose minor versions differ by one work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
}

/// The versions that an end supports, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRange {
    pub lowest: Version,
    pub highest: Version,
}

/// The versions that this build supports.
pub const SUPPORTED: VersionRange = VersionRange {
    lowest: Version { major: 1, minor: 0 },
    highest: Version { major: 1, minor: 0 },
};

impl VersionRange {
    /// The highest version that both ends support, or `None` without one.
    pub fn negotiate(self, other: VersionRange) -> Option<Version> {
        let highest = self.highest.min(other.highest);
        let lowest = self.lowest.max(other.lowest);
        (lowest <= highest).then_some(highest)
    }
}
