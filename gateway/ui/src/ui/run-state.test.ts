import { describe, expect, it } from "vitest";
import { runState } from "./run-state";

const AWAY = "The machine den is not connected.";
const NODE = { type: "machine", machine: "n1" } as const;
const PAUSED_AT = "2026-03-10T12:00:00Z";

describe("the word of a run", () => {
  it.each([
    ["works", { status: "running" }, "Running"],
    ["waits", { status: "running", waiting_on: AWAY, waits_for: NODE }, "Waiting"],
    ["waits and is being cancelled", { status: "running", waiting_on: AWAY, cancelling: true }, "Cancelling"],
    ["has waited and ended", { status: "completed", waiting_on: AWAY }, "Completed"],
    [
      "is paused, which the gateway calls a wait",
      { status: "running", paused_at: PAUSED_AT, waiting_on: "The run is paused.", waits_for: NODE },
      "Paused",
    ],
    ["is about to pause", { status: "running", paused_at: PAUSED_AT }, "Pausing"],
    ["is paused before it began", { status: "queued", paused_at: PAUSED_AT }, "Paused"],
  ] as const)("of a run that %s", (_, run, word) => expect(runState(run).word).toBe(word));

  it("has what the run waits for as its longer explanation", () => {
    const waits = { status: "running", waiting_on: "It waits for `den`." } as const;
    expect(runState(waits)).toStrictEqual({
      tone: "waiting",
      word: "Waiting",
      title: "It waits for den.",
    });
  });
});
