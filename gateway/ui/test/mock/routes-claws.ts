import { activityOf } from "./activity.ts";
import { makeExec, streamExec, type Exec } from "./exec.ts";
import { must, Refusal } from "./refusal.ts";
import type { Asked, AskedOf, Routes } from "./route.ts";
import type { Claw, Sandbox } from "./schema.ts";
import { changesOf, fileOf, folderOf, historyOf, known } from "./snapshots.ts";
import type { State } from "./state.ts";
import { brief, makeClaw, makeSandbox } from "./state.ts";

function clawOf({ state, params }: AskedOf): Claw {
  return must(
    state.claws.find((one) => one.id === params.id),
    "There is no such agent",
  );
}
function sandboxOf(at: AskedOf): Sandbox {
  const sandbox = at.state.sandboxes.get(clawOf(at).id);
  if (!sandbox) throw new Refusal(409, "no-sandbox", "This agent has no sandbox");
  return sandbox;
}
function execOf({ state, params }: Asked & { params: { operation_id: string } }): Exec {
  return must(state.execs.get(params.operation_id), "There is no such operation");
}
function touch({ mock }: Asked, claw: Claw, change: Partial<Claw> = {}): Claw {
  Object.assign(claw, change, { version: claw.version + 1, updated_at: new Date().toISOString() });
  mock.hub.changed("claw", claw.id, claw.version);
  return claw;
}

function nameIsFree(state: State, name: string, but?: Claw): void {
  if (state.claws.some((one) => one !== but && one.name === name))
    throw new Refusal(409, "name-taken", "The name is taken", {
      errors: [{ pointer: "/name", detail: "Another agent has this name. Choose another name." }],
    });
}

const create: Routes["POST /api/claws"] = (at) => {
  const { state, body } = at;
  if (!body.name?.trim())
    throw new Refusal(400, "validation", "The agent was not created", {
      errors: [{ pointer: "/name", detail: "Give the agent a name." }],
    });
  nameIsFree(state, body.name);
  if (state.claws.length >= state.quota.agents)
    throw new Refusal(402, "quota-exceeded", "The plan allows no further agent", {
      detail: "Delete an agent to make room.",
      limit: state.quota.agents,
      used: state.claws.length,
    });
  const claw = makeClaw(state, body.name, body);
  state.claws.push(claw);
  touch(at, claw);
  return { status: 201, body: claw };
};

const provision: Routes["POST /api/claws/{id}/sandbox"] = async (at) => {
  const { mock, state } = at;
  const claw = clawOf(at);
  const old = state.sandboxes.get(claw.id);
  const restored = at.body.restore
    ? must(historyOf(state, claw.id).find(({ snapshot }) => snapshot.id === at.body.restore)).snapshot
    : undefined;
  if (old?.state === "running" && restored)
    throw new Refusal(409, "conflict", "This conflicts with the present state", {
      detail:
        "The agent has a sandbox. End it first, which saves its files; then make one from the snapshot.",
    });
  if (old?.state === "running") return { body: old };
  await new Promise((done) => setTimeout(done, 60));
  const wanted =
    state.placement.target === "node"
      ? state.nodes.find((one) => one.id === state.placement.node_id)
      : undefined;
  const usable = wanted?.status === "online" && wanted.connection === "connected";
  const sandbox = makeSandbox(claw, usable ? wanted : undefined);
  if (wanted && !usable) {
    sandbox.fallback = { wanted: wanted.id, reason: "node_offline" };
    mock.hub.emit("placement.fallback", { agentId: claw.id, ...sandbox.fallback });
  }
  if (restored)
    Object.assign(sandbox, {
      snapshot: restored,
      restored_from: { digest: restored.digest, taken_at: restored.taken_at },
    });
  state.sandboxes.set(claw.id, sandbox);
  touch(at, claw, { sandbox: brief(sandbox), status: "idle" });
  mock.hub.changed("sandbox", sandbox.id);
  return { status: 201, body: sandbox };
};

