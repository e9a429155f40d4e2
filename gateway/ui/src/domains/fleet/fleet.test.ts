import { describe, expect, it } from "vitest";
import type { Health, Node, NodeHistory, NodeLine } from "~/api/types";
import { forEach } from "~/ui/list/bulk";
import { byName, matches, parse, sorted, sortOf, withWord } from "./filter";
import { columns, joined } from "./node/columns";
import { pairSteps } from "./pair-progress";
import { moved, path, pointAt } from "./path";
import { nodeState } from "./words";

const node = (more: Partial<Node> = {}): Node => ({
  id: "n",
  workspace_id: "w",
  name: "box",
  status: "online",
  connection: "connected",
  drained: false,
  moves: false,
  paused: false,
  image: "ready",
  images: [],
  sandboxes: 0,
  created_at: "",
  version: 1,
  problems: [],
  labels: [],
  ...more,
});

describe("a machine's state is one word", () => {
  it.each<[Partial<Node>, string]>([
    [{}, "Online"],
    [{ status: "pending", connection: "disconnected" }, "Pairing"],
    [{ connection: "suspect" }, "Suspect"],
    [{ status: "offline", connection: "disconnected" }, "Offline"],
    [{ connection: "disconnected" }, "Offline"],
    [{ status: "draining" }, "Draining"],
    [{ status: "draining", drained: true }, "Drained"],
    [{ status: "draining", drained: true, emptied_at: "2026-11-27T07:00:00Z" }, "Empty"],
    [{ drained: true, connection: "disconnected" }, "Draining, away"],
    [{ paused: true }, "Paused"],
    [{ problems: [{ code: "incompatible-version", detail: "" }] }, "Incompatible"],
  ])("%j is %s", (more, word) => expect(nodeState(node(more)).word).toBe(word));
});

const line = (more: Partial<NodeLine> = {}): NodeLine => ({
  id: "n",
  name: "box",
  status: "online",
  sandboxes: 0,
  rev: 1,
  ...more,
});

describe("filter and order", () => {
  const away = line({
    name: "attic",
    status: "offline",
    connection: "disconnected",
    arch: "aarch64",
    labels: ["gpu", "rack-3"],
  });
  it.each([
    ["state:off att", true],
    ["aarch64", true],
    ["label:gpu", true],
    ["label:rack state:offline", true],
    ["label:ack", false],
    ["state:online", false],
    ["label:", true],
    ["  ", true],
  ])("%s", (query, fits) => expect(matches(away, parse(query))).toBe(fits));
  it("takes a word in and out", () => {
    expect(withWord("attic", "label:gpu")).toBe("attic label:gpu");
    expect(withWord("attic label:gpu", "label:gpu")).toBe("attic");
  });
  it("sorts by name as people count", () => {
    expect(byName([line({ name: "n10" }), line({ name: "n9" })]).map((one) => one.name)).toEqual([
      "n9",
      "n10",
    ]);
  });
  it("sorts by a figure, and leaves machines without it at the end", () => {
    const nodes = [
      line({ name: "a" }),
      line({ name: "b", cpu: 10 }),
      line({ name: "c", cpu: 90 }),
      line({ name: "d", cpu: 10 }),
    ];
    const order = (by: string) =>
      sorted(nodes, by)
        .map(({ name }) => name)
        .join("");
    expect(order("-cpu")).toBe("cbda");
    expect(order("-name")).toBe("dcba");
    expect(order("")).toBe("abcd");
    expect([sortOf("-seen"), sortOf("no")]).toEqual(["-seen", ""]);
  });
});

describe("many at once", () => {
  it("asks each once and tells each result, whatever the others did", async () => {
    const asked: string[] = [];
    const told: Record<string, unknown> = {};
    await forEach(
      ["a", "b", "c", "d", "e", "f"].map((id) => ({ id })),
      ({ id }) => {
        asked.push(id);
        return id === "c" ? Promise.reject(new Error("no")) : Promise.resolve();
      },
      (id, result) => (told[id] = result),
    );
    expect(asked.toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(Object.entries(told).filter(([, result]) => result !== "done")).toHaveLength(1);
    expect(told["c"]).toHaveProperty("title");
  });
});

describe("pairing", () => {
  it("goes from waiting to connected to engine to image", () => {
    const done = (more: Partial<Node>) => pairSteps(node(more)).map((step) => step.done);
    expect(done({ status: "pending", image: "unknown" })).toEqual([false, false, false, false]);
    expect(done({ status: "pending", image: "unknown", hostname: "den" })).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(done({ image: "missing" })).toEqual([true, true, false, false]);
    expect(done({ image: "ready", engine: { name: "Docker", version: "27", api: "1.47" } })).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe("charts", () => {
  const history: NodeHistory = {
    from: new Date(0).toISOString(),
    step_s: 60,
    points: 5,
    series: { cpu_pct: [10, null, 30, 40, null], io_some10: [null, null, 1, null, null] },
  };
  const sample = (second: number, cpu_pct: number | null): Health => ({
    at: new Date(second * 1000).toISOString(),
    cpu_pct,
  });
  it("break the line where nothing was reported, and know no zero", () => {
    const { times, values } = columns(joined(history, []), [
      (one) => one.cpu_pct,
      (one) => one.psi?.io_some10,
    ]);
    expect(times).toEqual([30, 31, 150, 210]);
    expect(values).toEqual([
      [10, null, 30, 40],
      [null, null, 1, null],
    ]);
  });
  it("go on live where the averages end, and do not draw the same time twice", () => {
    const points = joined(history, [sample(200, 1), sample(310, 5), sample(320, null), sample(400, 7)]);
    const { times, values } = columns(points, [(one) => one.cpu_pct]);
    expect(times).toEqual([30, 31, 150, 210, 211, 310, 320, 321, 400]);
    expect(values).toEqual([[10, null, 30, 40, null, 5, null, null, 7]]);
  });
  it("of many machines have gaps and dots, and stay within their box", () => {
    expect(path([0, 100, null, 50, null], 100, 40, 12)).toBe("M0.0 11.0L10.0 1.0M30.0 6.0h0.01");
    expect(path([null, null], 100, 40, 12)).toBe("");
    expect(path([500], 100, 40, 12)).toBe("M0.0 1.0h0.01");
  });
});

it("a moment is chosen by a place or by keys, and stays within what was reported", () => {
  expect([-1, 0, 0.24, 0.26, 1, 9].map((share) => pointAt(share, 5))).toStrictEqual([0, 0, 1, 1, 4, 4]);
  expect(pointAt(0.5, 0)).toBe(0);
  expect(moved("ArrowLeft", undefined, 5)).toBe(4);
  expect(moved("ArrowLeft", 0, 5)).toBe(0);
  expect(moved("ArrowRight", 4, 5)).toBe(4);
  expect(moved("ArrowRight", 2, 5)).toBe(3);
  expect([moved("Home", 2, 5), moved("End", 2, 5)]).toStrictEqual([0, 4]);
  expect([moved("a", 2, 5), moved("Home", undefined, 0)]).toStrictEqual([undefined, undefined]);
});
