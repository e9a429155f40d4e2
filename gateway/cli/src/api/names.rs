//! Ids and enums of strings. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::{Deserialize, Serialize};

pub use super::mission_names::*;
use super::strings::{id, string_enum};

string_enum!(
    ActorState {
        Starting = "starting",
        Running = "running",
        BackingOff = "backing_off",
        Stopping = "stopping",
        Stopped = "stopped",
        Failed = "failed",
    }
);

string_enum!(
    AgentState {
        Online = "online",
        Working = "working",
        Idle = "idle",
        Offline = "offline",
    }
);

id!(AppConnectionId);

string_enum!(
    AppConnectionState {
        Ready = "ready",
        NeedsReauth = "needs_reauth",
        Missing = "missing",
        Unknown = "unknown",
    }
);

string_enum!(
    CallKind {
        Model = "model",
        Tool = "tool",
        Check = "check",
        Command = "command",
        Child = "child",
        Door = "door",
        Note = "note",
    }
);

string_enum!(
    Channel {
        Think = "think",
        Say = "say",
        Tool = "tool",
    }
);

id!(ClawId);

string_enum!(
    ComparisonFilesFrom {
        Empty = "empty",
        Step = "step",
        Own = "own",
    }
);

string_enum!(
    Decision {
        Approve = "approve",
        Deny = "deny",
    }
);

string_enum!(
    Difference {
        Added = "added",
        Removed = "removed",
        Changed = "changed",
    }
);

id!(DoorId);

string_enum!(
    DoorState {
        Pending = "pending",
        Approved = "approved",
        Denied = "denied",
        Expired = "expired",
        Performing = "performing",
        Performed = "performed",
        Failed = "failed",
        Unclear = "unclear",
    }
);

string_enum!(
    FallbackReason {
        NodeOffline = "node_offline",
        NodeDraining = "node_draining",
        NodePaused = "node_paused",
        NodeDeleted = "node_deleted",
    }
);

string_enum!(
    FileKind {
        Folder = "folder",
        File = "file",
        Link = "link",
    }
);

string_enum!(
    FilePolicy {
        Upload = "upload",
        Stay = "stay",
    }
);

string_enum!(
    ImageState {
        Ready = "ready",
        Missing = "missing",
        WrongDigest = "wrong-digest",
        Unfit = "unfit",
        Unknown = "unknown",
    }
);

id!(InvitationId);

string_enum!(
    LevelUpEvidenceKind {
        Run = "run",
        SystemPrompt = "system_prompt",
        Brain = "brain",
        Roster = "roster",
    }
);

id!(LevelUpId);

string_enum!(
    LevelUpItemKind {
        IdentityRefinement = "identity_refinement",
        SkillAdd = "skill_add",
        SkillCandidate = "skill_candidate",
        BrainConsolidation = "brain_consolidation",
        RosterChange = "roster_change",
        McpBundleChange = "mcp_bundle_change",
    }
);

string_enum!(
    LevelUpRosterAction {
        Add = "add",
        Remove = "remove",
        Change = "change",
    }
);

string_enum!(
    LevelUpStatus {
        Pending = "pending",
        Applied = "applied",
        Rejected = "rejected",
    }
);

string_enum!(
    LineKind {
        Plain = "plain",
        Add = "add",
        Del = "del",
        Ok = "ok",
        Warn = "warn",
        Cursor = "cursor",
    }
);

id!(ModelId);

string_enum!(
    ModelProvider {
        Openai = "openai",
        Anthropic = "anthropic",
        Gemini = "gemini",
        Ollama = "ollama",
    }
);

string_enum!(
    NodeConnection {
        Connected = "connected",
        Suspect = "suspect",
        Disconnected = "disconnected",
    }
);

id!(NodeId);

string_enum!(
    NodeStatus {
        Pending = "pending",
        Online = "online",
        Offline = "offline",
        Draining = "draining",
    }
);

id!(OperationId);

string_enum!(
    OperationState {
        Pending = "pending",
        Running = "running",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
        Lost = "lost",
    }
);

string_enum!(
    PlacementTarget {
        Local = "local",
        Node = "node",
    }
);

string_enum!(
    PushPolicy {
        Ask = "ask",
        Allow = "allow",
    }
);

id!(RepoConnectionId);

id!(RepoId);

string_enum!(
    RepoProvider {
        Github = "github",
        GithubEnterprise = "github_enterprise",
        Forgejo = "forgejo",
        Gitlab = "gitlab",
    }
);

