import { describe, expect, it } from "vitest";
import type { Actor } from "~/api/types";
import { shortName } from "./actor-row";
import { count, flatten } from "./flatten";

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
  children,
  ...more,
});
const tree = actor("root", [
  actor("a", [actor("a1", [actor("a1x")])]),
  actor("b", [], { state: "failed", restarts: 3 }),
]);
const names = (chosen = new Map<string, boolean>(), query = "") =>
  flatten(tree, chosen, query).map((row) => `${row.depth}${row.actor.id}`);

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
  it("counts", () => expect(count(tree)).toEqual({ actors: 5, failed: 1, restarts: 3 }));
});

describe("an actor's name", () => {
  it("keeps both ends of an id, and all of what is none", () => {
    expect(shortName("node:01a1fc5e-d31d-7b91-828d-f9442e079277")).toBe("node:01a1fc5e…9277");
    expect(shortName("orphan-sweeper")).toBe("orphan-sweeper");
  });
});
