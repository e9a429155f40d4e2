import { describe, expect, it } from "vitest";
import type { Door } from "~/api/doors";
import catalogue from "../../../test/mock/catalogue.json";
import { asText, beginning, described, matches, ordered, pageOf, saysOf, stateOf, states } from "./words";

const door = (more: Partial<Door> = {}): Door => ({
  id: "d",
  agent_id: "a",
  agent_name: "mason",
  action: "github.issues.create",
  target: "octo/hello",
  summary: "Open the issue",
  address: "https://api.github.com/repos/octo/hello/issues",
  params: {},
  state: "pending",
  created_at: "2026-03-01T12:00:00Z",
  expires_at: "2026-03-02T12:00:00Z",
  allowed_by_setting: false,
  ...more,
});
const create = catalogue.find(({ action }) => action === "github.issues.create")?.params_schema;

describe("what was asked for", () => {
  it("shows what an action needs first, then what it may have, then what the catalogue does not know", () => {
    const params = { zzz: 1, labels: [], body: "b", title: "t", repo: "r", owner: "o" };
    expect(ordered(params, create).map(([name]) => name)).toEqual([
      "owner",
      "repo",
      "title",
      "body",
      "labels",
      "zzz",
    ]);
  });

  it("believes nothing of a schema's shape", () => {
    for (const schema of [
      undefined,
      null,
      7,
      "x",
      [],
      { properties: "no" },
      { properties: { a: null }, required: 3 },
    ])
      expect(ordered({ b: 1, a: 2 }, schema)).toHaveLength(2);
    expect([...described({ properties: { a: {} }, required: ["toString", "a"] }).keys()]).toEqual(["a"]);
  });

  it("writes values out: a text as it is, everything else as JSON", () => {
    expect(asText("a\nb")).toBe("a\nb");
    expect(asText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(asText(undefined)).toBe("undefined");
  });

  it("folds what is long, and never in the middle of a character", () => {
    expect(beginning("short")).toBeUndefined();
    expect(beginning("x".repeat(400))).toBeUndefined();
    expect(beginning("x".repeat(401))).toHaveLength(400);
    expect(beginning(`${"x".repeat(399)}\u{1F600}more`)).toHaveLength(399);
    expect(beginning("a\n".repeat(20))?.split("\n")).toHaveLength(8);
  });
});

describe("how a request stands", () => {
  it("has words for every state, also for one that is not known yet", () => {
    expect(Object.values(states).every(({ word }) => word !== "")).toBe(true);
    expect(stateOf("asleep" as Door["state"])).toEqual({ tone: "idle", word: "asleep" });
  });

  it("tells what never left from what was refused, and where to look when nobody knows", () => {
    const says = (state: Door["state"], result: Door["result"] = null) => saysOf(door({ state, result }));
    expect(says("failed", { message: "it could not be sent: no such host" })).toBe(
      "The request was not carried out.",
    );
    expect(says("failed", { status: 404 })).toBe("The app refused the request.");
    expect(says("unclear")).toBe("No response arrived. Check api.github.com before you retry.");
    expect(saysOf(door({ state: "unclear", address: "" }))).toContain("Check the app before");
    expect(says("asleep" as Door["state"])).toBeUndefined();
  });

  it.each([
    ["https://github.com/octo/hello/issues/7", "github.com"],
    // oxlint-disable-next-line no-script-url
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["no address", undefined],
    [null, undefined],
  ])("what was made, at %s, is a page or nothing", (address, host) => {
    expect(pageOf(address)?.host).toBe(host);
  });

  it("every word of a filter must be found", () => {
    const found = (filter: string) => matches(door(), "mason", "Open an issue", filter);
    expect(["", "mason issue", "OCTO waiting", "github.issues"].map(found)).not.toContain(false);
    expect(found("mason webhook")).toBe(false);
  });
});
