import { fleetHistory, nodeHistory } from "./history.ts";
import { ago } from "./ids.ts";
import { lineOf, makeNode } from "./nodes.ts";
import { basedOn, must, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import type { Node, Schemas } from "./schema.ts";
import type { Mock } from "./server.ts";
import { brief, facts } from "./state.ts";

const IMAGES: Schemas["Image"][] = [
  {
    name: "rust",
    reference: "roost-agent:rust",
    purpose: "Rust with Clippy and rustfmt",
    tools: ["cargo", "clippy", "git"],
    recipe: "rust",
    is_default: true,
    digest: "sha256:b2",
    size_bytes: 912_000_000,
    state: "ready",
  },
  {
    name: "node",
    reference: "roost-agent:node",
    purpose: "Node.js with npm",
    tools: ["git", "node", "npm"],
    recipe: "node",
    is_default: false,
    state: "missing",
    remedy:
      "roost-agent:node is not on the gateway's host; run deploy/agent-image/build.sh --recipe node there",
  },
];

const unknown = (image: Schemas["Image"]): Schemas["Image"] => ({
  ...image,
  state: "unknown",
  remedy: null,
});

function nodeOf({ state, params }: AskedOf): Node {
  return must(
    state.nodes.find((one) => one.id === params.id),
    "There is no such machine",
  );
}

function touch(mock: Mock, node: Node, change: Partial<Node>) {
  Object.assign(node, change, { version: node.version + 1 });
  mock.hub.changed("node", node.id, node.version);
  return { body: node };
}

const pair: Routes["POST /api/nodes/pair"] = ({ mock, state, body }) => {
  const node = makeNode(body.name || "new machine", {
    hostname: null,
    status: "pending",
    connection: "disconnected",
    daemon_version: null,
    os: null,
    arch: null,
    engine: null,
    image: "unknown",
    health: null,
    last_seen_at: null,
    created_at: ago(0),
    local_ip: null,
  });
  state.nodes.push(node);
  mock.hub.changed("node", node.id, 1);
  const code = `j-${node.id.slice(-6)}`;
  const base = state.publicUrl ?? mock.url;
  const join = `roostd join --url ${base} --code ${code}`;
  const fetchIt = `curl -fsSLo roostd ${base}/dl/roostd/$(uname -m)-unknown-linux-gnu`;
  return {
    status: 201,
    body: {
      node,
      join_code: code,
      expires_at: ago(-(state.codeSeconds ?? 600)),
      command: join,
      address_problem: state.addressProblem ?? null,
      install: {
        linux: `${fetchIt} && chmod +x roostd && ./${join}`,
        with_checksum: `${fetchIt} && echo "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  roostd" | sha256sum -c && chmod +x roostd && ./${join}`,
      },
    },
  };
};

const CHECKS: Schemas["VerifyCheck"][] = [
  {
    name: "engine",
    title: "Container engine answers",
    ok: true,
    level: "ok",
    detail: "Docker Engine 27.3.1, API 1.47",
  },
  { name: "image", title: "Agent image is the expected one", ok: true, level: "ok", detail: "" },
  {
    name: "apparmor",
    title: "AppArmor confines containers",
    ok: true,
    level: "warn",
    detail: "Not present on this machine; the other measures do not depend on it.",
  },
];

export const nodeRoutes = {
  "POST /api/nodes/pair": pair,
  "GET /api/nodes": ({ state }) => ({ body: { items: state.nodes, next_cursor: null } }),
  "GET /api/nodes/lines": ({ state, query }) => {
    const ids = query.get("ids")?.split(",");
    state.lineRequests.push(ids?.length ?? "all");
    const nodes = ids ? state.nodes.filter((node) => ids.includes(node.id)) : state.nodes;
    return { body: { items: nodes.map(lineOf), next_cursor: null } };
  },
  "GET /api/nodes/history": ({ state, query }) => ({ body: fleetHistory(state, query) }),
  "GET /api/nodes/{id}/history": (at) => ({ body: nodeHistory(nodeOf(at), at.query) }),
  "GET /api/fleet/reserved": ({ state }) => {
    const used = state.nodes.filter((node) => node.sandboxes > 0);
    const items = used.map((node) => ({
      node_id: node.id,
      sandboxes: node.sandboxes,
      memory_bytes: node.sandboxes * 1024 ** 3,
      nano_cpus: node.sandboxes * 1e9,
      memory_pct: node.sandboxes * 6.5,
      cpu_pct: node.sandboxes * 12.5,
    }));
    return { body: { items } };
  },
  "GET /api/nodes/{id}": (at) => ({ body: nodeOf(at) }),
  "PATCH /api/nodes/{id}": (at) => {
    const { name, labels } = at.body;
    const node = nodeOf(at);
    basedOn(node.version, at.request.headers);
    return touch(at.mock, node, { name: name ?? node.name, labels: labels ?? node.labels });
  },
  "DELETE /api/nodes/{id}": (at) => {
    const node = nodeOf(at);
    at.state.nodes = at.state.nodes.filter((one) => one !== node);
    at.mock.hub.changed("node", node.id, node.version + 1);
    return { status: 202 };
  },
  "POST /api/nodes/{id}/drain": (at) =>
    touch(at.mock, nodeOf(at), { drained: false, status: "draining", moves: at.body?.move === true }),
  "GET /api/nodes/{id}/drain-progress": (at) => {
    const node = nodeOf(at);
    const draining = node.status === "draining";
    const left = draining && !node.emptied_at ? at.state.draining : [];
    const word = left.length === 1 ? "sandbox" : "sandboxes";
    return {
      body: {
        draining,
        moves: node.moves,
        since: draining ? ago(60) : undefined,
        summary: left.length > 0 ? `${left.length} ${word} left.` : "Nothing that is needed is left.",
        sandboxes: left,
        unsaved: [],
        emptied_at: node.emptied_at,
      },
    };
  },
  "POST /api/nodes/{id}/undrain": (at) =>
    touch(at.mock, nodeOf(at), { drained: false, status: "online", moves: false, emptied_at: null }),
  "POST /api/nodes/{id}/exec-test": (at) => {
    if (nodeOf(at).connection !== "connected")
      throw new Refusal(409, "node-offline", "The machine is not connected");
    const bad = at.state.breakProbe;
    return { body: { ok: !bad, checks: CHECKS, probe: facts(bad), duration_ms: 1840 } };
  },
  "GET /api/nodes/{id}/tools": (at) => (
    nodeOf(at),
    {
      body: {
        reported_at: ago(200),
        items: [
          { tool: "docker", version: at.state.hostileTools ?? "27.3.1", latest: "27.3.1", mirrors: null },
          { tool: "docker-compose", version: "27.3.1", latest: null, mirrors: "docker" },
          { tool: "claude", version: "1.0.44", latest: "1.1.2", mirrors: null },
          { tool: "ollama", version: null, latest: null, mirrors: null },
        ],
      },
    }
  ),
  "GET /api/nodes/{id}/operations": (at) => ({
    body: { items: nodeOf(at).name === "workshop" ? at.state.operations : [], next_cursor: null },
  }),
  "GET /api/nodes/{id}/sandboxes": (at) => {
    const node = nodeOf(at);
    const owners = [...at.state.claws, ...at.state.teams.list];
    const here = owners.flatMap(({ id, name }) => {
      const sandbox = at.state.sandboxes.get(id);
      if (sandbox?.node_id !== node.id) return [];
      const { owner_kind, owner_id, limits } = sandbox;
      return [{ ...brief(sandbox), owner_kind, owner_id, owner_name: name, limits }];
    });
    return { body: { items: here } };
  },
  "GET /api/images": ({ state }) => ({
    // Without an engine, a gateway knows nothing of the images on its host.
    body: { items: state.engine ? IMAGES : IMAGES.map(unknown) },
  }),
  "GET /api/fleet/placement": ({ state }) => ({ body: state.placement }),
  "PUT /api/fleet/placement": ({ mock, state, body }) => {
    state.placement = body;
    mock.hub.changed("placement", "w1");
    return { body };
  },
  "DELETE /api/fleet/placement": ({ mock, state }) => {
    state.placement = { target: "local" };
    mock.hub.changed("placement", "w1");
    return { status: 204 };
  },
} satisfies Routes;
