import { describe, expect, it } from "vitest";
import type { Activity } from "~/api/types";
import { linesOf } from "./use-history";
import { told } from "./words";

const one = (more: Partial<Activity>): Activity => ({
  id: "1",
  source: "event",
  at: "2026-11-22T10:00:00Z",
  what: "agent.status",
  data: {},
  ...more,
});

describe("an agent's history", () => {
  it("has no line for what only keeps pages live", () => {
    for (const what of [
      "agent.status",
      "agent.task.update",
      "agent.reasoning.delta",
      "agent.computer.frame",
      "agent.tool.call",
      "world.touch",
      "of.a.newer.gateway",
    ])
      expect(told(one({ what }))).toBeUndefined();
  });

  it("tells everything else without protocol names", () => {
    const lines = [
      one({ what: "placement.fallback", data: { reason: "node_offline" } as never }),
      one({ what: "placement.fallback", data: { reason: "of_a_newer_gateway" } as never }),
      one({
        what: "door.request",
        data: { action: "github.issues.create", summary: "Open an issue" } as never,
      }),
      one({ source: "audit", what: "claw.teleported" }),
      one({ source: "operation", what: "sb_teleport", state: "done" }),
    ].map((line) => told(line)?.text ?? "");
    for (const text of lines) {
      expect(text).not.toBe("");
      expect(text).not.toMatch(/[a-z]\.[a-z]|_/);
    }
  });

  it("shows a line once that two pages hold", () => {
    const page = { items: [one({ source: "audit", what: "claw.created" })] };
    expect(linesOf([page, page]).map(({ id }) => id)).toEqual(["audit:1"]);
  });
});
