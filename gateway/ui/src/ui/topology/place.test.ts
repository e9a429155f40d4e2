import { describe, expect, it } from "vitest";
import { BOX, plan, shapeOf } from "./place";

const roles = ["a", "b", "c", "d"].map((slot) => ({ slot, title: slot, seat: slot === "c" ? "hub" : null }));

describe("a topology's drawing", () => {
  it("lays a chain sideways where there is room, and nothing over another", () => {
    const { layout } = shapeOf("pipeline", roles);
    expect(plan(layout, 1000).sideways).toBe(true);
    expect(plan(layout, 300).sideways).toBe(false);
    for (const kind of ["pipeline", "hub_spoke", "star_moe", "hierarchical"])
      for (const room of [0, 320, 2000]) {
        const spots = [...plan(shapeOf(kind, roles).layout, room).spots.values()];
        expect(spots).toHaveLength(4);
        for (const [at, one] of spots.entries())
          for (const other of spots.slice(at + 1))
            expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(
              true,
            );
      }
  });
  it("puts the hub where the gateway puts it", () => {
    expect(shapeOf("hub_spoke", roles).edges.map(({ from, to }) => from + to)).toEqual(["ca", "cb", "cd"]);
    expect(shapeOf("star_moe", roles).layout.map(({ tier }) => tier)).toEqual([0, 1, 1, 1]);
    expect(shapeOf("single", roles).nodes).toHaveLength(1);
    expect(plan([], 100)).toMatchObject({ height: 0 });
  });
});
