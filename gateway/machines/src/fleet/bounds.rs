//! The most that a machine lends to sandboxes, as the machine reports it.

use roost_protocol::caps::Bounds;
use serde::Serialize;
use utoipa::ToSchema;

/// The most that a machine lends to sandboxes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NodeBounds {
    /// The most of one sandbox.
    pub each: EachBound,
    /// The most of all sandboxes together.
    pub all: AllBound,
    /// Whether the machine's kernel enforces the total. The gateway counts what it promised in both cases.
    pub enforced: bool,
}

/// The most of one sandbox.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EachBound {
    pub memory_bytes: u64,
    pub workspace_bytes: u64,
    pub nano_cpus: u64,
    pub pids: u32,
}

/// The most of all sandboxes together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AllBound {
    pub sandboxes: u32,
    pub memory_bytes: u64,
    pub nano_cpus: u64,
    pub pids: u64,
}

impl From<&Bounds> for NodeBounds {
    fn from(bounds: &Bounds) -> Self {
        let Bounds {
            each,
            all,
            not_enforced,
        } = bounds;
        Self {
            each: EachBound {
                memory_bytes: each.memory_bytes,
                workspace_bytes: each.workspace_bytes,
                nano_cpus: each.nano_cpus,
                pids: each.pids,
            },
            all: AllBound {
                sandboxes: all.sandboxes,
                memory_bytes: all.memory_bytes,
                nano_cpus: all.nano_cpus,
                pids: all.pids,
            },
            enforced: not_enforced.is_none(),
        }
    }
}

/// The bounds that a machine reported.
pub(super) fn bounds_of(stored: Option<serde_json::Value>) -> Option<Bounds> {
    serde_json::from_value(stored?).ok()
}
