import { describe, expect, it } from "vitest";
import { ALL, PRESETS, presetOf, priceOn } from "./models/presets";
import { contextWord, modelWord, priceWord } from "~/ui/model-words";
import { priceOf, providerName, laterWord, triedWord, usualWord } from "./models/words";
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

describe("prices and tries of models", () => {
  it("takes both sums of a price or none", () => {
    expect(priceOf("3", "15")).toEqual({ input_microusd: 3_000_000, output_microusd: 15_000_000 });
    expect([priceOf("", " "), priceOf("3", ""), priceOf("", "1"), priceOf("a", "1")]).toEqual([
      null,
      "half",
      "half",
      "half",
    ]);
    expect(priceOf("0", "0")).toEqual({ input_microusd: 0, output_microusd: 0 });
  });

  it("tells nothing from not known, and what failed from what answered", () => {
    expect(priceWord(null)).toBe("price not known");
    expect(priceWord({ input_microusd: 0, output_microusd: 150_000 })).toBe(
      "$0 in, $0.150 out for a million tokens",
    );
    const tried = { ok: true, text: "", latency_ms: 1500, may_be_retried: true };
    expect(triedWord(tried)).not.toContain("for");
    expect(triedWord({ ...tried, cost_microusd: 0 })).toContain("for $0");
    expect(triedWord({ ...tried, ok: false })).toContain("It may be tried again.");
  });
});

describe("a model in a list", () => {
  it("shows its price and how much it reads at once", () => {
    const price = { input_microusd: 3_000_000, output_microusd: 15_000_000 };
    expect(modelWord({ price, window_tokens: 200_000 })).toBe("$3 in, $15 out · 200k context");
    const small = { input_microusd: 1_250_000, output_microusd: 150_000 };
    expect(modelWord({ price: small, window_tokens: 32_768 })).toBe("$1.25 in, $0.150 out · 33k context");
    expect(modelWord({ price: null, window_tokens: 8_192 })).toBe("price not known · 8k context");
    expect([contextWord(1_000_000), contextWord(1_048_576), contextWord(999_499)]).toEqual([
      "1M context",
      "1M context",
      "999k context",
    ]);
  });
});

describe("the presets of providers", () => {
  it("are whole: an https address of their own, a list of prices, models with a price and a window", () => {
    expect(new Set(ALL.map(({ key }) => key)).size).toBe(ALL.length);
    for (const { name, base, prices, models } of PRESETS) {
      expect(base ?? "https://", name).toMatch(/^https:\/\/\S*[^/]$|^https:\/\/$/);
      expect(prices, name).toMatch(/^https:\/\//);
      expect(models.length, name).toBeGreaterThan(0);
      for (const one of models) {
        expect(one.input > 0 && one.output >= one.input, one.model).toBe(true);
        expect(one.window >= 16_384 && one.window <= 2_000_000, one.model).toBe(true);
      }
    }
  });

  it("have the price of the day, and announce another one until then", () => {
    const one = {
      model: "m",
      input: 2,
      output: 10,
      window: 1000,
      later: { from: "2026-12-01", input: 4, output: 20 },
    };
    expect(priceOn(one, "2026-11-30")).toEqual({ input: 2, output: 10 });
    expect(priceOn(one, "2026-12-01")).toMatchObject({ input: 4, output: 20 });
    expect(usualWord(one, "2026-11-30")).toBe("m ($2.00 in, $10.00 out)");
    expect(laterWord(one, "2026-11-30")).toBe("From 2026-12-01 on it costs $4.00 in and $20.00 out.");
    expect(laterWord(one, "2026-12-01")).toBeUndefined();
    expect(usualWord({ ...one, input: 0, output: 0 }, "2026-11-30")).toBe("m");
  });

  it("name a provider by its address", () => {
    const mistral = { provider: "openai", base_url: "https://api.mistral.ai/v1" } as const;
    expect(presetOf(mistral)?.key).toBe("mistral");
    expect(providerName(mistral)).toBe("Mistral");
    expect(providerName({ ...mistral, base_url: "http://llm.lan/v1" })).toBe("OpenAI-compatible");
  });
});
