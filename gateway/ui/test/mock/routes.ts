import { randomUUID } from "node:crypto";
import { ago, newId } from "./ids.ts";
import { must, Refusal } from "./refusal.ts";
import type { Key, Routes, Unspoilt } from "./route.ts";
import { accountRoutes } from "./routes-account.ts";
import { appRoutes } from "./routes-apps.ts";
import { auditRoutes } from "./routes-audit.ts";
import { brainRoutes } from "./routes-brain.ts";
import { clawRoutes } from "./routes-claws.ts";
import { doorRoutes } from "./routes-doors.ts";
import { levelUpRoutes } from "./routes-levelups.ts";
import { missionRoutes } from "./routes-missions.ts";
import { routineRoutes } from "./routes-routines.ts";
import { meshRoutes } from "./routes-mesh.ts";
import { modelRoutes } from "./routes-models.ts";
import { nodeRoutes } from "./routes-nodes.ts";
import { peopleRoutes } from "./routes-people.ts";
import { repoRoutes } from "./routes-repos.ts";
import { runRoutes } from "./routes-runs.ts";
import { runtimeRoutes } from "./routes-runtime.ts";
import { sandboxRoutes } from "./routes-sandboxes.ts";
import { skillRoutes } from "./routes-skills.ts";
import { teamRoutes } from "./routes-teams.ts";
import { templateRoutes } from "./routes-templates.ts";
import { uploadRoutes } from "./routes-uploads.ts";
import type { Role, Schemas } from "./schema.ts";
import type { State } from "./state.ts";
import { explanation, head, makeTree, streamPromises, streamTree } from "./tree.ts";
import { landmarksOf } from "./world.ts";

/** Routes for those who are not signed in. */
export const OPEN: readonly Key[] = [
  "GET /api/setup",
  "POST /api/setup",
  "POST /api/auth/confirm-address",
  "POST /api/auth/login",
  "POST /api/invitations/look",
  "POST /api/invitations/accept",
];

function operating(state: State): void {
  if (!state.operator) throw new Refusal(403, "forbidden", "This needs the operator grant");
}

