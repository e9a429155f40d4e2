import { describe, expect, it } from "vitest";
import { kindSays, KIND_NAMES } from "./kinds";
import { line, lookOf, plan, shapeOf } from "./place";

const roles = ["a", "b", "c", "d"].map((slot) => ({ slot, title: slot, seat: slot === "c" ? "hub" : null }));

describe("a topology's drawing", () => {
  it("lays a chain sideways where there is room, and nothing over another", () => {
    const { layout } = shapeOf("pipeline", roles);
    expect(plan(layout, 1000).sideways).toBe(true);
    expect(plan(layout, 300).sideways).toBe(false);
    for (const [kind] of KIND_NAMES.slice(1))
      for (const room of [0, 320, 2000]) {
        const shape = shapeOf(kind, roles);
        const { spots: all, box } = plan(shape.layout, room, shape);
        const spots = [...all.values()];
        expect(spots).toHaveLength(4);
        for (const [at, one] of spots.entries())
          for (const other of spots.slice(at + 1))
            expect(Math.abs(one.x - other.x) >= box.width || Math.abs(one.y - other.y) >= box.height).toBe(
              true,
            );
      }
  });
  it("tells a hub, a hierarchy and a gate apart", () => {
    const heights = (kind: string) => {
      const shape = shapeOf(kind, seated);
      const { spots } = plan(shape.layout, 1000, shape);
      return Object.fromEntries([...spots].map(([node, { y }]) => [node, y]));
    };
    const seated = roles.map((role) => ({ ...role, seat: { a: "hub", b: "gate" }[role.slot] ?? null }));
    const hub = heights("hub_spoke");
    expect(hub["b"]).toBeLessThan(hub["a"] ?? 0);
    expect(hub["d"]).toBeGreaterThan(hub["a"] ?? 0);
    const few = shapeOf("hub_spoke", seated.slice(0, 3));
    expect(plan(few.layout, 2000, few).spots.get("a")?.y).toBe(0);
    const tree = heights("hierarchical");
    expect(["b", "c", "d"].every((node) => (tree[node] ?? 0) > (tree["a"] ?? 0))).toBe(true);
    const star = heights("star_moe");
    expect(star["b"]).toBeLessThan(star["c"] ?? 0);
    expect(star["a"]).toBeGreaterThan(star["c"] ?? 0);
    const edge = { from: "a", to: "b" };
    const look = (kind: string, gates = true) => lookOf(kind, edge, gates);
    expect([look("hub_spoke").back, look("hierarchical").back, look("star_moe").back]).toEqual([
      true,
      false,
      false,
    ]);
    expect([look("hierarchical").branch, look("star_moe").dashed, look("star_moe", false).dashed]).toEqual([
      true,
      true,
      false,
    ]);
    expect(KIND_NAMES.every(([kind]) => kindSays(kind))).toBe(true);
  });
  it("puts the leader above the middle of those below, and draws to them", () => {
    const tree = ["top", "x", "x1", "x2", "y", "y1"].map((slot) => ({
      slot,
      title: slot,
      seat: { top: "hub", x: "lead", y: "lead" }[slot] ?? null,
    }));
    const shape = shapeOf("hierarchical", tree);
    const of = plan(shape.layout, 1000, shape);
    const x = (node: string) => of.spots.get(node)?.x ?? NaN;
    expect(x("x")).toBe((x("x1") + x("x2")) / 2);
    expect(x("y")).toBe(x("y1"));
    expect(x("top")).toBe((x("x") + x("y")) / 2);
    const { path } = line({ x: 0, y: 0 }, { x: 100, y: 88 }, of, { branch: true });
    expect(path).toBe(
      `M${of.box.width / 2},56L${of.box.width / 2},72 ${100 + of.box.width / 2},72 ${100 + of.box.width / 2},88`,
    );
  });
  it("gives names the room that there is", () => {
    const { layout } = shapeOf("pipeline", roles);
    expect([0, 700, 4000].map((room) => plan(layout, room).box.width)).toEqual([144, 151, 224]);
    expect(plan(layout, 700).width).toBeLessThanOrEqual(700);
  });
  it("puts the hub where the gateway puts it", () => {
    expect(shapeOf("hub_spoke", roles).edges.map(({ from, to }) => from + to)).toEqual(["ca", "cb", "cd"]);
    expect(shapeOf("star_moe", roles).layout.map(({ tier }) => tier)).toEqual([0, 1, 1, 1]);
    expect(shapeOf("single", roles).nodes).toHaveLength(1);
    expect(plan([], 100)).toMatchObject({ height: 0 });
  });
});
