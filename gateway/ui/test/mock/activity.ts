// The history of an agent in the mock: its operations, the audit entries about it, and whatever a test says of it.
import { ago, newId } from "./ids.ts";
import type { Activity, Claw } from "./schema.ts";
import type { State } from "./state.ts";

const PAGE = 50;
const event = (id: string, seconds: number, what: string, data: Activity["data"]): Activity => ({
  id,
  source: "event",
  at: ago(seconds),
  what,
  data,
});

export function activityOf({ state, query }: { state: State; query: URLSearchParams }, claw: Claw) {
  const wanted = (query.get("sources") ?? "operation,event,audit").split(",");
  const operations: Activity[] = state.operations
    .filter((one) => one.owner_id === claw.id)
    .map(({ kind, created_at, started_at: _started, request, owner_id: _owner, ...one }) => ({
      ...one,
      source: "operation",
      at: created_at,
      what: kind,
      data: request,
    }));
  const audit: Activity[] = state.audit
    .filter((one) => one.entity_id === claw.id && state.role !== "viewer")
    .map(({ id, at, action, by, details }) => ({ id, source: "audit", at, what: action, by, data: details }));
  const said: Activity[] = [
    ...(state.said?.get(claw.id) ?? []),
    // What makes pages live has no line.
    event("1", 120, "agent.status", { agentId: claw.id, status: "idle" }),
    event("2", 50, "agent.computer.frame", { agentId: claw.id, text: "$ cargo test" }),
    event("3", 51, "world.touch", { agentId: claw.id, nodeId: "machine:local" }),
    event("4", 300, "door.request", {
      doorId: newId(),
      agentId: claw.id,
      action: "github.issues.create",
      summary: "Open an issue about the flaky test",
    }),
  ];
  const all = [...operations, ...audit, ...said]
    .filter((one) => wanted.includes(one.source))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const limit = Number(query.get("limit") ?? PAGE);
  const from = Number(query.get("cursor") ?? 0);
  const next = from + limit < all.length ? String(from + limit) : null;
  return { items: all.slice(from, from + limit), next_cursor: next };
}
