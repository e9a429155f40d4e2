// Machines as the mock knows them.
import { ago, newId } from "./ids.ts";
import type { Node, Schemas } from "./schema.ts";

const GIB = 1024 ** 3;

export function makeHealth(cpu = 23, at = new Date().toISOString()): Schemas["NodeHealth"] {
  return {
    at,
    cpu_pct: cpu,
    cores: 8,
    memory_used_bytes: (3.1 + cpu / 40) * GIB,
    memory_total_bytes: 15.5 * GIB,
    swap_used_bytes: 0.2 * GIB,
    swap_total_bytes: 2 * GIB,
    disk_used_bytes: 118 * GIB,
    disk_total_bytes: 476 * GIB,
    load1: cpu / 20,
    load5: 1.02,
    load15: 0.84,
    psi: { cpu_some10: cpu / 12, memory_some10: 0, memory_full10: 0, io_some10: 0.6, io_full10: 0.1 },
    containers: 3,
  };
}

export function makeNode(name: string, more: Partial<Node> = {}): Node {
  const node: Node = {
    id: newId(),
    workspace_id: "w1",
    name,
    hostname: name,
    local_ip: "192.168.1.24",
    mesh_ip: null,
    status: "online",
    connection: "connected",
    drained: false,
    moves: false,
    emptied_at: null,
    paused: false,
    daemon_version: "0.1.0",
    os: "Debian GNU/Linux 13",
    arch: "x86_64",
    engine: { name: "Docker Engine", version: "27.3.1", api: "1.47" },
    image: "ready",
    images: [
      { reference: "roost-agent:base", state: "ready", id: "sha256:a1", bytes: 370_000_000 },
      { reference: "roost-agent:rust", state: "ready", id: "sha256:b2", bytes: 912_000_000 },
      {
        reference: "roost-agent:node",
        state: "missing",
        fetch: { done_bytes: 96_000_000, total_bytes: 240_000_000 },
      },
    ],
    health: makeHealth(),
    gpu_pct: null,
    temp_max: 61,
    sandboxes: 0,
    last_seen_at: ago(2),
    created_at: ago(86_400 * 3),
    version: 1,
    problems: [],
    labels: [],
  };
  return { ...node, ...more };
}

/** A machine as its line in the list. */
export function lineOf(node: Node): Schemas["NodeLine"] {
  const { health } = node;
  const share = (part?: number | null, whole?: number | null) =>
    part == null || !whole ? undefined : Math.round((part / whole) * 100);
  return {
    id: node.id,
    name: node.name,
    host: node.hostname === node.name ? undefined : (node.hostname ?? undefined),
    status: node.status,
    connection: node.connection === "connected" ? undefined : node.connection,
    drained: node.drained || undefined,
    paused: node.paused || undefined,
    problems: node.problems.map(({ code }) => code),
    labels: node.labels,
    sandboxes: node.sandboxes,
    cpu: health?.cpu_pct == null ? undefined : Math.round(health.cpu_pct),
    memory: share(health?.memory_used_bytes, health?.memory_total_bytes),
    disk: share(health?.disk_used_bytes, health?.disk_total_bytes),
    daemon: node.daemon_version ?? undefined,
    arch: node.arch ?? undefined,
    seen: node.last_seen_at ? Math.floor(Date.parse(node.last_seen_at) / 1000) : undefined,
    rev: node.version,
  };
}
