// The names that the page uses for the shapes of the HTTP contract. Every shape is generated from the gateway's own
// document (`npm run gen`), so a field that the gateway does not send is a type error here.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Login = Schemas["SignedIn"];
export type Me = Schemas["Me"];
export type UserBrief = Schemas["UserBrief"];
export type Setup = Schemas["Setup"];
export type WaitingTerminal = Schemas["WaitingTerminal"];
export type Session = Schemas["Session"];

export type Role = Schemas["Role"];
export type Member = Schemas["Member"];
export type Invitation = Schemas["Invitation"];
export type NewInvitation = Schemas["NewInvitation"];
export type FreshInvitation = Schemas["FreshInvitation"];
export type InvitationView = Schemas["InvitationView"];

export type Use = Schemas["Usage"];
export type Quota = Schemas["Quota"];
export type PlanLimits = Schemas["PlanLimits"];

export type Claw = Schemas["Claw"];
export type ClawStatus = Schemas["AgentState"];
export type NewClaw = Schemas["NewClaw"];
/** What to change: an absent field stays, null removes. */
export type ClawChange = Schemas["ClawChange"];

export type Sandbox = Schemas["Sandbox"];
export type Snapshot = Schemas["Snapshot"];
export type FileList = Schemas["FileList"];
export type FileEntry = Schemas["FileEntry"];
export type FileChange = Schemas["FileChange"];
export type SandboxBrief = Schemas["SandboxBrief"];
export type SandboxState = Schemas["SandboxState"];
export type FallbackReason = Schemas["FallbackReason"];
export type Limits = Schemas["Limits"];
/** One thing that must hold inside a sandbox, what was expected and what was found. */
export type Fact = Schemas["Fact"];
export type ExecState = Schemas["OperationState"];

export type Node = Schemas["Node"];
/** A machine in a list: short, with nothing nested. */
export type NodeLine = Schemas["NodeLine"];
export type NodeHistory = Schemas["NodeHistory"];
export type FleetMetric = Schemas["FleetMetric"];
export type HistorySpan = "1h" | "6h" | "24h";
/** What sandboxes were promised of a machine. */
export type ReservedOn = Schemas["ReservedOn"];
export type Health = Schemas["NodeHealth"];
/** What a machine reported at a moment: its health, and the numbers that stand on the node itself. */
export type NodeReport = Health & { [K in "gpu_pct" | "temp_max"]?: number | null | undefined };
/** How far a machine is with draining. */
export type DrainProgress = Schemas["DrainProgress"];
export type NodeSandbox = Schemas["SandboxOnNode"];
export type Paired = Schemas["Paired"];
export type Check = Schemas["VerifyCheck"];
export type ToolReport = Schemas["Tools"];
/** What the gateway says of a command in a sandbox. Older entries have none of it. */
export type CommandFacts = Schemas["CommandFacts"];
export type Operation = Schemas["OperationLine"];
export type Placement = Schemas["Placement"];

export type Activity = Schemas["Activity"];
export type Brain = Schemas["Brain"];
export type BrainVersion = Schemas["BrainVersion"];
export type BrainCause = Schemas["BrainCause"];
export type AuditEntry = Schemas["AuditEntry"];

/** An app that an agent is connected to; its token is never shown. */
export type AppConnection = Schemas["AppConnection"];
export type NewConnection = Schemas["NewConnection"];
export type AppOptions = Schemas["AppOptions"];
export type OAuthStart = Schemas["OAuthStart"];
export type MeshKind = Schemas["MeshKind"];
export type MeshNetwork = Schemas["MeshNetwork"];
export type NewMeshNetwork = Schemas["NewMeshNetwork"];
export type MeshDevice = Schemas["MeshDevice"];

export type RepoConnection = Schemas["RepoConnection"];
export type NewRepoConnection = Schemas["NewRepoConnection"];
export type RepoProvider = Schemas["RepoProvider"];
export type Repo = Schemas["Repo"];
export type SignInNow = Schemas["SignInNow"];
export type RepoMirror = Schemas["RepoMirror"];

export type Actor = Schemas["ActorSnapshot"];
export type Tree = Schemas["TreeSnapshot"];
export type TreeDelta = Schemas["TreeDelta"];
export type Explanation = Schemas["Explanation"];
export type BrokerNow = Schemas["BrokerNow"];
export type BrokerRoot = Schemas["BrokerRoot"];
export type Promises = Schemas["Promises"];
