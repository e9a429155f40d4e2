// What is said of a restored sandbox.
import { describe, expect, it } from "vitest";
import type { Sandbox, Snapshot } from "~/api/types";
import { mustEnd, saidOf } from "./restore";

const snapshot: Snapshot = {
  id: "s1",
  digest: "0a",
  files: 3,
  bytes: 10,
  taken_at: "2026-11-25T07:00:00Z",
  left_out: [],
  uploaded: true,
  sandbox_id: "b1",
  node_id: "local",
};
const made = (more: Partial<Sandbox>) => more as Sandbox;

describe("a restored sandbox", () => {
  it("is said to have the files only when the gateway says so", () => {
    const taken_at = snapshot.taken_at;
    expect(saidOf(snapshot, made({ restored_from: { digest: "0a", taken_at } })).sure).toBe(true);
    const other = saidOf(
      snapshot,
      made({ restored_from: { digest: "0b", taken_at }, detail: "It was away." }),
    );
    expect(other.sure).toBe(false);
    expect(other.text).toContain("It was away.");
    expect(saidOf(snapshot, made({})).sure).toBe(false);
  });

  it("needs the end of a present one that still has a container", () => {
    expect(mustEnd(undefined)).toBe(false);
    expect(mustEnd({ state: "lost" })).toBe(false);
    expect(mustEnd({ state: "running" })).toBe(true);
    expect(mustEnd({ state: "stopped" })).toBe(true);
  });
});
