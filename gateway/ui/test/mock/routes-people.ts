// People of the mock: members, invitations, tokens, workspaces.
import { randomUUID } from "node:crypto";
import { ago, newId } from "./ids.ts";
import { basedOn, must, Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { Member, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

const RANK: Schemas["Role"][] = ["viewer", "member", "admin", "owner"];
const later = (days?: number | null): string => ago(-86_400 * (days ?? 30));

function findMember(state: State, id: string): Member {
  return must(state.people.members.find((one) => one.user.id === id));
}

function keepAnOwner(state: State, member: Member) {
  const owners = state.people.members.filter((one) => one.role === "owner");
  if (member.role === "owner" && owners.length === 1)
    throw new Refusal(409, "conflict", "This conflicts with the present state", {
      detail: "This is the last Owner. Make another member an Owner first.",
    });
}

function link(state: State, token: string) {
  return must(state.people.links.get(token), "The invitation is not good any more", "invitation-unknown");
}

/** A session that begins now. */
const session = (state: State, more: { label: string | null; kind: string; expires_at: string }) => ({
  id: newId(),
  created_at: ago(0),
  last_seen_at: ago(0),
  workspace_id: state.workspace,
  ...more,
});

const whole = (state: State, one: Schemas["MembershipBrief"]): Schemas["Workspace"] => ({
  ...one,
  push_policy: state.pushPolicy,
  file_policy: state.filePolicy,
  workflow_policy: state.workflowPolicy,
  plan: "scale",
  created_at: ago(86_400 * 40),
  version: state.workspaceVersion,
});

export const peopleRoutes = {
  "GET /api/ops/plans": ({ state }) => ({ body: { items: state.plans, default: "scale", signup: "free" } }),
  "PUT /api/ops/plans/{name}": ({ state, params, body, request }) => {
    const one = must(state.plans.find(({ name }) => name === params.name));
    basedOn(one.version, request.headers);
    Object.assign(one, body, { version: one.version + 1 });
    return { body: one };
  },
  "POST /api/auth/sessions": ({ state, body }) => {
    const token = `rat_${randomUUID()}`;
    const row = {
      ...session(state, { label: body.label, kind: "api", expires_at: later(body.expires_in_days) }),
      scopes: body.scopes ?? null,
    };
    state.sessions.set(token, row);
    return {
      status: 201,
      body: { id: row.id, token, label: body.label, scopes: row.scopes, expires_at: row.expires_at },
    };
  },
  "PUT /api/auth/workspace": ({ state, body }) => {
    state.workspace = body.workspace_id;
    return { status: 204 };
  },
  "POST /api/workspaces": ({ state, body }) => {
    const made: Schemas["MembershipBrief"] = { id: newId(), name: body.name, role: "owner" };
    state.people.workspaces.push(made);
    return { status: 201, body: whole(state, made) };
  },
  "GET /api/workspaces/{id}": ({ state, params }) => ({
    body: whole(state, must(state.people.workspaces.find((one) => one.id === params.id))),
  }),
  "PATCH /api/workspaces/{id}": ({ mock, state, params, body, request }) => {
    basedOn(state.workspaceVersion, request.headers);
    if (state.renameRefused)
      throw new Refusal(400, "validation", "The name is not taken", {
        errors: [{ pointer: "/name", detail: state.renameRefused }],
      });
    const row = must(state.people.workspaces.find((one) => one.id === params.id));
    if (body.plan) {
      if (!state.operator) throw new Refusal(403, "forbidden", "Your role does not allow this");
      const plan = must(state.plans.find(({ name }) => name === body.plan));
      Object.assign(state.quota, { plan: plan.name, agents: plan.agents });
      state.quota.live_containers = plan.live_containers;
    }
    state.workspaceVersion += 1;
    if (body.name) row.name = body.name;
    if (body.push_policy) state.pushPolicy = body.push_policy;
    if (body.file_policy) state.filePolicy = body.file_policy;
    if (body.workflow_policy) state.workflowPolicy = body.workflow_policy;
    mock.hub.changed("workspace", params.id, 2);
    return { body: whole(state, row) };
  },
  "DELETE /api/workspaces/{id}": ({ state, params, query }) => {
    const row = must(state.people.workspaces.find((one) => one.id === params.id));
    if (query.get("confirm") !== row.name) throw new Refusal(400, "validation", "Not its name");
    state.people.workspaces = state.people.workspaces.filter((one) => one !== row);
    state.workspace = state.people.workspaces[0].id;
    return { status: 202, body: { saga_id: newId() } };
  },
  "GET /api/workspaces/{id}/members": ({ state }) => ({
    body: { items: state.people.members, next_cursor: null },
  }),
  "PATCH /api/workspaces/{id}/members/{user_id}": ({ state, params, body }) => {
    const member = findMember(state, params.user_id);
    if (RANK.indexOf(body.role) < RANK.indexOf(member.role)) keepAnOwner(state, member);
    member.role = body.role;
    return { body: member };
  },
  "DELETE /api/workspaces/{id}/members/{user_id}": ({ state, params }) => {
    const member = findMember(state, params.user_id);
    keepAnOwner(state, member);
    state.people.members.splice(state.people.members.indexOf(member), 1);
    return { status: 204 };
  },
  "GET /api/workspaces/{id}/invitations": ({ state }) => ({
    body: { items: state.people.invitations, next_cursor: null },
  }),
  "POST /api/workspaces/{id}/invitations": ({ state, body }) => {
    const token = `rit_${randomUUID()}`;
    const { role, email } = body;
    const row: Schemas["Invitation"] = {
      id: newId(),
      role,
      email: email ?? null,
      created_at: ago(0),
      expires_at: later(body.expires_in_days),
      invited_by: state.user,
    };
    state.people.invitations.unshift(row);
    state.people.links.set(token, row);
    return {
      status: 201,
      body: {
        id: row.id,
        token,
        link: `${state.publicUrl ?? ""}/invitation#${token}`,
        address_problem: state.addressProblem ?? null,
        mailed: Boolean(state.mails && email),
        role,
        expires_at: row.expires_at,
      },
    };
  },
  "DELETE /api/workspaces/{id}/invitations/{invitation_id}": ({ state, params }) => {
    state.people.invitations = state.people.invitations.filter((one) => one.id !== params.invitation_id);
    return { status: 204 };
  },
  "POST /api/invitations/look": ({ state, body }) => {
    const { role, email } = link(state, body.token);
    return {
      body: { workspace: "Ada's workshop", role, email, invited_by: state.user.name, expires_at: later(7) },
    };
  },
  "POST /api/invitations/accept": ({ state, body }) => {
    const { role } = link(state, body.token);
    state.people.links.delete(body.token);
    const token = randomUUID();
    state.sessions.set(token, session(state, { label: null, kind: "login", expires_at: later(1) }));
    return {
      headers: { "set-cookie": `roost_session=${token}; HttpOnly; SameSite=Lax; Path=/` },
      body: { user: state.user, workspace: { id: "w1", name: "Ada's workshop" }, role },
    };
  },
} satisfies Routes;
