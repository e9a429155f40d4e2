// The runs of each benchmark before and after the work, as dots, with what follows from them.
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import {
  amount,
  change,
  measuredOf,
  runsOf,
  scaleOf,
  VERDICTS,
  type Measured,
  type MeasuredRow,
} from "./probes";

const WIDTH = 320;
const LINES = [
  ["before", 14, "fill-fg-3", "stroke-fg-3"],
  ["after", 34, "fill-accent", "stroke-accent"],
] as const;

function Dots({ measured, row }: { measured: Measured; row: MeasuredRow }) {
  const runs = runsOf(measured, row);
  const all = [...runs.before, ...runs.after];
  if (all.length === 0) return null;
  const scale = scaleOf(all);
  const said = LINES.map(([side]) => {
    const found = row[side];
    return found ? `${side} ${amount(found.median, row.unit)}` : `${side} nothing`;
  }).join(", ");
  return (
    <svg
      viewBox={`0 0 ${WIDTH} 48`}
      className="h-12 w-full max-w-sm"
      role="img"
      aria-label={`Medians: ${said}`}
    >
      {LINES.map(([side, y, dot, line]) => (
        <g key={side}>
          <line x1="0" x2={WIDTH} y1={y} y2={y} className="stroke-line" />
          {runs[side].map((value, index) => (
            <circle key={index} cx={scale(value) * WIDTH} cy={y} r="4" className={dot} fillOpacity="0.45">
              <title>{`${side}: ${amount(value, row.unit)}`}</title>
            </circle>
          ))}
          {row[side] && (
            <line
              x1={scale(row[side].median) * WIDTH}
              x2={scale(row[side].median) * WIDTH}
              y1={y - 9}
              y2={y + 9}
              strokeWidth="2"
              className={line}
            />
          )}
        </g>
      ))}
    </svg>
  );
}

function Figure({ row, side }: { row: MeasuredRow; side: "before" | "after" }) {
  const found = row[side];
  return (
    <span className="whitespace-nowrap">
      <span className={side === "after" ? "text-accent" : "text-fg-3"}>{side}</span>{" "}
      {found ? `${amount(found.median, row.unit)} ± ${amount(found.spread, row.unit)}` : "–"}
    </span>
  );
}

function Row({ measured, row }: { measured: Measured; row: MeasuredRow }) {
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-4 py-3 last:border-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-[550] break-words">
          <bdi>{visible(row.name)}</bdi>
        </p>
        <p className="flex flex-wrap gap-x-4 text-small text-fg-2">
          <Figure row={row} side="before" />
          <Figure row={row} side="after" />
        </p>
      </div>
      <Dots measured={measured} row={row} />
      <div className="w-32">
        <Status {...VERDICTS[row.verdict]} />
        <p className="text-small text-fg-2">{change(row.change_percent)}</p>
      </div>
    </li>
  );
}

export function BenchmarkView({ text }: { text: string }) {
  const measured = measuredOf(text);
  if (!measured)
    return <p className="px-4 py-3 text-fg-2">These measurements cannot be shown. Download them.</p>;
  const { comparison, notes } = measured;
  const { alpha, least_effect } = comparison.rules;
  return (
    <div>
      <p className="border-b border-line px-4 py-2 text-fg-2">
        {comparison.iterations} {comparison.iterations === 1 ? "run" : "runs"} of each side, by turns: the
        base <code>{measured.before.slice(0, 8)}</code> and the branch{" "}
        <code>{measured.after.slice(0, 8)}</code>. A dot is a run, and a line is the median.
      </p>
      <ul>
        {comparison.rows.map((row) => (
          <Row key={`${row.name} ${row.unit}`} measured={measured} row={row} />
        ))}
      </ul>
      {notes.length > 0 && (
        <ul className="border-t border-line px-4 py-2 text-small text-fg-2">
          {notes.map((note) => (
            <li key={note}>{visible(note)}</li>
          ))}
        </ul>
      )}
      <p className="border-t border-line px-4 py-2 text-small text-fg-3">
        It is an improvement or a regression only when the Mann-Whitney U test with Holm's correction is at
        most {alpha}, and the medians differ by at least {(least_effect * 100).toFixed(0)} % and by more than
        the larger spread.
        {comparison.iterations < comparison.iterations_needed &&
          ` That needs at least ${comparison.iterations_needed} runs of each side.`}
      </p>
    </div>
  );
}