const startExec: Routes["POST /api/claws/{id}/sandbox/exec"] = (at) => {
  const sandbox = sandboxOf(at);
  if (sandbox.state === "lost")
    throw new Refusal(409, "sandbox-lost", "The sandbox is lost", { detail: "Make a new one." });
  const exec = makeExec(at.body.argv, at.body.tty);
  at.state.execs.set(exec.id, exec);
  return { status: 202, body: { operation_id: exec.id } };
};

export const clawRoutes = {
  "GET /api/claws": ({ state }) => ({ body: { items: state.claws, next_cursor: null } }),
  "POST /api/claws": create,
  "GET /api/claws/{id}": (at) => ({ body: clawOf(at) }),
  "PATCH /api/claws/{id}": (at) => {
    const claw = clawOf(at);
    const { name = null, ...rest } = at.body;
    nameIsFree(at.state, name ?? claw.name, claw);
    return { body: touch(at, claw, { ...rest, ...(name !== null && { name }) }) };
  },
  "DELETE /api/claws/{id}": (at) => {
    const claw = clawOf(at);
    at.state.claws = at.state.claws.filter((one) => one !== claw);
    at.state.sandboxes.delete(claw.id);
    touch(at, claw);
    return at.query.get("purge")
      ? { status: 202, body: { saga_id: "s1", state: "running" } }
      : { status: 204 };
  },
  "GET /api/claws/{id}/activity": (at) => ({ body: activityOf(at, clawOf(at)) }),
  "GET /api/claws/{id}/snapshots": (at) => {
    const all = historyOf(at.state, clawOf(at).id).map(({ snapshot }) => snapshot);
    const from = Number(at.query.get("cursor") ?? 0);
    const next = from + Number(at.query.get("limit") ?? 50);
    return {
      body: { items: all.slice(from, next), next_cursor: next < all.length ? String(next) : null },
    };
  },
  "GET /api/claws/{id}/snapshots/{snapshot}/files": ({ state, params, query }) => ({
    body: folderOf(known(state, params.id, params.snapshot).files, query.get("path") ?? ""),
  }),
  "GET /api/claws/{id}/snapshots/{snapshot}/file": ({ state, params, query, response }) => {
    if (state.role === "viewer") throw new Refusal(403, "forbidden", "This is not allowed");
    const content = fileOf(known(state, params.id, params.snapshot).files, query.get("path") ?? "");
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": String(content.length),
      "content-disposition": "attachment",
    });
    response.end(content);
    return undefined;
  },
  "GET /api/claws/{id}/snapshots/{snapshot}/diff": ({ state, params, query }) => ({
    body: changesOf(
      known(state, params.id, query.get("before") ?? "").files,
      known(state, params.id, params.snapshot).files,
    ),
  }),
  "POST /api/claws/{id}/sandbox": provision,
  "GET /api/claws/{id}/sandbox": (at) => ({ body: sandboxOf(at) }),
  "DELETE /api/claws/{id}/sandbox": (at) => {
    const sandbox = sandboxOf(at);
    at.state.sandboxes.delete(at.params.id);
    touch(at, clawOf(at), { sandbox: null, status: "offline" });
    at.mock.hub.changed("sandbox", sandbox.id, 2);
    return { status: 204 };
  },
  "POST /api/claws/{id}/sandbox/exec": startExec,
  "GET /api/claws/{id}/sandbox/exec/{operation_id}": (at) =>
    streamExec(execOf(at), Number(at.query.get("offset") ?? 0), at.response),
  "POST /api/claws/{id}/sandbox/exec/{operation_id}/stdin": (at) => {
    const exec = execOf(at);
    if (exec.exit) throw new Refusal(409, "conflict", "The command has ended");
    const fresh = at.raw.subarray(Math.max(0, exec.stdin - Number(at.query.get("offset"))));
    exec.stdin += fresh.length;
    if (fresh.length > 0) exec.onInput(fresh);
    if (at.query.get("eof")) exec.onEof();
    return { body: { offset: exec.stdin } };
  },
  "POST /api/claws/{id}/sandbox/exec/{operation_id}/resize": (at) => (execOf(at), { status: 204 }),
  "DELETE /api/claws/{id}/sandbox/exec/{operation_id}": (at) => {
    const exec = execOf(at);
    setTimeout(() => exec.finish("cancelled", null), 60);
    return { status: 202 };
  },
} satisfies Routes;
