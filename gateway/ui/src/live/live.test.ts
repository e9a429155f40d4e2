import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { keys } from "~/api/keys";
import type { Claw, Health, NodeLine } from "~/api/types";
import { applyEvents, eventKey, isOld } from "./apply";
import { makeBatch } from "./batch";
import { merged } from "./lines";
import { record, samplesOf } from "./samples";
import { makeSseParser } from "./sse";
import { backoff } from "./stream";

describe("batch", () => {
  it("applies once a frame and keeps only the newest of each object, in the order they first came", () => {
    const applied: number[][] = [];
    let frame = () => {};
    const batch = makeBatch<number>(
      (values) => applied.push(values),
      (run) => (frame = run),
    );
    batch.push("a", 1);
    batch.push("b", 2);
    batch.push("a", 3);
    expect(applied).toEqual([]);
    frame();
    expect(applied).toEqual([[3, 2]]);
    frame();
    expect(applied).toHaveLength(1);
  });
});

describe("back-off", () => {
  it("doubles from half a second to thirty, and jitter never goes above or below half", () => {
    expect(backoff(1, 1)).toBe(500);
    expect(backoff(2, 1)).toBe(1000);
    expect(backoff(40, 1)).toBe(30_000);
    expect(backoff(40, 0)).toBe(15_000);
  });
});

describe("frames of a fetched stream", () => {
  it("reads frames that arrive cut anywhere", () => {
    const text = 'event: output\ndata: {"a":1}\n\n: a comment\n\nevent: exit\r\ndata: x\r\ndata: y\r\n\r\n';
    const whole = makeSseParser()(text);
    const parse = makeSseParser();
    expect([...text].flatMap((char) => parse(char))).toEqual(whole);
    expect(whole).toEqual([
      { event: "output", data: '{"a":1}' },
      { event: "exit", data: "x\ny" },
    ]);
  });
});

describe("applying events", () => {
  const claw = { id: "c1", name: "a", status: "offline", version: 4 } as Claw;
  it("patches an agent's status in place, in the list and on its page", () => {
    const client = new QueryClient();
    client.setQueryData(keys.claws, [claw, { ...claw, id: "c2" }]);
    client.setQueryData(keys.claw("c1"), claw);
    applyEvents(client, [{ type: "agent.status", data: { agentId: "c1", status: "working" } }]);
    expect(client.getQueryData<Claw[]>(keys.claws)?.map((one) => one.status)).toEqual(["working", "offline"]);
    expect(client.getQueryData<Claw>(keys.claw("c1"))?.status).toBe("working");
  });
  it("asks again for what has changed, and not for what is older than what is known", () => {
    const client = new QueryClient();
    client.setQueryData(keys.claw("c1"), claw);
    applyEvents(client, [{ type: "resource.changed", data: { kind: "claw", id: "c1", version: 3 } }]);
    expect(client.getQueryState(keys.claw("c1"))?.isInvalidated).toBe(false);
    applyEvents(client, [{ type: "resource.changed", data: { kind: "claw", id: "c1", version: 5 } }]);
    expect(client.getQueryState(keys.claw("c1"))?.isInvalidated).toBe(true);
  });
  it("leaves events alone that it does not know", () => {
    expect(() =>
      applyEvents(new QueryClient(), [
        { type: "telemetry", data: {} },
        { type: "resource.changed", data: {} },
      ]),
    ).not.toThrow();
  });
  it("names the object that an event is about", () => {
    expect(eventKey({ type: "resource.changed", data: { kind: "node", id: "n" } })).toBe(
      "resource.changed:node:n",
    );
    expect(isOld(undefined, 1)).toBe(false);
  });
});

describe("samples", () => {
  const at = (second: number): Health => ({ at: new Date(second * 1000).toISOString(), cpu_pct: second });
  it("takes each report once, in order", () => {
    for (const second of [1, 2, 2, 1, 3]) record("n", at(second));
    expect(samplesOf("n").map((one) => one.cpu_pct)).toEqual([1, 2, 3]);
    record("n", undefined);
    expect(samplesOf("n")).toHaveLength(3);
    expect(samplesOf("nobody")).toEqual([]);
  });
});

describe("lines of machines", () => {
  const line = (id: string, rev: number): NodeLine => ({
    id,
    name: id,
    status: "online",
    sandboxes: 0,
    rev,
  });
  it("change in place, go, come, and are never put back to an older one", () => {
    const list = [line("a", 1), line("b", 5), line("c", 1)];
    const next = merged(list, new Set(["a", "b", "c", "d"]), [line("a", 2), line("b", 4), line("d", 1)]);
    expect(next.map((one) => `${one.id}${one.rev}`)).toEqual(["a2", "b5", "d1"]);
    expect(next[1]).toBe(list[1]);
  });
  it("that nobody asked about stay the same objects", () => {
    const list = [line("a", 1), line("b", 1)];
    expect(merged(list, new Set(["a"]), [line("a", 2)])[1]).toBe(list[1]);
  });
});