const RIGHTS: Record<Role, string[]> = {
  admin: [],
  member: [],
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
    "missions.read",
    "missions.manage",
    "routines.read",
    "routines.manage",
    "runs.read",
    "runs.start",
    "runs.push",
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
    "missions.read",
    "routines.read",
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
RIGHTS.admin = RIGHTS.owner.filter((right) => right !== "workspace.delete");
RIGHTS.member = RIGHTS.owner.filter((right) => !NOT_OF_MEMBERS.includes(right));

function belongs(state: State): void {
  if (state.people.workspaces.length === 0)
    throw new Refusal(403, "forbidden", "This is not allowed", {
      detail: "You are not a member of any workspace; ask an Owner to invite you.",
    });
}

function workspaceOf(state: State): Schemas["WorkspaceBrief"] {
  const { id, name } = must(state.people.workspaces.find((one) => one.id === state.workspace));
  return { id, name };
}

const me = (state: State): Schemas["Me"] => ({
  user: state.user,
  workspace: workspaceOf(state),
  role: state.role,
  operator: state.operator,
  workspaces: state.people.workspaces,
  permissions: RIGHTS[state.role],
  must_set_password: state.mustSetPassword,
  hosted: state.linked ?? false,
  mail: state.mails ?? false,
  mail_notices: state.mailNotices ?? false,
  pending_email: state.pendingEmail ?? null,
});

/** The cookie of a session. */
export const SESSION = "roost_session";

/** Opens a session, and gives its token. */
export function openSession(state: State, agent: string | undefined): string {
  const token = randomUUID();
  state.sessions.set(token, {
    id: newId(),
    label: null,
    created_at: ago(0),
    last_seen_at: ago(0),
    expires_at: ago(-86_400),
    kind: "login",
    device: agent?.slice(0, 200) ?? null,
    workspace_id: state.workspace,
  });
  return token;
}

function opened(state: State, agent: string | undefined) {
  const token = openSession(state, agent);
  return {
    headers: { "set-cookie": `${SESSION}=${token}; HttpOnly; SameSite=Lax; Path=/` },
    body: {
      token,
      user: state.user,
      workspace: workspaceOf(state),
      role: state.role,
      must_set_password: state.mustSetPassword,
      expires_at: ago(-86_400),
    },
  };
}

const login: Routes["POST /api/auth/login"] = ({ state, body, request }) => {
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
  return opened(state, request.headers["user-agent"]);
};

const own = {
  "GET /api/setup": ({ state }) => ({
    body: { owner_ready: state.ownerReady, ...(state.hosted && { hosted: state.hosted }) },
  }),
  "POST /api/auth/device/look": () => ({
    body: { device: "roost on desk", from_address: "192.0.2.7", expires_at: "2030-01-01T00:00:00Z" },
  }),
  "POST /api/auth/device/confirm": ({ state, body }) => {
    state.confirmed = [...(state.confirmed ?? []), body.code];
    return { status: 204 };
  },
  "POST /api/auth/login": login,
  "POST /api/auth/logout": ({ state, session }) => {
    state.sessions.delete(session);
    return { status: 204, headers: { "set-cookie": `${SESSION}=; Max-Age=0; Path=/` } };
  },
  "GET /api/auth/me": ({ state }) => {
    belongs(state);
    return { body: me(state) };
  },
  "POST /api/auth/password": ({ state, body }) => {
    if (!state.mustSetPassword && body.current !== state.password) {
      throw new Refusal(400, "validation", "The password was not changed", {
        errors: [{ pointer: "/current", detail: "This is not your current password." }],
      });
    }
    Object.assign(state, { password: body.new, mustSetPassword: false, ownerReady: true });
    return { status: 204 };
  },
  "GET /api/auth/sessions": ({ state, session }) => ({
    body: {
      items: [...state.sessions].map(([token, one]) => ({ ...one, current: token === session })),
      next_cursor: null,
    },
  }),
  "DELETE /api/auth/sessions/{id}": ({ state, params }) => {
    for (const [token, one] of state.sessions) if (one.id === params.id) state.sessions.delete(token);
    return { status: 204 };
  },
  "GET /api/quota": ({ state }) => ({
    body: {
      plan: state.quota.plan,
      agents: { used: state.claws.length, limit: state.quota.agents },
      live_containers: { used: state.sandboxes.size, limit: state.quota.live_containers },
    },
  }),
  "GET /api/events": ({ mock, query, request, response }) => {
    mock.hub.attach(response, query.get("last_event_id") ?? [request.headers["last-event-id"]].flat()[0]);
  },
  "GET /api/world/stream": ({ mock, state, response }) => {
    mock.hub.attachWorld(response, () => landmarksOf(state));
  },
  "GET /api/ops/tree": ({ state }) => {
    operating(state);
    return { body: { ...head(), root: makeTree(state.nodes) } };
  },
  "GET /api/ops/tree/stream": (at) => {
    if (at.query.get("show") === "promises") {
      operating(at.state);
      return streamPromises(at);
    }
    if (!at.state.ownTree) operating(at.state);
    return streamTree(at);
  },
  "GET /api/ops/broker": ({ state }) => {
    operating(state);
    return { body: state.broker };
  },
  "GET /api/ops/sign-in": ({ state }) => {
    operating(state);
    return { body: state.signIn };
  },
  "GET /api/ops/actors/{id}/explain": ({ state, params }) => {
    operating(state);
    const body = explanation(makeTree(state.nodes), params.id);
    if (!body) throw new Refusal(404, "not-found", "There is no such actor");
    return { body };
  },
  "POST /api/ops/actors/{id}/restart": ({ state, params }) => {
    operating(state);
    (state.restarted ??= []).push(params.id);
    return { status: 202 };
  },
} satisfies Routes;

const all = {
  ...own,
  ...accountRoutes(me, opened),
  ...peopleRoutes,
  ...nodeRoutes,
  ...clawRoutes,
  ...sandboxRoutes,
  ...brainRoutes,
  ...auditRoutes,
  ...appRoutes,
  ...doorRoutes,
  ...meshRoutes,
  ...levelUpRoutes,
  ...missionRoutes,
  ...routineRoutes,
  ...repoRoutes,
  ...runRoutes,
  ...teamRoutes,
  ...modelRoutes,
  ...runtimeRoutes,
  ...skillRoutes,
  ...templateRoutes,
  ...uploadRoutes,
};

/** All routes. A body with a field that the document does not know is an error of types here, which names the field. */
export const routes: Routes & Unspoilt<typeof all> = all;