string_enum!(
    RepoSyncState {
        Idle = "idle",
        Waiting = "waiting",
        Running = "running",
    }
);

string_enum!(
    ResourceKind {
        AppConnection = "app_connection",
        Door = "door",
        Node = "node",
        Claw = "claw",
        Sandbox = "sandbox",
        Placement = "placement",
        Quota = "quota",
        Workspace = "workspace",
        RepoConnection = "repo_connection",
        Repo = "repo",
        MeshNetwork = "mesh_network",
        Skill = "skill",
        TeamTemplate = "team_template",
        Team = "team",
        Run = "run",
        RunRepo = "run_repo",
        Model = "model",
        Mission = "mission",
        LevelUp = "level_up",
        Routine = "routine",
    }
);

string_enum!(
    RiskProfile {
        Toolfree = "toolfree",
        ResearchReadonly = "research_readonly",
        CodingReadwrite = "coding_readwrite",
    }
);

string_enum!(
    Role {
        Viewer = "viewer",
        Member = "member",
        Admin = "admin",
        Owner = "owner",
    }
);

id!(RunId);

string_enum!(
    RunKind {
        Agent = "agent",
        Team = "team",
        Company = "company",
        Org = "org",
        Compare = "compare",
    }
);

string_enum!(
    RunOriginWord {
        Team = "team",
        Company = "company",
        Org = "org",
        MissionPhase = "mission_phase",
        Routine = "routine",
        Room = "room",
        Chat = "chat",
        A2a = "a2a",
        Planner = "planner",
        Call = "call",
        Compare = "compare",
        Fork = "fork",
    }
);

string_enum!(
    RunOutcome {
        Accepted = "accepted",
        Rejected = "rejected",
        Undecided = "undecided",
    }
);

string_enum!(
    RunStatus {
        Queued = "queued",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
);

string_enum!(
    RunStepStatus {
        Running = "running",
        Waiting = "waiting",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
    }
);

id!(SandboxId);

string_enum!(
    SandboxImageOrigin {
        Agent = "agent",
        Team = "team",
        Template = "template",
        Deployment = "deployment",
    }
);

string_enum!(
    SandboxNeed {
        Gpu = "gpu",
        MobileSdk = "mobile_sdk",
    }
);

string_enum!(
    SandboxOwnerKind {
        Claw = "claw",
        Team = "team",
        Mission = "mission",
    }
);

string_enum!(
    SandboxState {
        Provisioning = "provisioning",
        Running = "running",
        Stopped = "stopped",
        Lost = "lost",
        Destroying = "destroying",
        Destroyed = "destroyed",
        Failed = "failed",
    }
);

id!(SessionId);

id!(SkillId);

id!(SnapshotId);

string_enum!(
    TaskStatus {
        Created = "created",
        Working = "working",
        Validating = "validating",
        Failed = "failed",
        Complete = "complete",
    }
);

id!(TeamId);

string_enum!(
    TeamLifecycle {
        Permanent = "permanent",
        Ephemeral = "ephemeral",
    }
);

string_enum!(
    TeamState {
        Ready = "ready",
        Going = "going",
    }
);

string_enum!(
    TemplateCategory {
        Research = "research",
        Development = "development",
        Security = "security",
        Ops = "ops",
    }
);

id!(TemplateId);

string_enum!(
    TemplateSource {
        Builtin = "builtin",
        Workspace = "workspace",
    }
);

string_enum!(
    ToolBundle {
        Door = "door",
        Skills = "skills",
        Sandbox = "sandbox",
        Repo = "repo",
    }
);

string_enum!(
    TopologyKind {
        Single = "single",
        Pipeline = "pipeline",
        HubSpoke = "hub_spoke",
        Hierarchical = "hierarchical",
        StarMoe = "star_moe",
        Compare = "compare",
    }
);

string_enum!(
    TopologyOnReject {
        Stop = "stop",
        Lap = "lap",
        HandBack = "hand_back",
    }
);

id!(UploadId);

id!(UserId);

string_enum!(
    VerifyLevel {
        Ok = "ok",
        Warn = "warn",
        Fail = "fail",
    }
);

string_enum!(
    WorkflowPolicy {
        Refuse = "refuse",
        Allow = "allow",
    }
);

id!(WorkspaceId);

id!(WorldNodeId);
