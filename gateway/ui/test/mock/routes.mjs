import { randomUUID } from "node:crypto";
import { clawRoutes } from "./routes-claws.mjs";
import { appRoutes } from "./routes-apps.mjs";
import { auditRoutes } from "./routes-audit.mjs";
import { brainRoutes } from "./routes-brain.mjs";
import { doorRoutes } from "./routes-doors.mjs";
import { nodeRoutes } from "./routes-nodes.mjs";
import { peopleRoutes } from "./routes-people.mjs";
import { meshRoutes } from "./routes-mesh.mjs";
import { modelRoutes } from "./routes-models.mjs";
import { repoRoutes } from "./routes-repos.mjs";
import { runRoutes } from "./routes-runs.mjs";
import { teamRoutes } from "./routes-teams.mjs";
import { runtimeRoutes } from "./routes-runtime.mjs";
import { skillRoutes } from "./routes-skills.mjs";
import { templateRoutes } from "./routes-templates.mjs";
import { Refusal } from "./server.mjs";
import { ago, newId } from "./state.mjs";
import { explanation, makeTree, streamPromises, streamTree } from "./tree.mjs";

const open = (call) => ({ open: true, call });
const signedIn = (call) => ({ call });
const operating = (call) =>
  signedIn((context) => {
    if (!context.state.operator) throw new Refusal(403, "forbidden", "This needs the operator grant");
    return call(context);
  });

const RIGHTS = {
  owner: [
    "workspace.read",
    "workspace.change",
    "workspace.delete",
    "members.read",
    "members.manage",
    "audit.read",
    "claws.read",
    "claws.write",
    "claws.purge",
    "sandboxes.read",
    "sandboxes.use",
    "nodes.read",
    "nodes.manage",
    "placement.set",
    "repos.read",
    "repos.sync",
    "repos.manage",
    "events.read",
    "tree.read",
    "apps.read",
    "apps.connect",
    "doors.read",
    "doors.resolve",
    "runs.read",
    "runs.start",
    "teams.read",
    "teams.manage",
    "skills.read",
    "skills.manage",
    "templates.read",
    "templates.manage",
    "models.manage",
  ],
  viewer: [
    "workspace.read",
    "members.read",
    "claws.read",
    "sandboxes.read",
    "nodes.read",
    "repos.read",
    "events.read",
    "apps.read",
    "doors.read",
    "runs.read",
    "teams.read",
    "skills.read",
    "templates.read",
  ],
};

const NOT_OF_MEMBERS = [
  "workspace.change",
  "workspace.delete",
  "members.manage",
  "audit.read",
  "claws.purge",
];
RIGHTS.member = RIGHTS.owner.filter((right) => !NOT_OF_MEMBERS.includes(right));

function belongs(state) {
  if (state.people.workspaces.length === 0)
    throw new Refusal(403, "forbidden", "This is not allowed", {
      detail: "You are not a member of any workspace; ask an Owner to invite you.",
    });
}

const me = (state) => ({
  user: state.user,
  workspace: state.people.workspaces.find((one) => one.id === state.workspace),
  role: state.role,
  operator: state.operator,
  workspaces: state.people.workspaces,
  permissions: RIGHTS[state.role],
  must_set_password: state.mustSetPassword,
  hosted: state.linked ?? false,
});

function login({ state, body, request }) {
  const right =
    body.one_time !== undefined
      ? body.one_time === state.oneTime
      : body.email === state.user.email && body.password === state.password;
  if (!right) {
    state.attempts += 1;
    if (state.attempts > 4)
      throw new Refusal(429, "too-many-attempts", "Too many attempts", { headers: { "retry-after": "30" } });
    throw new Refusal(401, "invalid-credentials", "That did not fit", {
      detail: "Check what you typed, and try again.",
    });
  }
  belongs(state);
  const token = randomUUID();
  state.sessions.set(token, {
    id: newId(),
    label: null,
    created_at: ago(0),
    last_seen_at: ago(0),
    expires_at: ago(-86_400),
    kind: "login",
    device: request.headers["user-agent"]?.slice(0, 200),
  });
  return {
    headers: { "set-cookie": `roost_session=${token}; HttpOnly; SameSite=Lax; Path=/` },
    body: { token, ...me(state), expires_at: ago(-86_400) },
  };
}

