import { describe, expect, it } from "vitest";
import type { components } from "~/api/schema";
import { exported, leftOut, leftOutWords } from "./journal";

type Calls = components["schemas"]["RunCalls"];
const calls = (texts: string[], left_out: number) =>
  ({ items: texts.map((text) => ({ content: { text } })), left_out }) as unknown as Calls;

describe("the journal of a long run", () => {
  it("counts what the gateway left out, and says nothing of a whole one", () => {
    expect(leftOut(calls(["a", "[too long to be shown here]"], 12))).toEqual({ entries: 12, contents: 1 });
    expect(leftOutWords({ entries: 0, contents: 0 })).toBeUndefined();
    expect(leftOutWords({ entries: 1, contents: 0 })).toMatch(/^1 older entry is not shown/);
    expect(leftOutWords({ entries: 1200, contents: 2 })).toBe(
      "1,200 older entries are not shown: only the newest 10,000 are read. " +
        "2 entries are shown without text, because the whole log is over 32 MiB.",
    );
  });
  it("is exported with what is missing", () => {
    expect(exported(calls(["a"], 0))).toEqual({ calls: [{ content: { text: "a" } }] });
    expect(exported(calls(["a"], 3)).incomplete).toMatchObject({
      entries_left_out: 3,
      entries_without_text: 0,
    });
  });
});
