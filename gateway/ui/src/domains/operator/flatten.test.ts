import { describe, expect, it } from "vitest";
import type { Actor } from "~/api/types";
import { shortName } from "./actor-row";
import { applyDelta, Rates, SLOTS } from "./apply";
import { count, flatten, MOST_SIBLINGS, offers } from "./flatten";

const actor = (id: string, children: Actor[] = [], more: Partial<Actor> = {}): Actor => ({
  id,
  name: id,
  kind: "worker",
  ownership: "local",
  lifetime: "static",
  restart: "permanent",
  state: "running",
  restarts: 0,
  handled: 0,
  lost: 0,
  restartable: true,
  children,
  ...more,
});
const tree = actor("root", [
  actor("a", [actor("a1", [actor("a1x")])]),
  actor("b", [], { state: "failed", restarts: 3 }),
]);
const names = (chosen = new Map<string, boolean>(), query = "") =>
  flatten(tree, chosen, { query }).map((row) => `${row.depth}${row.id}`);

describe("the tree as rows", () => {
  it("opens the root and two levels", () => expect(names()).toEqual(["0root", "1a", "2a1", "1b"]));
  it("keeps what somebody opened or closed", () => {
    expect(names(new Map([["a1", true]]))).toContain("3a1x");
    expect(names(new Map([["a", false]]))).toEqual(["0root", "1a", "1b"]);
  });
  it("shows the path to each match, also below closed branches", () => {
    expect(names(new Map([["a", false]]), "a1x")).toEqual(["0root", "1a", "2a1", "3a1x"]);
    expect(names(undefined, "failed")).toEqual(["0root", "1b"]);
    expect(names(undefined, "nobody")).toEqual([]);
  });
  it("filters by kind and by workspace, and offers what there is", () => {
    const mixed = actor("root", [
      actor("n", [], { kind: "node", tenant: "w1" }),
      actor("m", [], { kind: "node", tenant: "w2" }),
    ]);
    const ids = (filter: Parameters<typeof flatten>[2]) =>
      flatten(mixed, new Map(), filter).map((row) => row.id);
    expect(ids({ tenant: "w2" })).toEqual(["root", "m"]);
    expect(ids({ kind: "node", tenant: "w1" })).toEqual(["root", "n"]);
    expect(offers(mixed)).toEqual({ kinds: ["node", "worker"], tenants: ["w1", "w2"] });
  });
  it("shows many siblings by kind, opened on demand, with failed ones always among those shown", () => {
    const many = actor("root", [
      actor("relay", [], { kind: "event_relay" }),
      ...Array.from({ length: 500 }, (_, n) =>
        actor(`s${n}`, [], {
          kind: "subscriber" as Actor["kind"],
          ...(n === 450 && { state: "failed", restarts: 2 }),
        }),
      ),
    ]);
    const ids = (chosen: [string, boolean][], query = "") =>
      flatten(many, new Map(chosen), { query }).map((row) => row.id);
    expect(ids([])).toEqual(["root", "relay", "root#subscriber"]);
    const group = flatten(many, new Map(), {}).at(-1);
    expect(group).toMatchObject({ is: "group", count: 500, failed: 1, restarts: 2, open: false });
    const open = ids([["root#subscriber", true]]);
    expect(open.slice(3, 5)).toEqual(["s450", "s0"]);
    expect(open).toHaveLength(3 + MOST_SIBLINGS + 1);
    expect(flatten(many, new Map([["root#subscriber", true]]), {}).at(-1)).toMatchObject({
      is: "more",
      count: 500 - MOST_SIBLINGS,
    });
    // A search that finds few needs no groups; one that finds many opens them.
    expect(ids([], "s499")).toEqual(["root", "s499"]);
    expect(ids([], "subscriber")).toHaveLength(2 + MOST_SIBLINGS + 1);
  });
  it("counts", () => expect(count(tree)).toEqual({ actors: 5, failed: 1, restarts: 3 }));
});

describe("an actor's name", () => {
  it("keeps both ends of an id, and all of what is none", () => {
    expect(shortName("node:01a1fc5e-d31d-7b91-828d-f9442e079277")).toBe("node:01a1fc5e…9277");
    expect(shortName("orphan-sweeper")).toBe("orphan-sweeper");
  });
});

describe("the tree as it lives", () => {
  const tree0 = { at: "t0", living: 5, forced_kills: 0, root: tree };
  const delta = (changed: [string, Actor][], gone: string[] = []) => ({
    at: "t1",
    living: 5,
    forced_kills: 0,
    changed: changed.map(([parent, one]) => ({ parent, actor: one })),
    gone,
  });
  const ids = (one: Actor): string[] => [one.id, ...one.children.flatMap(ids)];
  it("changes values in place, puts newcomers behind their siblings, takes away whole branches", () => {
    const next = applyDelta(
      tree0,
      delta(
        [
          ["root", actor("b", [], { restarts: 9 })],
          ["b", actor("b1")],
          ["b1", actor("b1x")],
        ],
        ["a1", "a1x"],
      ),
    );
    expect(ids(next.root)).toEqual(["root", "a", "b", "b1", "b1x"]);
    expect(next.root.children[1]?.restarts).toBe(9);
    expect(ids(tree0.root)).toContain("a1x");
  });
  it("does not lose an actor whose parent it never heard of, it leaves it out", () =>
    expect(ids(applyDelta(tree0, delta([["nobody", actor("z")]])).root)).not.toContain("z"));
  it("keeps a minute of what was handled, and begins at nothing", () => {
    const rates = new Rates();
    const at = 1_000_000;
    rates.note(actor("a", [], { handled: 40 }), at);
    expect(rates.of("a", at)).toEqual(Array.from({ length: SLOTS }, () => 0));
    rates.note(actor("a", [], { handled: 43 }), at + 100);
    expect(rates.of("a", at + 100).at(-1)).toBe(3);
    expect(rates.of("a", at + 61_000)).not.toContain(3);
  });
});
