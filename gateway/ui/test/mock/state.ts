// What the mock gateway knows. Plain data; tests change it directly and announce the change themselves.
import { makeApps, makeConnection, type Apps } from "./apps.ts";
import { makeBroker, makeSignIn } from "./broker.ts";
import { makeDoors } from "./doors.ts";
import type { Exec } from "./exec.ts";
import { ago, newId } from "./ids.ts";
import type { LevelUp } from "./levelups.ts";
import { fillMissions, type Mission } from "./missions.ts";
import { makeHealth, makeNode } from "./nodes.ts";
import { makeOperations } from "./operations.ts";
import { makePeople, makePlans, type People } from "./people.ts";
import type { Refusal } from "./refusal.ts";
import { makeRepos, type KnownConnection } from "./repos.ts";
import { makeModels, type Models } from "./routes-models.ts";
import { makeRuns } from "./runs.ts";
import type {
  AuditEntry,
  Brain,
  Claw,
  Door,
  Node,
  Operation,
  Repo,
  Role,
  Run,
  RunCall,
  Sandbox,
  Schemas,
  Team,
  Template,
  UserBrief,
} from "./schema.ts";
import { makeSkills } from "./skills.ts";
import { makeHistory, type KnownSnapshot } from "./snapshots.ts";
import { makeTeam, makeTemplates } from "./teams.ts";

export interface Seed {
  /** False: nobody has signed in yet. */
  ownerReady?: boolean;
  /** False: the workspace is empty. */
  full?: boolean;
  hosted?: Schemas["HostedSignIn"];
  /** True: requests wait at the doors. */
  waiting?: boolean;
  /** True: missions are at work, stuck, over, and one is a draft. */
  missions?: boolean;
}

export type KnownSkill = Schemas["Skill"] & { versions: Schemas["SkillVersion"][] };

/** A body that the page sent, with the key under which it must be done only once. */
type Keyed<T> = T & { key: string | undefined };

export interface State {
  user: UserBrief;
  ownerReady: boolean;
  hosted: Schemas["HostedSignIn"] | undefined;
  mustSetPassword: boolean;
  oneTime: string;
  password: string;
  operator: boolean;
  role: Role;
  /** By the token of each. */
  sessions: Map<string, Omit<Schemas["Session"], "current">>;
  nodes: Node[];
  /** Whether the gateway's own machine has a container engine. */
  engine: boolean;
  claws: Claw[];
  pictures: Map<string, { type: string; file: Buffer }>;
  /** By agent or team. */
  sandboxes: Map<string, Sandbox>;
  /** By agent or team, newest first. */
  snapshots: Map<string, KnownSnapshot[]>;
  placement: Schemas["Placement"];
  execs: Map<string, Exec>;
  brains: Map<string, Brain[]>;
  audit: AuditEntry[];
  operations: Operation[];
  /** What is left on each machine that drains. */
  draining: Schemas["DrainingSandbox"][];
  failNext: Map<string, Refusal>;
  uploadLimits: Schemas["UploadBounds"];
  /** What the page sent, by the id of the upload. */
  uploads: Map<string, Buffer>;
  /** What the page put into a sandbox. */
  put: { query: string; archive: Buffer } | undefined;
  delayMs: number;
  /** What happens when an agent asks to push its branch. */
  workspaceVersion: number;
  pushPolicy: Schemas["PushPolicy"];
  filePolicy: Schemas["FilePolicy"];
  workflowPolicy: Schemas["WorkflowPolicy"];
  quota: { plan: string; agents: number; live_containers: number };
  /** True: the gateway sends e-mail, so a new address must be confirmed. */
  mails?: boolean;
  mailNotices?: boolean;
  pendingEmail?: string;
  /** Why others do not reach the gateway at its address. */
  addressProblem?: string;
  /** How long a code of a machine works; ten minutes unless a test says another time. */
  codeSeconds?: number;
  plans: Schemas["PlanLimits"][];
  attempts: number;
  workspace: string;
  people: People;
  repos: {
    connections: KnownConnection[];
    repos: Repo[];
    branches: string[];
    /** Why the host does not give the branches. */
    away?: string;
  };
  runs: {
    list: Run[];
    calls: Map<string, RunCall[]>;
    repos: Map<string, Schemas["RunRepository"]>;
    messages: Map<string, Schemas["RunMessage"][]>;
  };
  routines: {
    list: Schemas["Routine"][];
    journal: Schemas["RoutineFiring"][];
    /** What was asked to change. */
    changes: Schemas["RoutineChange"][];
  };
  missions: {
    list: Mission[];
    /** By phase. */
    cards: Map<string, Schemas["PhaseSummary"]>;
    /** By artifact. */
    contents: Map<string, Schemas["MissionArtifactText"]>;
    /** PDFs, by artifact. */
    files: Map<string, Uint8Array>;
    asked: { key: string; body: Schemas["NewMission"] }[];
    moves: Schemas["MissionStatusChange"][];
    /** What the next launch plan says. */
    blockers?: string[];
    lacks?: string[];
    probes?: Schemas["PlannedProbes"];
  };
  levelUps: {
    list: LevelUp[];
    /** The approved items of each apply. */
    sent: string[][];
    /** Why an item cannot be applied, by its id. */
    outdated: Map<string, string>;
  };
  teams: {
    list: Team[];
    made: Map<string, Team>;
    asked: { key: string; body: Schemas["NewTeam"] }[];
    deleted?: { id: string; agents: string | null };
    goal?: Schemas["RunTeam"];
  };
  templates: Template[];
  skills: KnownSkill[];
  models: Models;
  mesh: { network: Schemas["MeshNetwork"] | null; devices: Schemas["MeshDevice"][]; lastKey?: string };
  broker: Schemas["BrokerNow"];
  signIn: Schemas["SignInNow"];
  apps: Apps;
  doors: Door[];

