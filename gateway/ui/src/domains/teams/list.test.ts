import { describe, expect, it } from "vitest";
import type { Team } from "~/api/teams";
import { readAsked, shown, sorted } from "./list";

const team = (name: string, created_at?: string, cost_microusd = 0) =>
  ({ id: name, name, last_run: created_at ? { created_at, cost_microusd } : null }) as unknown as Team;
const all = [team("never"), team("old", "2026-11-01T00:00:00Z", 9), team("new", "2026-11-27T00:00:00Z", 4)];
const names = (teams: Team[]) => teams.map(({ name }) => name);

describe("the list of teams", () => {
  it("is sorted by name, last run or its cost; teams without a run come last", () => {
    expect(names(sorted(all, "name"))).toEqual(["never", "new", "old"]);
    expect(names(sorted(all, "-run"))).toEqual(["new", "old", "never"]);
    expect(names(sorted(all, "run"))).toEqual(["old", "new", "never"]);
    expect(names(sorted(all, "-cost"))).toEqual(["old", "new", "never"]);
  });
  it("is narrowed by words of the name", () => expect(names(shown(all, "NE"))).toEqual(["never", "new"]));
  it("takes from the address only orders that it knows", () => {
    expect(readAsked({ q: "x", sort: "size" })).toEqual({ q: "x" });
    expect(readAsked({ sort: "-run" })).toEqual({ sort: "-run" });
  });
});
