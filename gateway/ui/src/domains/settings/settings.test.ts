import { describe, expect, it } from "vitest";
import { kept, mcpMissing, sealed, sent, spoken } from "./words";

const silent = { reachable: true, warnings: [] };

describe("the broker's figures", () => {
  it("are parts of a whole, and no part is below nothing", () => {
    expect(spoken(kept({ ...silent, records: 1500, needs_reauth: 3 }) ?? [])).toBe(
      "1,497 usable, 3 to be connected again by a person",
    );
    expect(sent({ ...silent, forwards: 2, forwards_failed: 3 })?.map(({ value }) => value)).toEqual([0, 3]);
    expect(sealed({ ...silent, records: 0, to_rekey: 0 })?.map(({ value }) => value)).toEqual([0, 0]);
  });

  it("are unknown, and not nothing, where they are not told", () => {
    expect([kept, sealed, sent].map((of) => of(silent))).toEqual([undefined, undefined, undefined]);
    expect(kept({ ...silent, records: 4, needs_reauth: null })).toBeUndefined();
  });
});

it("an MCP server names its own issuer, so only the rest is missing", () => {
  expect(mcpMissing(["oauth.client_id", "oauth.issuer_url", "oauth.redirect_base"])).toEqual([
    "oauth.client_id",
    "oauth.redirect_base",
  ]);
});