  // What tests change or look at.
  agentTokens: Map<string, Schemas["AgentToken"][]>;
  before?: Template[];
  breakProbe?: string;
  brokenNow?: number;
  choices: Map<string, Map<string, boolean>>;
  /** What each agent has of its own. */
  rights: Map<
    string,
    {
      profile: Schemas["RiskProfile"];
      bundles: Schemas["ToolBundle"][];
      image?: string | null;
      limits?: Schemas["NewLimits"];
    }
  >;
  compared?: Keyed<Schemas["NewComparison"]>;
  confirmed?: string[];
  doorPage?: number;
  forked?: Keyed<Schemas["ForkFrom"]>;
  hostileTools?: string;
  lastToken?: string;
  /** How many machines each request for lines was about. */
  lineRequests: (number | "all")[];
  linked?: boolean;
  ownTree?: boolean;
  publicUrl?: string;
  renameRefused?: string;
  resolved?: Schemas["Decision"][];
  restarted?: string[];
  said?: Map<string, Schemas["Activity"][]>;
  treeCut?: boolean;
  treeNews?: Partial<Schemas["TreeDelta"]>[];
  upgraded?: boolean;
}

const GIB = 1024 ** 3;
const FACTS = [
  ["cap_eff", "No capability is in effect", "0", "0"],
  ["no_new_privs", "Privileges cannot be gained", "1", "1"],
  ["seccomp_mode", "System calls are filtered", "2", "2"],
  ["uid", "Runs as an ordinary user", "10001", "10001"],
  ["interfaces", "No network interface but loopback", "lo", "lo"],
  ["routes", "No route leads anywhere", "none", "none"],
  ["rootfs_write", "The root file system refuses writes", "EROFS", "EROFS"],
  ["unshare_user", "New user namespaces are refused", "EPERM", "EPERM"],
  ["bpf", "bpf is refused", "EPERM", "EPERM"],
  ["io_uring", "io_uring is refused", "EPERM", "EPERM"],
  ["af_vsock", "Sockets to the host are refused", "EAFNOSUPPORT", "EAFNOSUPPORT"],
  ["pids_limit", "A fork bomb stops at the limit", "256", "256"],
  ["memory_swap", "Memory ends without swap", "1073741824", "1073741824"],
  ["engine_socket", "The engine's socket is nowhere", "absent", "absent"],
];
export const facts = (bad?: string): Schemas["Fact"][] =>
  FACTS.map(([fact, title, expected, actual]) => ({
    fact,
    title,
    expected,
    actual: fact === bad ? "reachable" : actual,
    ok: fact !== bad,
  }));

