// What a benchmark and a security phase left, as the gateway writes it.

const side = (value: number) => ({ median: value, spread: 20, runs: 6 });
const reading = (value: number) => ({
  samples: [{ name: "parse/long", unit: "ns", values: [value] }],
  notes: [],
});

export const MEASURED = JSON.stringify({
  before: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
  after: "89abcdef0123456789abcdef0123456789abcdef",
  comparison: {
    rows: [
      {
        name: "parse/long",
        unit: "ns",
        better: "lower",
        before: side(2_400_000),
        after: side(1_150_000),
        change_percent: -52.1,
        p_value: 0.002,
        verdict: "improvement",
      },
      {
        name: "parse/short",
        unit: "ns",
        better: "lower",
        before: side(900),
        after: null,
        change_percent: null,
        p_value: null,
        verdict: "only_before",
      },
    ],
    iterations: 6,
    iterations_needed: 6,
    rules: { alpha: 0.01, least_effect: 0.02 },
  },
  snapshots: [1, 2, 3, 4, 5, 6].map((iteration) => ({
    iteration,
    before: reading(2_400_000 + iteration * 9_000),
    after: reading(1_150_000 - iteration * 7_000),
  })),
  notes: ["Measure after, 2 of 6: one line was not read"],
});

const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const finding = {
  related: [],
  aliases: [],
  end_line: null,
  rules: [],
  fingerprints: [],
};

export const FINDINGS = JSON.stringify({
  before: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
  after: "89abcdef0123456789abcdef0123456789abcdef",
  tools: [
    { tool: "roost secrets", ran: true, detail: "1 finding in 12 files" },
    { tool: "bandit", ran: false, detail: "The repository has nothing for it." },
  ],
  counts: { ...none, critical: 1, low: 1 },
  new: { ...none, critical: 1 },
  open: [
    {
      ...finding,
      rule: "unused",
      tool: "semgrep",
      severity: "low",
      message: "The result is not used.",
      file: "src/parse.rs",
      line: 7,
      fingerprint: "f2",
      tools: ["semgrep"],
      is_new: false,
    },
    {
      ...finding,
      rule: "aws-access-token",
      tool: "roost secrets",
      severity: "critical",
      message: "An AWS access key in the code. Revoke it and take it out.",
      file: "keys.env",
      line: 1,
      fingerprint: "f1",
      snippet: "aws_access_key_id = AKIA… (20 characters)",
      tools: ["roost secrets"],
      is_new: true,
    },
  ],
  suppressed: [],
  notes: [],
});
