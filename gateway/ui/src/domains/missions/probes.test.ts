import { describe, expect, it } from "vitest";
// What the gateway writes: its own tests compare it with these files.
import findingsFile from "../../../../missions/golden/findings.json?raw";
import measuredFile from "../../../../missions/golden/measured.json?raw";
import {
  amount,
  change,
  findingsOf,
  inOrder,
  measuredOf,
  runsOf,
  scaleOf,
  SEVERITIES,
  VERDICTS,
  type OpenFinding,
} from "./probes";

const row = {
  name: "sum",
  unit: "ns",
  before: { median: 2_000, spread: 10, runs: 2 },
  after: null,
  change_percent: null,
  p_value: null,
  verdict: "only_before" as const,
};
const measured = {
  before: "aa",
  after: "bb",
  comparison: {
    rows: [row],
    iterations: 2,
    iterations_needed: 5,
    rules: { alpha: 0.01, least_effect: 0.02 },
  },
  snapshots: [1, 2].map((iteration) => ({
    iteration,
    before: { samples: [{ name: "sum", unit: "ns", values: [1, 3, 100 * iteration] }] },
    after: { samples: [] },
  })),
  notes: [],
};

const finding = (severity: OpenFinding["severity"], is_new: boolean): OpenFinding => ({
  rule: "r",
  severity,
  message: severity,
  file: null,
  line: null,
  fingerprint: `${severity}${String(is_new)}`,
  tools: ["t"],
  is_new,
});

describe("what probes left", () => {
  it("reads what the gateway writes", () => {
    const found = measuredOf(measuredFile)!;
    const sum = found.comparison.rows[0]!;
    expect(sum).toMatchObject({ name: "sum", unit: "ns", verdict: "improvement" });
    expect(runsOf(found, sum).before).toEqual([101, 102, 103, 104, 105, 106]);
    expect(VERDICTS[sum.verdict].word).toBe("Improvement");
    expect(amount(sum.after!.median, sum.unit)).toBe("53.5 ns");
    expect(found.comparison.rules.alpha).toBeGreaterThan(0);

    const { open, suppressed, counts, tools } = findingsOf(findingsFile)!;
    const secret = inOrder(open)[0]!;
    expect(secret).toMatchObject({ file: "a.env", line: 1, is_new: true });
    expect(SEVERITIES.map(([name]) => name)).toContain(secret.severity);
    expect(counts[secret.severity]).toBe(1);
    expect(suppressed[0]).toMatchObject({ rule: "B602", file: "app.py", line: 2, reason: "It is a demo." });
    expect(tools.map(({ tool, ran }) => [tool, ran])).toEqual([
      ["bandit", true],
      ["roost secrets", true],
    ]);
  });
  it("reads only texts of its own form", () => {
    expect(measuredOf(JSON.stringify(measured))?.before).toBe("aa");
    for (const text of ["", "[]", "null", '{"version":"2.1.0","runs":[]}']) {
      expect(measuredOf(text)).toBeUndefined();
      expect(findingsOf(text)).toBeUndefined();
    }
  });
  it("takes the median of each run", () => {
    expect(runsOf(measured, row)).toEqual({ before: [3, 3], after: [] });
  });
  it("says amounts in three digits with a unit that fits", () => {
    expect([amount(1, "ns"), amount(1_234_567, "ns"), amount(2 ** 20, "B"), amount(12.345, "req/s")]).toEqual(
      ["1 ns", "1.23 ms", "1 MiB", "12.3 req/s"],
    );
    expect([change(null), change(12.345), change(-3)]).toEqual(["–", "+12.3 %", "-3.0 %"]);
  });
  it("keeps equal values inside of the line", () => {
    const scale = scaleOf([5, 5]);
    expect(scale(5)).toBeGreaterThanOrEqual(0);
    expect(scaleOf([0, 10])(10)).toBeLessThanOrEqual(1);
  });
  it("shows the worst first, and new ones before the others", () => {
    const all = inOrder([finding("low", true), finding("high", false), finding("high", true)]);
    expect(all.map(({ severity, is_new }) => `${severity} ${String(is_new)}`)).toEqual([
      "high true",
      "high false",
      "low true",
    ]);
  });
});
