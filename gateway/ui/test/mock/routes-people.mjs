// People of the mock: members, invitations, tokens, workspaces.
import { randomUUID } from "node:crypto";
import { Refusal } from "./server.mjs";
import { ago, newId } from "./state.mjs";

const RANK = ["viewer", "member", "admin", "owner"];
const later = (days) => ago(-86_400 * days);

function findMember(state, id) {
  const found = state.people.members.find((one) => one.user.id === id);
  if (!found) throw new Refusal(404, "not-found", "There is no such thing");
  return found;
}

function keepAnOwner(state, member) {
  const owners = state.people.members.filter((one) => one.role === "owner");
  if (member.role === "owner" && owners.length === 1)
    throw new Refusal(409, "conflict", "This conflicts with the present state", {
      detail: "This is the last Owner. Make somebody else an Owner first.",
    });
}

function link(state, token) {
  const found = state.people.links.get(token);
  if (!found) throw new Refusal(404, "invitation-unknown", "The invitation is not good any more");
  return found;
}

export const peopleRoutes = (signedIn, open) => ({
  "POST /api/auth/sessions": signedIn(({ state, body }) => {
    const token = `rat_${randomUUID()}`;
    const row = { id: newId(), label: body.label, kind: "api", created_at: ago(0), last_seen_at: ago(0) };
    state.sessions.set(token, { ...row, expires_at: later(body.expires_in_days) });
    return {
      status: 201,
      body: { id: row.id, token, label: body.label, expires_at: later(body.expires_in_days) },
    };
  }),
  "PUT /api/auth/workspace": signedIn(({ state, body }) => {
    state.workspace = body.workspace_id;
    return { status: 204 };
  }),
  "POST /api/workspaces": signedIn(({ state, body }) => {
    const made = { id: newId(), name: body.name, role: "owner" };
    state.people.workspaces.push(made);
    return { status: 201, body: made };
  }),
  "PATCH /api/workspaces/:id": signedIn(({ mock, state, params, body }) => {
    if (state.renameRefused)
      throw new Refusal(400, "validation", "The name is not taken", {
        errors: [{ pointer: "/name", detail: state.renameRefused }],
      });
    const row = state.people.workspaces.find((one) => one.id === params.id);
    row.name = body.name;
    mock.hub.changed("workspace", params.id, 2);
    return { body: row };
  }),
  "DELETE /api/workspaces/:id": signedIn(({ state, params, query }) => {
    const row = state.people.workspaces.find((one) => one.id === params.id);
    if (query.get("confirm") !== row.name) throw new Refusal(400, "validation", "Not its name");
    state.people.workspaces = state.people.workspaces.filter((one) => one !== row);
    state.workspace = state.people.workspaces[0].id;
    return { status: 202, body: { saga_id: newId() } };
  }),
  "GET /api/workspaces/:id/members": signedIn(({ state }) => ({
    body: { items: state.people.members, next_cursor: null },
  })),
  "PATCH /api/workspaces/:id/members/:user": signedIn(({ state, params, body }) => {
    const member = findMember(state, params.user);
    if (RANK.indexOf(body.role) < RANK.indexOf(member.role)) keepAnOwner(state, member);
    member.role = body.role;
    return { body: member };
  }),
  "DELETE /api/workspaces/:id/members/:user": signedIn(({ state, params }) => {
    const member = findMember(state, params.user);
    keepAnOwner(state, member);
    state.people.members.splice(state.people.members.indexOf(member), 1);
    return { status: 204 };
  }),
  "GET /api/workspaces/:id/invitations": signedIn(({ state }) => ({
    body: { items: state.people.invitations, next_cursor: null },
  })),
  "POST /api/workspaces/:id/invitations": signedIn(({ state, body }) => {
    const token = `rit_${randomUUID()}`;
    const { role, email } = body;
    const row = { id: newId(), role, email, created_at: ago(0), expires_at: later(body.expires_in_days) };
    state.people.invitations.unshift({ ...row, invited_by: state.user });
    state.people.links.set(token, row);
    return {
      status: 201,
      body: {
        id: row.id,
        token,
        link: `${state.publicUrl ?? ""}/invitation#${token}`,
        role,
        expires_at: row.expires_at,
      },
    };
  }),
  "DELETE /api/workspaces/:id/invitations/:one": signedIn(({ state, params }) => {
    state.people.invitations = state.people.invitations.filter((one) => one.id !== params.one);
    return { status: 204 };
  }),
  "POST /api/invitations/look": open(({ state, body }) => {
    const { role, email } = link(state, body.token);
    return {
      body: { workspace: "Ada's workshop", role, email, invited_by: state.user.name, expires_at: later(7) },
    };
  }),
  "POST /api/invitations/accept": open(({ state, body }) => {
    const { role } = link(state, body.token);
    state.people.links.delete(body.token);
    const token = randomUUID();
    state.sessions.set(token, {
      id: newId(),
      label: null,
      kind: "login",
      created_at: ago(0),
      last_seen_at: ago(0),
    });
    return {
      headers: { "set-cookie": `roost_session=${token}; HttpOnly; SameSite=Lax; Path=/` },
      body: { user: state.user, workspace: { id: "w1", name: "Ada's workshop" }, role },
    };
  }),
});
