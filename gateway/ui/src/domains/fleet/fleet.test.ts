import { describe, expect, it } from "vitest";
import type { Node, NodeSandbox } from "~/api/types";
import { byName, matches } from "./filter";
import { columns } from "./node/columns";
import { pairSteps } from "./pair-progress";
import { reserved } from "./reserved";
import { nodeState } from "./words";

const node = (more: Partial<Node> = {}): Node => ({
  id: "n",
  name: "box",
  status: "online",
  connection: "connected",
  drained: false,
  paused: false,
  image: "ready",
  sandboxes: 0,
  created_at: "",
  version: 1,
  problems: [],
  ...more,
});

describe("a machine's state is one word", () => {
  it.each<[Partial<Node>, string]>([
    [{}, "Online"],
    [{ status: "pending", connection: "disconnected" }, "Pairing"],
    [{ connection: "suspect" }, "Suspect"],
    [{ status: "offline", connection: "disconnected" }, "Offline"],
    [{ connection: "disconnected" }, "Offline"],
    [{ status: "draining", drained: true }, "Draining"],
    [{ drained: true, connection: "disconnected" }, "Draining, away"],
    [{ paused: true }, "Paused"],
    [{ problems: [{ code: "incompatible-version", detail: "" }] }, "Incompatible"],
  ])("%j is %s", (more, word) => expect(nodeState(node(more)).word).toBe(word));
});

describe("filter and order", () => {
  it("finds by word and by state", () => {
    const away = node({ name: "attic", status: "offline", connection: "disconnected", arch: "aarch64" });
    expect(matches(away, "state:off att")).toBe(true);
    expect(matches(away, "aarch64")).toBe(true);
    expect(matches(away, "state:online")).toBe(false);
    expect(matches(away, "  ")).toBe(true);
  });
  it("sorts by name as people count", () => {
    expect(byName([node({ name: "n10" }), node({ name: "n9" })]).map((one) => one.name)).toEqual([
      "n9",
      "n10",
    ]);
  });
});

describe("reserved", () => {
  const box = node({ sandboxes: 2, health: { at: "", cores: 4, memory_total_bytes: 8 } });
  const sandbox = (limits: NodeSandbox["limits"], state: NodeSandbox["state"] = "running") =>
    ({ limits, state }) as NodeSandbox;
  it("adds promises, and is unknown when one is", () => {
    expect(
      reserved(box, [
        sandbox({ memory_bytes: 2, nano_cpus: 1e9 }),
        sandbox({ memory_bytes: 2, nano_cpus: 1e9 }),
      ]),
    ).toEqual({ memory: 50, cpu: 50 });
    expect(reserved(box, [sandbox({ memory_bytes: 2 }), sandbox({})]).memory).toBeUndefined();
    expect(reserved(box, undefined).memory).toBeUndefined();
    expect(reserved(node(), undefined)).toEqual({ memory: 0, cpu: 0 });
    expect(reserved(box, [sandbox({ memory_bytes: 2, nano_cpus: 1e9 }, "lost")]).memory).toBe(0);
  });
});

describe("pairing", () => {
  it("goes from waiting to connected to engine to image", () => {
    const done = (more: Partial<Node>) => pairSteps(node(more)).map((step) => step.done);
    expect(done({ status: "pending", image: "unknown" })).toEqual([false, false, false]);
    expect(done({ image: "missing" })).toEqual([true, false, false]);
    expect(done({ image: "ready", engine: { name: "Docker", version: "27", api: "1.47" } })).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe("charts", () => {
  it("break the line where there was silence, and know no zero", () => {
    const health = (second: number, cpu_pct: number | null) => ({
      at: new Date(second * 1000).toISOString(),
      cpu_pct,
    });
    const { times, values } = columns(
      [health(10, 5), health(20, null), health(100, 7)],
      [(one) => one.cpu_pct],
    );
    expect(times).toEqual([10, 20, 21, 100]);
    expect(values).toEqual([[5, null, null, 7]]);
  });
});
