import { activityOf } from "./activity.mjs";
import { makeExec, streamExec } from "./exec.mjs";
import { Refusal } from "./server.mjs";
import { brief, makeClaw, makeSandbox } from "./state.mjs";

function clawOf({ state, params }) {
  const claw = state.claws.find((one) => one.id === params.id);
  if (!claw) throw new Refusal(404, "not-found", "There is no such agent");
  return claw;
}
function sandboxOf(at) {
  const sandbox = at.state.sandboxes.get(clawOf(at).id);
  if (!sandbox) throw new Refusal(409, "no-sandbox", "This agent has no sandbox");
  return sandbox;
}
function execOf(at) {
  const exec = at.state.execs.get(at.params.op);
  if (!exec) throw new Refusal(404, "not-found", "There is no such operation");
  return exec;
}
function touch({ mock }, claw, change = {}) {
  Object.assign(claw, change, { version: claw.version + 1, updated_at: new Date().toISOString() });
  mock.hub.changed("claw", claw.id, claw.version);
  return claw;
}

function nameIsFree(state, name, but) {
  if (state.claws.some((one) => one !== but && one.name === name))
    throw new Refusal(409, "name-taken", "The name is taken", {
      errors: [{ pointer: "/name", detail: "Another agent has this name. Choose another name." }],
    });
}

function create(at) {
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
}

async function provision(at) {
  const { mock, state } = at;
  const claw = clawOf(at);
  const old = state.sandboxes.get(claw.id);
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
  state.sandboxes.set(claw.id, sandbox);
  touch(at, claw, { sandbox: brief(sandbox), status: "idle" });
  mock.hub.changed("sandbox", sandbox.id);
  return { status: 201, body: sandbox };
}

function startExec(at) {
  const sandbox = sandboxOf(at);
  if (sandbox.state === "lost")
    throw new Refusal(409, "sandbox-lost", "The sandbox is lost", { detail: "Make a new one." });
  const exec = makeExec(at.body.argv, at.body.tty);
  at.state.execs.set(exec.id, exec);
  return { status: 202, body: { operation_id: exec.id } };
}

const EXEC = "/api/claws/:id/sandbox/exec";

export const clawRoutes = (signedIn) => ({
  "GET /api/claws": signedIn(({ state }) => ({ body: { items: state.claws, next_cursor: null } })),
  "POST /api/claws": signedIn(create),
  "GET /api/claws/:id": signedIn((at) => ({ body: clawOf(at) })),
  "PATCH /api/claws/:id": signedIn((at) => {
    const claw = clawOf(at);
    nameIsFree(at.state, at.body.name ?? claw.name, claw);
    return { body: touch(at, claw, at.body) };
  }),
  "DELETE /api/claws/:id": signedIn((at) => {
    const claw = clawOf(at);
    at.state.claws = at.state.claws.filter((one) => one !== claw);
    at.state.sandboxes.delete(claw.id);
    touch(at, claw);
    return {
      status: at.query.get("purge") ? 202 : 204,
      body: at.query.get("purge") ? { saga_id: "s1", state: "running" } : undefined,
    };
  }),
  "GET /api/claws/:id/activity": signedIn((at) => ({ body: activityOf(at, clawOf(at)) })),
  "POST /api/claws/:id/sandbox": signedIn(provision),
  "GET /api/claws/:id/sandbox": signedIn((at) => ({ body: sandboxOf(at) })),
  "DELETE /api/claws/:id/sandbox": signedIn((at) => {
    const sandbox = sandboxOf(at);
    at.state.sandboxes.delete(at.params.id);
    touch(at, clawOf(at), { sandbox: null, status: "offline" });
    at.mock.hub.changed("sandbox", sandbox.id, 2);
    return { status: 204 };
  }),
  [`POST ${EXEC}`]: signedIn(startExec),
  [`GET ${EXEC}/:op`]: signedIn((at) =>
    streamExec(execOf(at), Number(at.query.get("offset") ?? 0), at.response),
  ),
  [`POST ${EXEC}/:op/stdin`]: signedIn((at) => {
    const exec = execOf(at);
    if (exec.exit) throw new Refusal(409, "conflict", "The command has ended");
    const fresh = at.raw.subarray(Math.max(0, exec.stdin - Number(at.query.get("offset"))));
    exec.stdin += fresh.length;
    if (fresh.length > 0) exec.onInput(fresh);
    if (at.query.get("eof")) exec.onEof();
    return { body: { offset: exec.stdin } };
  }),
  [`POST ${EXEC}/:op/resize`]: signedIn((at) => (execOf(at), { status: 204 })),
  [`DELETE ${EXEC}/:op`]: signedIn((at) => {
    const exec = execOf(at);
    setTimeout(() => exec.finish("cancelled", null), 60);
    return { status: 202, body: {} };
  }),
});
