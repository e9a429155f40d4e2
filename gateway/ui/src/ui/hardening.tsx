import { useState } from "react";
import type { Fact } from "~/api/types";
import { cx } from "./class";
import { type Column, DataTable } from "./data-table";
import { Status } from "./status";

/** A value of the report as text: lists and objects as JSON, absence as a word. */
export function factText(value: unknown): string {
  if (value === null || value === undefined) return "not reported";
  if (value === "") return "empty";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const COLUMNS: Column<Fact>[] = [
  {
    name: "Check",
    show: ({ fact, title }) => (
      <>
        {title || fact}
        {title && <div className="font-mono text-micro text-fg-3">{fact}</div>}
      </>
    ),
  },
  {
    name: "Result",
    show: ({ ok }) => <Status tone={ok ? "done" : "failed"} word={ok ? "Passed" : "Failed"} />,
  },
  {
    name: "Expected",
    look: "max-sm:hidden",
    cell: "font-mono text-small text-fg-2",
    show: ({ expected }) => factText(expected),
  },
  {
    name: "Found",
    cell: ({ ok }) => cx("font-mono text-small", ok ? "text-fg-2" : "text-failed"),
    show: ({ actual }) => factText(actual),
  },
];

/** How many checks passed, in a line. */
export function HardeningSummary({ facts }: { facts: Fact[] }) {
  const bad = facts.filter((fact) => !fact.ok).length;
  if (facts.length === 0) return "No report";
  return bad === 0 ? (
    <Status tone="done" word={`All ${facts.length} checks passed`} />
  ) : (
    <Status tone="failed" word={`${bad} of ${facts.length} checks failed`} />
  );
}

/** Every check of the sandbox: what was expected and what was found, failures first. */
export function HardeningTable({ facts, caption }: { facts: Fact[]; caption: string }) {
  const bad = facts.filter((fact) => !fact.ok);
  const [onlyBad, setOnlyBad] = useState(false);
  const shown = onlyBad ? bad : [...bad, ...facts.filter((fact) => fact.ok)];
  return (
    <div>
      {bad.length > 0 && (
        <label className="flex min-h-10 items-center gap-1.5 border-b border-line px-4 py-2 text-small text-fg-2">
          <input
            type="checkbox"
            className="accent-accent"
            checked={onlyBad}
            onChange={(event) => setOnlyBad(event.target.checked)}
          />
          Only failed checks
        </label>
      )}
      <DataTable
        label={caption}
        caption={caption}
        columns={COLUMNS}
        rows={shown}
        keyOf={({ fact }) => fact}
        attributesOf={({ ok }) => ({ className: !ok && "bg-failed/6" })}
      />
    </div>
  );
}
