// The mock's doors: listed, decided once, and then done by it at once.
import { CATALOGUE } from "./doors.ts";
import { Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { Door, UserBrief, Schemas } from "./schema.ts";
import type { Mock } from "./server.ts";
import type { State } from "./state.ts";

/** Decides as the gateway does: the first decision wins, and later requests get its result. */
export function decide(
  mock: Mock,
  door: Door,
  decision: Schemas["Decision"],
  by: UserBrief,
  reason?: string | null,
) {
  if (door.state !== "pending") return door;
  const approved = decision === "approve";
  Object.assign(door, {
    state: approved ? "performed" : "denied",
    decided_by: by,
    decided_at: new Date().toISOString(),
    result: approved
      ? { status: 201, url: "https://github.com/octo/hello/issues/8" }
      : reason
        ? { message: reason }
        : null,
  });
  mock.hub.emit("door.resolve", { doorId: door.id, decision, by: by.id });
  mock.hub.changed("door", door.id, 2);
  return door;
}

export function ask(mock: Mock, door: Door) {
  mock.state.doors.push(door);
  const { id, agent_id, action, target, summary } = door;
  mock.hub.emit("door.request", { doorId: id, agentId: agent_id, action, target, summary });
}

const may = (state: State) => {
  if (state.role !== "owner") throw new Refusal(403, "forbidden", "This is not allowed");
};

export const doorRoutes = {
  "GET /api/doors": ({ state, query }) => {
    const newest = state.doors.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const agent = query.get("agent_id");
    const found = newest.filter(
      (one) =>
        (query.get("state") !== "pending" || one.state === "pending") &&
        (agent === null || one.agent_id === agent),
    );
    const from = Number(query.get("cursor") ?? 0);
    const limit = Math.min(Number(query.get("limit")), state.doorPage ?? 100);
    const next = from + limit < found.length ? String(from + limit) : null;
    return { body: { items: found.slice(from, from + limit), next_cursor: next } };
  },
  "GET /api/doors/catalogue": () => ({ body: { items: CATALOGUE } }),
  "GET /api/doors/{id}": ({ state, params }) => {
    const door = state.doors.find((one) => one.id === params.id);
    if (!door) throw new Refusal(404, "not-found", "There is no such request");
    return { body: door };
  },
  "POST /api/doors/{id}/resolve": ({ mock, state, params, body }) => {
    may(state);
    const door = state.doors.find((one) => one.id === params.id);
    if (!door) throw new Refusal(404, "not-found", "There is no such request");
    (state.resolved ??= []).push(body.decision);
    return { body: decide(mock, door, body.decision, state.user, body.reason) };
  },
} satisfies Routes;
