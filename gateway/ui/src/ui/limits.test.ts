import { describe, expect, it } from "vitest";
import { limitsOf, limitWords, typedLimits } from "./limits";

const GIB = 1024 ** 3;

describe("the limits of a sandbox", () => {
  it("are typed in GiB and processors, and an empty field removes its limit", () => {
    const before = { memory_bytes: 2 * GIB, nano_cpus: 500_000_000, pids: 64 };
    expect(typedLimits(before)).toEqual({ memory: "2", cpus: "0.5" });
    expect(limitsOf({ memory: "1,5", cpus: " 2 " }, before)).toEqual({
      memory_bytes: 1.5 * GIB,
      nano_cpus: 2_000_000_000,
      pids: 64,
    });
    expect(limitsOf({ memory: "", cpus: "" }, before)).toEqual({ pids: 64 });
  });
  it("are said in words", () => {
    expect(limitWords({})).toBe("the machine's usual ones");
    expect(limitWords({ memory_bytes: 2 * GIB, nano_cpus: 500_000_000 })).toBe("2 GiB of memory, 0.5 CPU");
  });
});
