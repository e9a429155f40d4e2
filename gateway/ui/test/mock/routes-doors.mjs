// The mock's doors: listed, decided once, and then done by it at once.
import { CATALOGUE } from "./doors.mjs";
import { Refusal } from "./server.mjs";

/** Decides as the gateway does: the first decision wins, and later requests get its result. */
export function decide(mock, door, decision, by) {
  if (door.state !== "pending") return door;
  const approved = decision === "approve";
  Object.assign(door, {
    state: approved ? "performed" : "denied",
    decided_by: by,
    decided_at: new Date().toISOString(),
    result: approved ? { status: 201, url: "https://github.com/octo/hello/issues/8" } : null,
  });
  mock.hub.emit("door.resolve", { doorId: door.id, decision, by: by.id });
  mock.hub.changed("door", door.id, 2);
  return door;
}

export function ask(mock, door) {
  mock.state.doors.push(door);
  const { id, agent_id, action, target, summary } = door;
  mock.hub.emit("door.request", { doorId: id, agentId: agent_id, action, target, summary });
}

const may = (state) => {
  if (state.role !== "owner") throw new Refusal(403, "forbidden", "This is not allowed");
};

export const doorRoutes = (signedIn) => ({
  "GET /api/doors": signedIn(({ state, query }) => {
    const newest = state.doors.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const found = query.get("state") === "pending" ? newest.filter((one) => one.state === "pending") : newest;
    const from = Number(query.get("cursor") ?? 0);
    const limit = Math.min(Number(query.get("limit")), state.doorPage ?? 100);
    const next = from + limit < found.length ? String(from + limit) : null;
    return { body: { items: found.slice(from, from + limit), next_cursor: next } };
  }),
  "GET /api/doors/catalogue": signedIn(() => ({ body: { items: CATALOGUE } })),
  "POST /api/doors/:id/resolve": signedIn(({ mock, state, params, body }) => {
    may(state);
    const door = state.doors.find((one) => one.id === params.id);
    if (!door) throw new Refusal(404, "not-found", "There is no such request");
    (state.resolved ??= []).push(body.decision);
    return { body: decide(mock, door, body.decision, state.user) };
  }),
});
