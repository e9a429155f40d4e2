// The shapes of the HTTP contract that the page reads. Absent means unknown, never zero.

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export interface Login {
  user: User;
  workspace: { id: string; name: string };
  role: Role;
  must_set_password: boolean;
  expires_at: string;
}

export type Role = string;
export interface User {
  id: string;
  email: string;
  name?: string | null;
}

export interface Me {
  user: User;
  workspace: { id: string; name: string };
  role: Role;
  operator: boolean;
  workspaces: { id: string; name: string; role: Role }[];
  permissions: string[];
  must_set_password: boolean;
}

export interface Session {
  id: string;
  label?: string | null;
  current?: boolean | null;
  created_at?: string | null;
  last_seen_at?: string | null;
  expires_at?: string | null;
  kind?: string | null;
}

export interface Use {
  used: number;
  limit?: number | null;
}
export interface Quota {
  plan: string;
  agents: Use;
  live_containers: Use;
}

export type ClawStatus = "online" | "working" | "idle" | "offline";
export type SandboxState = "provisioning" | "running" | "stopped" | "lost" | "destroying";

export interface SandboxBrief {
  id: string;
  node_id: string;
  node_name?: string | null;
  state: SandboxState;
  container?: string | null;
  created_at: string;
}

export interface Limits {
  memory_bytes?: number | null;
  workspace_bytes?: number | null;
  nano_cpus?: number | null;
  pids?: number | null;
}

/** One thing that must hold inside a sandbox, what was expected and what was found. */
export interface Fact {
  fact: string;
  title?: string | null;
  expected: unknown;
  actual: unknown;
  ok: boolean;
}

export interface Fallback {
  wanted: string;
  reason: string;
}

export interface Sandbox extends SandboxBrief {
  agent_id: string;
  image: string;
  limits: Limits;
  hardening: Fact[];
  lease_until?: string | null;
  fallback?: Fallback | null;
  last_used_at?: string | null;
  workspace_archive?: { digest: string; bytes: number; at: string } | null;
}

export interface Claw {
  id: string;
  name: string;
  role?: string | null;
  system_prompt?: string | null;
  model_binding?: string | null;
  managed_by: User;
  status: ClawStatus;
  sandbox?: SandboxBrief | null;
  created_at: string;
  updated_at: string;
  deleted_at?: string | null;
  version: number;
}

/** What to change: an absent field stays, null removes. */
export type ClawChange = { [K in keyof NewClaw]?: NewClaw[K] | null };

export interface NewClaw {
  name: string;
  role?: string;
  system_prompt?: string;
  model_binding?: string;
}

export type ExecState = "running" | "done" | "failed" | "cancelled" | "lost";
export interface ExecNow {
  operation_id: string;
  state: ExecState;
  code?: number | null;
  offset: number;
  argv: string[];
  started_at?: string | null;
  finished_at?: string | null;
}

export interface Health {
  at: string;
  cpu_pct?: number | null;
  cores?: number | null;
  memory_used_bytes?: number | null;
  memory_total_bytes?: number | null;
  swap_used_bytes?: number | null;
  swap_total_bytes?: number | null;
  disk_used_bytes?: number | null;
  disk_total_bytes?: number | null;
  load1?: number | null;
  load5?: number | null;
  load15?: number | null;
  psi?: {
    cpu_some10?: number | null;
    memory_some10?: number | null;
    memory_full10?: number | null;
    io_some10?: number | null;
    io_full10?: number | null;
  } | null;
  containers?: number | null;
  gpu_pct?: number | null;
  temp_max_c?: number | null;
}

export type NodeStatus = "pending" | "online" | "offline" | "draining";
export interface Node {
  id: string;
  name: string;
  hostname?: string | null;
  local_ip?: string | null;
  mesh_ip?: string | null;
  status: NodeStatus;
  connection: "connected" | "suspect" | "disconnected";
  drained: boolean;
  paused: boolean;
  daemon_version?: string | null;
  os?: string | null;
  arch?: string | null;
  engine?: { name: string; version?: string | null; api?: string | null } | null;
  image: "ready" | "missing" | "wrong-digest" | "unknown";
  health?: Health | null;
  sandboxes: number;
  last_seen_at?: string | null;
  created_at: string;
  version: number;
  problems?: { code: string; detail: string }[] | null;
}

export interface Paired {
  node: Node;
  join_code: string;
  expires_at: string;
  install: { linux_x86_64?: string | null; with_checksum?: string | null };
  command: string;
}

export interface Check {
  name: string;
  title?: string | null;
  ok: boolean;
  level: "ok" | "warn" | "fail";
  detail?: string | null;
}
export interface VerifyReport {
  ok: boolean;
  checks: Check[];
  probe: Fact[];
  duration_ms: number;
}

export interface ToolReport {
  items: { tool: string; version?: string | null; latest?: string | null; mirrors?: string | null }[];
  reported_at?: string | null;
}

export interface Operation {
  id: string;
  kind: string;
  state: string;
  agent_id?: string | null;
  started_at?: string | null;
  finished_at?: string | null;
  detail?: string | null;
}

export interface NodeSandbox extends SandboxBrief {
  agent_id: string;
  agent_name: string;
  limits: Limits;
}

export interface Placement {
  target: "local" | "node";
  node_id?: string | null;
}

export interface Actor {
  id: string;
  name: string;
  kind: string;
  ownership?: string | null;
  tenant?: string | null;
  serves?: string | null;
  state: string;
  created_at?: string | null;
  started_at?: string | null;
  restarts?: number | null;
  last_failure?: { at: string; text: string } | null;
  handled?: number | null;
  mailbox?: { len?: number | null; oldest_ms?: number | null } | null;
  strategy?: string | null;
  children: Actor[];
}
export interface Tree {
  at: string;
  root: Actor;
}