export const LIMITS = { memory_bytes: GIB, workspace_bytes: GIB / 2, nano_cpus: 1e9, pids: 256 };

export function makeSnapshot(node: string): Schemas["Snapshot"] {
  return {
    id: newId(),
    digest: "0b".repeat(32),
    files: 128,
    bytes: 1_482_752,
    taken_at: ago(120),
    left_out: ["node_modules: can be made again"],
    uploaded: true,
    sandbox_id: newId(),
    node_id: node,
  };
}

/** Whose a sandbox is. */
interface Owner {
  kind: Schemas["SandboxOwnerKind"];
  id: string;
}

export function makeSandbox(owner: Owner, node?: Node): Sandbox {
  return {
    id: newId(),
    node_id: node?.id ?? "local",
    node_name: node?.name ?? "local",
    state: "running",
    container: "8f3c1d2e4b5a69788f3c1d2e4b5a6978",
    created_at: ago(640),
    owner_kind: owner.kind,
    owner_id: owner.id,
    image: "roost-agent@sha256:4f53cda18c2baa0c",
    limits: { ...LIMITS },
    hardening: facts(),
    lease_until: new Date(Date.now() + 86_000_000).toISOString(),
    version: 1,
    fallback: null,
    last_used_at: ago(31),
    workspace_archive: null,
    snapshot: makeSnapshot(node?.id ?? "local"),
    restored_from: { digest: "0a".repeat(32), taken_at: ago(9000) },
  };
}

export function makeClaw(state: State, name: string, more: Partial<Claw> = {}): Claw {
  const id = newId();
  const claw: Claw = {
    id,
    name,
    avatar: { url: `/api/claws/${id}/avatar?v=drawn-1`, uploaded: false },
    role: "",
    system_prompt: "",
    model_binding: "",
    managed_by: state.user,
    status: "offline",
    sandbox: null,
    created_at: ago(7200),
    updated_at: ago(600),
    deleted_at: null,
    version: 1,
  };
  return { ...claw, ...more };
}

export function makeEntry(
  state: State,
  n: number,
  action: string,
  thing: { id: string },
  details: AuditEntry["details"],
  kind = "claw",
): AuditEntry {
  return {
    id: newId(),
    actor: state.user.id,
    by: state.user,
    action,
    entity_kind: kind,
    entity_id: thing.id,
    details,
    at: ago(4000 - n * 60),
    link: { position: n, sha256: String(n % 10).repeat(64), intact: true },
  };
}

export function makeVersion(
  state: State,
  version: number,
  agent_md: string,
  more: Partial<Brain> = {},
): Brain {
  const brain: Brain = {
    agent_md,
    version,
    bytes: Buffer.byteLength(agent_md),
    cause: "edit",
    author: state.user,
    at: ago(60),
  };
  return { ...brain, ...more };
}

export const brief = ({
  id,
  node_id,
  node_name,
  state,
  container,
  created_at,
}: Sandbox): Schemas["SandboxBrief"] => ({
  id,
  node_id,
  node_name,
  state,
  container: container ?? "",
  created_at,
});

