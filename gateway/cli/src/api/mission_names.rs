//! Ids and enums of strings of missions and routines. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::{Deserialize, Serialize};

use super::strings::{id, string_enum};

string_enum!(
    FiringCause {
        Schedule = "schedule",
        CatchUp = "catch_up",
        Manual = "manual",
    }
);

string_enum!(
    FiringState {
        Started = "started",
        Done = "done",
        Failed = "failed",
        Skipped = "skipped",
        Missed = "missed",
    }
);

id!(MissionArtifactId);

string_enum!(
    MissionArtifactKind {
        Markdown = "markdown",
        Pdf = "pdf",
        Benchmark = "benchmark",
        Security = "security",
        Diff = "diff",
    }
);

string_enum!(
    MissionArtifactStatus {
        Pending = "pending",
        Ready = "ready",
        Failed = "failed",
    }
);

id!(MissionId);

id!(MissionPhaseId);

string_enum!(
    MissionPhaseKind {
        Research = "research",
        Coding = "coding",
        Benchmark = "benchmark",
        SecurityScan = "security_scan",
    }
);

string_enum!(
    MissionPhaseStatus {
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Skipped = "skipped",
    }
);

string_enum!(
    MissionRuntimeKind {
        Standard = "standard",
        LocalNode = "local_node",
    }
);

string_enum!(
    MissionRuntimeState {
        Starting = "starting",
        Ready = "ready",
        Gone = "gone",
    }
);

string_enum!(
    MissionStatus {
        Draft = "draft",
        Running = "running",
        Paused = "paused",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
);

string_enum!(
    MissionTemplateKind {
        Research = "research",
        Development = "development",
        Benchmark = "benchmark",
        Security = "security",
        FullCycle = "full_cycle",
        Custom = "custom",
    }
);

id!(RoutineId);

string_enum!(
    RoutineMissed {
        Skip = "skip",
        Once = "once",
    }
);

string_enum!(
    RoutineOverlap {
        Skip = "skip",
        Allow = "allow",
    }
);

string_enum!(
    RoutineStanding {
        Scheduled = "scheduled",
        Running = "running",
        Door = "door",
        Paused = "paused",
        Done = "done",
    }
);