export const routes = {
  "GET /api/setup": open(({ state }) => ({
    body: { owner_ready: state.ownerReady, ...(state.hosted && { hosted: state.hosted }) },
  })),
  "POST /api/auth/device/look": signedIn(() => ({
    body: { device: "roost on desk", from_address: "192.0.2.7", expires_at: "2030-01-01T00:00:00Z" },
  })),
  "POST /api/auth/device/confirm": signedIn(({ state, body }) => {
    state.confirmed = [...(state.confirmed ?? []), body.code];
    return { status: 204 };
  }),
  "POST /api/auth/login": open(login),
  "POST /api/auth/logout": signedIn(({ state, session }) => {
    state.sessions.delete(session);
    return { status: 204, headers: { "set-cookie": "roost_session=; Max-Age=0; Path=/" } };
  }),
  "GET /api/auth/me": signedIn(({ state }) => {
    belongs(state);
    return { body: me(state) };
  }),
  "POST /api/auth/password": signedIn(({ state, body }) => {
    if (!state.mustSetPassword && body.current !== state.password) {
      throw new Refusal(400, "validation", "The password was not changed", {
        errors: [{ pointer: "/current", detail: "This is not your current password." }],
      });
    }
    Object.assign(state, { password: body.new, mustSetPassword: false, ownerReady: true });
    return { status: 204 };
  }),
  "GET /api/auth/sessions": signedIn(({ state, session }) => ({
    body: {
      items: [...state.sessions].map(([token, one]) => ({ ...one, current: token === session })),
      next_cursor: null,
    },
  })),
  "DELETE /api/auth/sessions/:id": signedIn(({ state, params }) => {
    for (const [token, one] of state.sessions) if (one.id === params.id) state.sessions.delete(token);
    return { status: 204 };
  }),
  "GET /api/quota": signedIn(({ state }) => ({
    body: {
      plan: state.quota.plan,
      agents: { used: state.claws.length, limit: state.quota.agents },
      live_containers: { used: state.sandboxes.size, limit: state.quota.live_containers },
    },
  })),
  "GET /api/events": signedIn(({ mock, query, request, response }) => {
    mock.hub.attach(response, query.get("last_event_id") ?? request.headers["last-event-id"]);
  }),
  "GET /api/ops/tree": signedIn(({ state }) => {
    if (!state.operator) throw new Refusal(403, "forbidden", "This needs the operator grant");
    return { body: { at: ago(0), root: makeTree(state.nodes) } };
  }),
  "GET /api/ops/tree/stream": signedIn((at) => {
    if (at.query.get("show") === "promises") return operating(streamPromises).call(at);
    if (!at.state.operator && !at.state.ownTree) return operating(streamTree).call(at);
    return streamTree(at);
  }),
  "GET /api/ops/broker": operating(({ state }) => ({ body: state.broker })),
  "GET /api/ops/sign-in": operating(({ state }) => ({ body: state.signIn })),
  "GET /api/ops/actors/:id/explain": operating(({ state, params }) => {
    const body = explanation(makeTree(state.nodes), params.id);
    if (!body) throw new Refusal(404, "not-found", "There is no such actor");
    return { body };
  }),
  "POST /api/ops/actors/:id/restart": operating(({ state, params }) => {
    (state.restarted ??= []).push(params.id);
    return { status: 202, body: {} };
  }),
  ...peopleRoutes(signedIn, open),
  ...nodeRoutes(signedIn),
  ...clawRoutes(signedIn),
  ...brainRoutes(signedIn),
  ...auditRoutes(signedIn),
  ...appRoutes(signedIn),
  ...doorRoutes(signedIn),
  ...meshRoutes(signedIn),
  ...repoRoutes(signedIn),
  ...runRoutes(signedIn),
  ...teamRoutes(signedIn),
  ...modelRoutes(signedIn),
  ...runtimeRoutes(signedIn),
  ...skillRoutes(signedIn),
  ...templateRoutes(signedIn),
};
