//! The words of missions and phases, and the moves between their states. Pure code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident as $schema:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = $schema)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in the database and on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Parses a value from the database.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// The kind of a phase.
    PhaseKind as MissionPhaseKind {
        /// A team reads and finds out.
        Research = "research",
        /// A team changes the repository.
        Coding = "coding",
        /// The benchmark of the repository, before and after.
        Benchmark = "benchmark",
        /// Scanners look for flaws.
        SecurityScan = "security_scan",
    }
}

impl PhaseKind {
    /// Whether teams work on the phase. The other phases are commands in the mission's own sandbox.
    pub const fn has_teams(self) -> bool {
        matches!(self, Self::Research | Self::Coding)
    }

    /// The word in sentences.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Coding => "coding",
            Self::Benchmark => "benchmark",
            Self::SecurityScan => "security scan",
        }
    }
}

words! {
    /// The kind of a mission. It gives the phases that a mission has when its config names none.
    TemplateKind as MissionTemplateKind {
        Research = "research",
        Development = "development",
        Benchmark = "benchmark",
        Security = "security",
        /// Research, coding, benchmark and security scan.
        FullCycle = "full_cycle",
        /// The config names the phases.
        Custom = "custom",
    }
}

impl TemplateKind {
    /// The phases of a mission whose config names none.
    pub const fn phases(self) -> &'static [PhaseKind] {
        use PhaseKind::{Benchmark, Coding, Research, SecurityScan};
        match self {
            Self::Research => &[Research],
            Self::Development => &[Research, Coding],
            Self::Benchmark => &[Benchmark],
            Self::Security => &[SecurityScan],
            Self::FullCycle => &[Research, Coding, Benchmark, SecurityScan],
            Self::Custom => &[],
        }
    }
}

words! {
    /// The place where a mission's sandboxes are made.
    RuntimeKind as MissionRuntimeKind {
        /// Where its teams and the workspace's placement say.
        Standard = "standard",
        /// On the target node only. While it is away, the mission waits for it.
        LocalNode = "local_node",
    }
}

words! {
    /// The status of a mission. The last three are final.
    Status as MissionStatus {
        /// It was not launched.
        Draft = "draft",
        Running = "running",
        /// No phase begins. `status_reason` says why.
        Paused = "paused",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl Status {
    /// Whether the status is final.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether a person may move a mission from this status to that one. Only the last phase completes a mission.
    pub const fn may_become(self, next: Self) -> bool {
        use Status::{Cancelled, Draft, Failed, Paused, Running};
        matches!(
            (self, next),
            (Draft, Running | Cancelled)
                | (Running, Paused | Failed | Cancelled)
                | (Paused, Running | Failed | Cancelled)
        )
    }
}

words! {
    /// Why a mission is paused or failed.
    Reason as MissionReason {
        /// A person paused or ended it.
        Person = "person",
        /// A phase failed. A person retries it, skips it, or fails the mission.
        PhaseFailed = "phase_failed",
        /// The target node was deleted.
        NodeDeleted = "node_deleted",
        /// Its runtime did not start. A person resumes the mission, and it starts again.
        RuntimeFailed = "runtime_failed",
    }
}

words! {
    /// How far the runtime of a mission is.
    RuntimeState as MissionRuntimeState {
        /// Its sandbox is made, or its server starts.
        Starting = "starting",
        Ready = "ready",
        /// It did not start, or its server or its sandbox ended.
        Gone = "gone",
    }
}

words! {
    /// The status of a phase. The last three are ends.
    PhaseStatus as MissionPhaseStatus {
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Skipped = "skipped",
    }
}

impl PhaseStatus {
    /// Whether the phase has ended.
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped)
    }

    /// Whether the next phase may begin.
    pub const fn is_past(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_in_the_database_and_on_the_wire() {
        for kind in PhaseKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(PhaseKind::parse(kind.as_str()), Some(*kind));
        }
        for status in Status::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        for kind in TemplateKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn final_status_never_changes() {
        for status in Status::ALL {
            for next in Status::ALL {
                let may = status.may_become(*next);
                assert!(!(may && status.is_final()), "{status:?} to {next:?}");
                assert!(!(may && status == next), "{status:?}");
                assert!(!(may && *next == Status::Completed), "{status:?}");
            }
        }
        assert!(Status::Draft.may_become(Status::Running));
        assert!(!Status::Draft.may_become(Status::Paused));
        assert!(Status::Paused.may_become(Status::Failed));
    }

    #[test]
    fn full_cycle_has_all_kinds_of_phases_in_order() {
        assert_eq!(TemplateKind::FullCycle.phases(), PhaseKind::ALL);
        assert!(TemplateKind::Custom.phases().is_empty());
    }
}