export function makeState({
  ownerReady = true,
  full = true,
  hosted,
  waiting = false,
  missions = false,
}: Seed = {}): State {
  const user = { id: newId(), email: "ada@example.org", name: "Ada" };
  const state: State = {
    user,
    ownerReady,
    hosted,
    mustSetPassword: !ownerReady,
    oneTime: "roost-first-login",
    password: "correct horse battery",
    operator: true,
    role: "owner",
    sessions: new Map(),
    nodes: [],
    engine: true,
    claws: [],
    sandboxes: new Map(),
    snapshots: new Map(),
    placement: { target: "local" },
    pictures: new Map(),
    execs: new Map(),
    brains: new Map(),
    audit: [],
    operations: [],
    draining: [],
    failNext: new Map(),
    uploadLimits: {
      archive_bytes: 256 * 1024 * 1024,
      unpacked_bytes: 512 * 1024 * 1024,
      files: 50_000,
      path_bytes: 1024,
      workspace_bytes: 4096 * 1024 * 1024,
    },
    uploads: new Map(),
    put: undefined,
    delayMs: 0,
    workspaceVersion: 1,
    pushPolicy: "ask",
    filePolicy: "upload",
    workflowPolicy: "refuse",
    quota: { plan: "scale", agents: 1000, live_containers: 200 },
    plans: makePlans(),
    attempts: 0,
    workspace: "w1",
    people: makePeople(user),
    repos: { connections: [], repos: [], branches: [] },
    runs: { list: [], calls: new Map(), repos: new Map(), messages: new Map() },
    routines: { list: [], journal: [], changes: [] },
    missions: { list: [], cards: new Map(), contents: new Map(), files: new Map(), asked: [], moves: [] },
    levelUps: { list: [], sent: [], outdated: new Map() },
    teams: { list: [], made: new Map(), asked: [] },
    templates: makeTemplates(),
    skills: makeSkills(),
    models: makeModels(),
    mesh: { network: null, devices: [] },
    broker: makeBroker(),
    signIn: makeSignIn(),
    apps: makeApps([], user),
    doors: [],
    lineRequests: [],
    agentTokens: new Map(),
    choices: new Map(),
    rights: new Map(),
  };
  if (!full) return state;
  state.repos = makeRepos(state);
  const box = makeNode("workshop");
  state.nodes.push(
    box,
    makeNode("gpu-tower", {
      labels: ["gpu", "rack-3"],
      health: { ...makeHealth(91), memory_used_bytes: 14.6 * GIB },
      gpu_pct: 88,
      arch: "aarch64",
    }),
    makeNode("attic-nas", {
      status: "offline",
      connection: "disconnected",
      last_seen_at: ago(5400),
      health: makeHealth(4, ago(5400)),
    }),
    makeNode("old-laptop", { status: "draining", drained: true, health: makeHealth(12), image: "missing" }),
  );
  const scribe = makeClaw(state, "scribe", {
    role: "Writes release notes",
    system_prompt: "Keep it short. Say why before what.",
    model_binding: "sonnet",
    status: "idle",
  });
  const mason = makeClaw(state, "mason", { role: "Builds and tests", status: "working" });
  state.claws.push(scribe, mason, makeClaw(state, "lookout", { role: "Watches the queue" }));
  for (const claw of [scribe, mason]) {
    const sandbox = makeSandbox({ kind: "claw", id: claw.id }, box);
    state.sandboxes.set(claw.id, sandbox);
    if (sandbox.snapshot) state.snapshots.set(claw.id, makeHistory(sandbox.snapshot));
    claw.sandbox = brief(sandbox);
  }
  box.sandboxes = 2;
  for (let n = 1; n <= 60; n += 1) {
    const claw = state.claws[n % 3];
    state.audit.unshift(
      makeEntry(state, n, n % 4 === 0 ? "claw.changed" : "brain.written", claw, { name: claw.name }),
    );
  }
  state.brains.set(
    scribe.id,
    ["# Scribe\n\nKeeps it short.", "# Scribe\n\nKeeps it short.\nSays why before what."].map((text, n) =>
      makeVersion(state, n + 1, text),
    ),
  );
  state.operations = makeOperations(mason, scribe);
  state.runs = makeRuns(state);
  const ledger = makeTeam(state, state.templates[0], { name: "Ledger", claws: state.claws.slice(0, 3) });
  // Each of its agents works in a sandbox of its own; a test that wants them to share one says so.
  state.teams.list.push({ ...ledger, shared_sandbox: false });
  if (missions) fillMissions(state);
  state.apps = makeApps(state.claws, user);
  if (waiting)
    state.apps.connections.push(
      makeConnection(user, scribe, "webhook", {
        auth_type: "token",
        issuer_url: "https://hooks.example.org/roost",
        reaches: ["https://hooks.example.org"],
      }),
    );
  // What waits is told on every page, so only where a test wants it.
  state.doors = makeDoors(state).filter((one) => waiting || one.state !== "pending");
  return state;
}
