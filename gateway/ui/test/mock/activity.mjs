// The history of an agent in the mock: its operations, the audit entries about it, and whatever a test says of it.
import { ago } from "./state.mjs";

const PAGE = 50;

export function activityOf({ state, query }, claw) {
  const wanted = (query.get("sources") ?? "operation,event,audit").split(",");
  const operations = state.operations
    .filter((one) => one.agent_id === claw.id)
    .map((one) => ({
      id: one.id,
      source: "operation",
      at: one.started_at,
      what: one.kind === "exec" ? "sb_exec" : `sb_${one.kind}`,
      state: one.state,
      finished_at: one.finished_at,
      duration_ms: Date.parse(one.finished_at) - Date.parse(one.started_at),
      detail: one.detail,
      data: one.kind === "exec" ? { argv: ["cargo", "test", "--workspace"] } : {},
    }));
  const audit = state.audit
    .filter((one) => one.entity_id === claw.id && state.role !== "viewer")
    .map(({ id, at, action, by, details }) => ({ id, source: "audit", at, what: action, by, data: details }));
  const said = [
    ...(state.said?.get(claw.id) ?? []),
    {
      id: "1",
      source: "event",
      at: ago(120),
      what: "agent.status",
      data: { agentId: claw.id, status: "idle" },
    },
  ];
  const all = [...operations, ...audit, ...said]
    .filter((one) => wanted.includes(one.source))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const limit = Number(query.get("limit") ?? PAGE);
  const from = Number(query.get("cursor") ?? 0);
  const next = from + limit < all.length ? String(from + limit) : null;
  return { items: all.slice(from, from + limit), next_cursor: next };
}
