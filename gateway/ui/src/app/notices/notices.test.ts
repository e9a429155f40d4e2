import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Door } from "~/api/doors";
import type { Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import type { Claw, NodeLine } from "~/api/types";
import {
  add,
  countAll,
  compareAgents,
  compareDoors,
  compareMissions,
  compareNodes,
  compareRuns,
  merge,
  NOTHING,
  unread,
  type Kept,
  type Notice,
} from "./model";
import { notices, openNotices, useNotices } from "./store";
import { toTell } from "./browser";
import { seldom } from "./watch";
import { said, summary } from "./words";

const node = (more: Partial<NodeLine>) =>
  ({ id: "n1", name: "workshop", status: "online", sandboxes: 0, rev: 1, ...more }) as NodeLine;
const claw = (state: string, more = {}) =>
  ({ id: "c1", name: "mason", sandbox: { id: "s1", state, node_name: "workshop" }, ...more }) as Claw;
const notice = (id: string, at: number, more: Partial<Notice> = {}): Notice => ({
  id,
  kind: "node-back",
  at,
  name: id,
  read: false,
  ...more,
});

describe("how many there were", () => {
  beforeEach(() => localStorage.clear());
  const all = () => countAll(useNotices.getState());

  it("counts those that are not kept, each once, until they are cleared", () => {
    openNotices("u", "counted");
    const many = Array.from({ length: 5000 }, (_, n) => notice(`n${n}`, n));
    notices.add(...many);
    expect([useNotices.getState().notices.length, all()]).toEqual([100, 5000]);
    notices.add(notice("n4999", 4999), notice("last", 6000));
    expect(all()).toBe(5001);
    openNotices("u", "counted");
    expect(all()).toBe(5001);
    notices.clear();
    expect(all()).toBe(0);
    notices.add(notice("next", 7000));
    expect(all()).toBe(1);
  });

  it("is what an earlier version of the page kept, where that counted none", () => {
    const kept = Array.from({ length: 100 }, (_, n) => notice(`n${n}`, n));
    localStorage.setItem("roost-notices:u:before", JSON.stringify({ notices: kept }));
    openNotices("u", "before");
    expect(all()).toBe(100);
    notices.add(notice("new", 1000));
    expect(all()).toBe(101);
  });
});

describe("what is told", () => {
  it("tells of a machine that went and came back, never of one that is seen first or only suspected", () => {
    const [first, seen] = compareNodes(NOTHING, [node({})], 9000);
    expect(first).toEqual([]);
    const [none, still] = compareNodes(seen, [node({ connection: "suspect" })], 9000);
    expect(none).toEqual([]);
    const gone = node({ connection: "disconnected", status: "offline", rev: 2, seen: 5 });
    const [away, left] = compareNodes(still, [gone], 9000);
    expect(away).toMatchObject([{ kind: "node-offline", at: 5000, name: "workshop", thing: { id: "n1" } }]);
    expect(compareNodes(left, [gone], 9500)[0]).toEqual([]);
    expect(compareNodes(left, [node({ rev: 3 })], 9900)[0]).toMatchObject([{ kind: "node-back", at: 9900 }]);
    expect(compareNodes(NOTHING, [node({ status: "pending" })], 1)[1].nodes).toEqual({});
  });
  it("says in words what an agent asks for", () => {
    const door = (action: string) =>
      ({ id: action, agent_name: "mason", action, target: "octo/a\u202Eb", created_at: "" }) as Door;
    const [asked] = compareDoors(NOTHING, [door("repo.branch.push"), door("webhook.event.send")], 1);
    expect(asked.map((one) => said(one).after)).toEqual([
      " asks for your approval to push a branch at \u2068octo/a\\u{202e}b\u2069.",
      " asks for your approval to send an event to its webhook.",
    ]);
  });
  it("tells of runs that ended, failed or wait since they were looked at, and only of a person's own", () => {
    const now = Date.parse("2026-03-10T12:00:00Z");
    const run = (id: string, more = {}) =>
      ({
        id,
        title: `Run ${id}`,
        status: "running",
        created_by: { id: "me" },
        ...more,
      }) as unknown as RunSummary;
    const ended = { status: "completed", ended_at: "2026-03-10T11:59:00Z" };
    const first = compareRuns(NOTHING, [run("a"), run("b", ended)], "me", now);
    expect(first[0]).toEqual([]);
    const later = [
      run("a", { ...ended, outcome: "accepted" }),
      run("b", ended),
      run("c", { ...ended, status: "failed", error: "`tests` fail" }),
      run("d", { ...ended, outcome: "rejected" }),
      run("e", {
        waiting_on: "The machine den is not connected.",
        waiting_since: "2026-03-10T11:58:00Z",
        waits_for: { type: "machine" },
      }),
      ...["door", "child", "pause"].map((type) =>
        run(`f ${type}`, { waiting_on: "It waits.", waits_for: { type } }),
      ),
      run("g", { ...ended, created_by: { id: "somebody" } }),
      run("h", { ...ended, ended_at: "2026-01-01T00:00:00Z" }),
      run("i", { ...ended, status: "cancelled" }),
    ];
    const [told, standing] = compareRuns(first[1], later, "me", now);
    expect(told.map((one) => `${one.name}${said(one).after}`)).toEqual([
      "Run a has ended. The work is accepted.",
      "Run c failed: tests fail",
      "Run d was rejected.",
      "Run e waits: The machine den is not connected.",
    ]);
    expect(told[0]?.thing).toEqual({ kind: "run", id: "a" });
    expect(compareRuns(standing, later, "me", now)[0]).toEqual([]);
  });
  it("tells of missions that ended or that something paused, and not of a pause by a person", () => {
    const now = Date.parse("2026-03-10T12:00:00Z");
    const mission = (id: string, more: Partial<Mission> = {}) =>
      ({
        id,
        title: `M ${id}`,
        status: "running",
        created_by: { id: "me" },
        updated_at: "2026-03-10T11:59:00Z",
        ...more,
      }) as Mission;
    const done = { status: "completed", ended_at: "2026-03-10T11:58:00Z" } as const;
    const stuck = { status: "paused", status_reason: "phase_failed" } as const;
    const first = compareMissions(NOTHING, [mission("a"), mission("b", done)], "me", now);
    expect(first[0]).toEqual([]);
    const later = [
      mission("a", done),
      mission("b", done),
      mission("c", { ...stuck, status_detail: "The run of `coder` failed." }),
      mission("d", { ...stuck, status_reason: "node_deleted" }),
      mission("e", { ...stuck, status_reason: "runtime_failed" }),
      mission("f", { ...stuck, status_reason: "person" }),
      mission("g", { status: "failed", status_reason: "person", ended_at: "2026-03-10T11:58:00Z" }),
      mission("h", { status: "cancelled", status_reason: "person" }),
      mission("i", { ...done, created_by: { id: "somebody", name: "", email: "" } }),
      mission("j", { ...done, ended_at: "2026-01-01T00:00:00Z" }),
    ];
    const [told, standing] = compareMissions(first[1], later, "me", now);
    expect(told.map((one) => said(one).before + one.name + said(one).after)).toEqual([
      "The mission M a is completed.",
      "The mission M c is paused and waits for you: The run of coder failed.",
      "The mission M d is paused and waits for you: Its machine was deleted.",
      "The mission M e is paused and waits for you: Its runtime failed.",
      "The mission M g failed: A person ended it.",
    ]);
    expect(told[0]).toMatchObject({
      thing: { kind: "mission", id: "a" },
      at: Date.parse("2026-03-10T11:58:00Z"),
    });
    expect(compareMissions(standing, later, "me", now)[0]).toEqual([]);
    // It works again, and is paused again.
    const [, works] = compareMissions(standing, [mission("c")], "me", now);
    expect(compareMissions(works, [later[2]!], "me", now)[0]).toHaveLength(1);
  });
  it("tells the browser once, and only while nobody looks", () => {
    const [one, two] = [notice("1", 1), notice("2", 2, { read: true })];
    expect(toTell([one, two], new Set(), true)).toEqual([one]);
    expect(toTell([one], new Set(["1"]), true)).toEqual([]);
    expect(toTell([one], new Set(), false)).toEqual([]);
  });
  it("tells of a lost sandbox once, and not of one that is destroyed or made", () => {
    const [, seen] = compareAgents(NOTHING, [claw("running")], 1);
    const [lost, after] = compareAgents(seen, [claw("lost")], 2);
    expect(lost).toMatchObject([{ kind: "sandbox-lost", name: "mason", more: "workshop" }]);
    expect(compareAgents(after, [claw("lost")], 3)[0]).toEqual([]);
    expect(compareAgents(seen, [claw("destroying")], 3)[0]).toEqual([]);
    expect(compareAgents(after, [claw("running")], 3)[0]).toEqual([]);
    expect(compareAgents(seen, [claw("lost", { deleted_at: "x" })], 3)[0]).toEqual([]);
  });
  it("keeps each once, newest first, a hundred at most, and what was read stays read", () => {
    const old = [notice("a", 1, { read: true })];
    const next = add(old, [notice("a", 1), notice("b", 2)]);
    expect(next.map(({ id, read }) => [id, read])).toEqual([
      ["b", false],
      ["a", true],
    ]);
    expect(unread(next)).toBe(1);
    const many = Array.from({ length: 300 }, (_, n) => notice(`n${n}`, n));
    expect(add(next, many)).toHaveLength(100);
  });
  it("has words for each, with hostile names cut and an unknown reason not invented", () => {
    const [long] = compareNodes(
      { ...NOTHING, nodes: { n1: "here" } },
      [node({ name: "x".repeat(10_000), status: "offline" })],
      1,
    )[0];
    expect(long?.name).toHaveLength(200);
    expect(said(notice("a", 1, { kind: "placement-fallback", more: "moon" })).after).toContain(
      "could not take it",
    );
    expect(summary([notice("a", 1), notice("b", 1)])).toBe("a is back. And 1 more notifications.");
    expect(summary([])).toBe("");
  });
});

describe("where they are kept", () => {
  beforeEach(() => localStorage.clear());
  it("is one place for each person and workspace, and survives a reload", () => {
    openNotices("u", "w");
    notices.add(notice("a", 1));
    openNotices("u", "other");
    expect(useNotices.getState().notices).toEqual([]);
    openNotices("u", "w");
    expect(useNotices.getState().notices).toHaveLength(1);
    notices.readAll();
    openNotices("u", "w");
    expect(useNotices.getState().notices[0]?.read).toBe(true);
  });
  it("hands over what is new once, and nothing that was there before", () => {
    openNotices("u", "w");
    notices.add(notice("a", 1));
    expect(notices.takeFresh().map(({ id }) => id)).toEqual(["a"]);
    notices.add(notice("a", 1));
    expect(notices.takeFresh()).toEqual([]);
  });
  it("loses nothing when another tab writes over it, and brings nothing back that was cleared", () => {
    openNotices("u", "w");
    const before = localStorage.getItem("roost-notices:u:w");
    notices.add(notice("mine", 2));
    // The other tab had read before, and writes now.
    const theirs = { notices: [notice("theirs", 1, { read: true })], standing: NOTHING };
    const overwrite = (text: string) => {
      localStorage.setItem("roost-notices:u:w", text);
      globalThis.dispatchEvent(new StorageEvent("storage", { key: "roost-notices:u:w", oldValue: before }));
    };
    const stored = () => JSON.parse(localStorage.getItem("roost-notices:u:w") ?? "{}") as Kept;
    overwrite(JSON.stringify(theirs));
    const both = [
      ["mine", false],
      ["theirs", true],
    ];
    expect(stored().notices.map(({ id, read }) => [id, read])).toEqual(both);
    expect(useNotices.getState().notices.map(({ id, read }) => [id, read])).toEqual(both);
    const settled = localStorage.getItem("roost-notices:u:w");
    overwrite(settled ?? "");
    expect(localStorage.getItem("roost-notices:u:w")).toBe(settled);
    notices.clear();
    overwrite(settled ?? "");
    expect(stored().notices).toEqual([]);
    expect(useNotices.getState().notices).toEqual([]);
  });
  it("merges two tabs to the same result in either order", () => {
    const a = {
      notices: [notice("a", 1), notice("b", 1, { read: true })],
      standing: NOTHING,
      cleared: ["c"],
    };
    const b = { notices: [notice("b", 1), notice("c", 3), notice("d", 2)], standing: NOTHING, cleared: [] };
    expect(merge(a, b)).toEqual(merge(b, a));
    expect(merge(a, b).notices.map(({ id, read }) => [id, read])).toEqual([
      ["d", false],
      ["a", false],
      ["b", true],
    ]);
  });
  it("does not fall over somebody else's text", () => {
    for (const text of ["{", "[]", "7", '{"notices":7}']) {
      localStorage.setItem("roost-notices:u:w", text);
      openNotices("u", "w");
      expect(useNotices.getState().notices).toEqual([]);
    }
  });
});

describe("asking seldom", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  it("asks at once, then once for everything in between", () => {
    const run = vi.fn();
    const { call } = seldom(run, 1000);
    call();
    for (let n = 0; n < 50; n += 1) call();
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1000);
    expect(run).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5000);
    expect(run).toHaveBeenCalledTimes(2);
  });
});
