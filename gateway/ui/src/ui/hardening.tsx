import { useState } from "react";
import type { Fact } from "~/api/types";
import { cx } from "./class";
import { Status } from "./status";
import { table } from "./table";

/** A value of the report as text: lists and objects as JSON, absence as a word. */
export function factText(value: unknown): string {
  if (value === null || value === undefined) return "not reported";
  if (value === "") return "empty";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Every measure of the sandbox: what was expected and what was found, failures first. */
export function HardeningTable({ facts, caption }: { facts: Fact[]; caption: string }) {
  const bad = facts.filter((fact) => !fact.ok);
  const [onlyBad, setOnlyBad] = useState(false);
  const shown = onlyBad ? bad : [...bad, ...facts.filter((fact) => fact.ok)];
  return (
    <div>
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 px-4 py-2">
        {bad.length === 0 ? (
          <Status tone="done" word={`All ${facts.length} measures hold`} />
        ) : (
          <Status tone="failed" word={`${bad.length} of ${facts.length} measures do not hold`} />
        )}
        {bad.length > 0 && (
          <label className="flex items-center gap-1.5 text-small text-fg-2">
            <input
              type="checkbox"
              className="accent-accent"
              checked={onlyBad}
              onChange={(event) => setOnlyBad(event.target.checked)}
            />
            Only what fails
          </label>
        )}
      </div>
      <div className={table.wrap} role="region" aria-label={caption} tabIndex={0}>
        <table className={table.root}>
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-t border-line">
              <th scope="col" className={table.head}>
                Measure
              </th>
              <th scope="col" className={table.head}>
                Result
              </th>
              <th scope="col" className={cx(table.head, "max-sm:hidden")}>
                Expected
              </th>
              <th scope="col" className={table.head}>
                Found
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((fact) => (
              <tr key={fact.fact} className={cx(table.row, !fact.ok && "bg-failed/6")}>
                <th scope="row" className={cx(table.cell, "font-normal")}>
                  {fact.title || fact.fact}
                  {fact.title && <div className="font-mono text-micro text-fg-3">{fact.fact}</div>}
                </th>
                <td className={table.cell}>
                  <Status tone={fact.ok ? "done" : "failed"} word={fact.ok ? "Holds" : "Fails"} />
                </td>
                <td className={cx(table.cell, "font-mono text-small text-fg-2 max-sm:hidden")}>
                  {factText(fact.expected)}
                </td>
                <td className={cx(table.cell, "font-mono text-small", fact.ok ? "text-fg-2" : "text-failed")}>
                  {factText(fact.actual)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
