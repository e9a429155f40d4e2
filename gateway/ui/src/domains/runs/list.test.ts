import { describe, expect, it } from "vitest";
import { narrows, readAsked, wantedOf } from "./asked";
import { cancellable, leftOut } from "./cancel-many";

const run = (status: "running" | "queued" | "completed" | "failed", cancelling = false) => ({
  status,
  cancelling,
});

describe("the list's address", () => {
  it("asks only for what the list knows", () => {
    expect(readAsked({ state: "odd", outcome: "rejected", sort: "-name", when: "ever", shown: "x" })).toEqual(
      {
        outcome: "rejected",
      },
    );
    expect(readAsked({ when: "7d", from: "2026-11-01" }), "a span is stronger than days").toEqual({
      when: "7d",
    });
  });
  it("becomes the request of the same meaning", () => {
    const asked = readAsked({
      q: "late",
      state: "failed",
      team: "t",
      by: "u",
      sort: "-cost",
      shown: "all",
      when: "today",
    });
    expect(wantedOf(asked, " late ", "2026-11-27")).toEqual({
      q: "late",
      status: "failed",
      team_id: "t",
      created_by: "u",
      sort: "-cost",
      all: true,
      from: new Date(2026, 10, 27).toISOString(),
    });
    expect(wantedOf({}, "", "2026-11-27")).toEqual({});
  });
  it("narrows by its filters, not by its order", () => {
    expect(narrows({ sort: "-cost", shown: "all" })).toBe(false);
    expect(narrows({ sort: "-cost", by: "u" })).toBe(true);
  });
});

describe("cancelling many runs", () => {
  const some = [run("running"), run("queued"), run("running", true), run("completed"), run("failed")];
  it("acts on those that are under way and says why the others are left out", () => {
    expect(cancellable(some)).toEqual([some[0], some[1]]);
    expect(leftOut(some)).toBe("2 of the 5 have ended already. 1 of the 5 is being cancelled already.");
    expect(leftOut([run("running"), run("failed")])).toBe("1 of the 2 has ended already.");
    expect(leftOut([run("running")])).toBe("");
  });
});
