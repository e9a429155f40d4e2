import { Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { State } from "./state.ts";

const needs = (state: State) => {
  if (state.role === "viewer") throw new Refusal(403, "forbidden", "Your role does not allow this");
};

export const auditRoutes = {
  "GET /api/audit": ({ state, query }) => {
    needs(state);
    const family = query.get("action")?.replace(/\*$/, "") ?? "";
    const found = state.audit.filter(
      (entry) =>
        entry.action.startsWith(family) &&
        (query.get("actor") ?? entry.actor) === entry.actor &&
        (query.get("entity_id") ?? entry.entity_id) === entry.entity_id &&
        (query.get("from") ?? "") <= entry.at &&
        entry.at < (query.get("until") ?? "9"),
    );
    if (query.get("sort") === "at") found.reverse();
    const begin = Number(query.get("cursor") ?? 0);
    const end = begin + Number(query.get("limit") ?? 50);
    return {
      body: {
        items: found.slice(begin, end),
        ...(end < found.length && { next_cursor: String(end) }),
      },
    };
  },
  "GET /api/audit/chain": ({ state }) => {
    needs(state);
    const waiting = state.audit.filter((entry) => !entry.link).length;
    const last = state.audit.find((entry) => entry.link)?.link;
    return {
      body: {
        entries: state.audit.length,
        waiting,
        ...(last && { end: { position: last.position, sha256: last.sha256 } }),
      },
    };
  },
} satisfies Routes;
